"""The integer program of groups: the best partition that some groups can make."""

from __future__ import annotations

import numpy as np

from shoal.refine.master import add_columns, add_rows, arranged, costs, solver
from shoal.values import BoolVector, FloatMatrix, FloatVector, IntMatrix, IntVector

_MOST = 20_000
"""Groups that are tried: those that cost least beyond what their records pay."""


def improved(
    points: FloatMatrix, labels: IntVector, groups: IntMatrix, prices: FloatVector, *, nodes: int
) -> IntVector:
    """Labels of a partition of these groups and those of a given one, with no larger SSE than the given one has."""
    own = groups_of(labels)
    pool = arranged(groups, max(own.shape[1], groups.shape[1]))
    beyond = costs(points, pool) - np.where(pool >= 0, prices[pool], 0.0).sum(axis=1)
    pool = np.vstack([arranged(own, pool.shape[1]), pool[np.argsort(beyond, kind="stable")[:_MOST]]])
    pool = np.unique(pool, axis=0)
    chosen = _chosen(pool, costs(points, pool), labels, nodes=nodes)
    if chosen is None or costs(points, pool[chosen]).sum() >= costs(points, own).sum():
        return labels
    found = np.empty_like(labels)
    for number, group in enumerate(pool[chosen]):
        found[group[group >= 0]] = number
    return found


def groups_of(labels: IntVector) -> IntMatrix:
    """The groups of a partition as rows, the rest of a row -1."""
    order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
    place = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    groups = np.full((len(sizes), sizes.max()), -1, dtype=np.int64)
    groups[labels[order], place] = order
    return groups[sizes > 0]


def _chosen(pool: IntMatrix, cost: FloatVector, labels: IntVector, *, nodes: int) -> IntVector | None:
    """The groups of the best partition that was found; None where there is none."""
    made = solver()
    import highspy

    for name, value in (("mip_max_nodes", nodes), ("mip_rel_gap", 1e-6)):
        made.setOptionValue(name, value)
    add_rows(made, np.ones(len(labels)))
    column, place = np.nonzero(pool >= 0)
    add_columns(made, cost, np.searchsorted(column, np.arange(len(pool))), pool[column, place])
    whole = np.full(len(pool), highspy.HighsVarType.kInteger)
    made.changeColsIntegrality(len(pool), np.arange(len(pool), dtype=np.int32), whole)
    begin = highspy.HighsSolution()
    begin.col_value = _given(pool, labels).astype(np.float64).tolist()
    made.setSolution(begin)
    made.run()
    taken = np.array(made.getSolution().col_value)
    if not made.getSolution().value_valid:
        return None
    chosen = np.flatnonzero(taken > 0.5)
    times = np.bincount(pool[chosen][pool[chosen] >= 0], minlength=len(labels))
    return chosen if (times == 1).all() else None


def _given(pool: IntMatrix, labels: IntVector) -> BoolVector:
    """Which groups are those of a partition."""
    label = labels[pool[:, 0]]
    same = ((labels[pool] == label[:, None]) | (pool < 0)).all(axis=1)
    found: BoolVector = same & ((pool >= 0).sum(axis=1) == np.bincount(labels)[label])
    return found

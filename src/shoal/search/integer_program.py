"""Set partitioning: the best partition that can be formed from a pool of groups, by integer programming."""

from __future__ import annotations

import numpy as np

from shoal.domain import BoolVector, FloatMatrix, FloatVector, IntMatrix, IntVector
from shoal.search.master_problem import add_columns, add_rows, create_solver, group_costs, sorted_rows

_MAX_GROUPS = 20_000
"""Maximum size of the pool: the groups with the smallest reduced cost."""


def solve_set_partitioning(
    points: FloatMatrix, labels: IntVector, groups: IntMatrix, duals: FloatVector, *, nodes: int
) -> IntVector:
    """Return the labels of the best partition from these groups and those of a given partition; the SSE never rises."""
    given = group_rows(labels)
    pool = sorted_rows(groups, max(given.shape[1], groups.shape[1]))
    reduced_cost = group_costs(points, pool) - np.where(pool >= 0, duals[pool], 0.0).sum(axis=1)
    pool = np.vstack([sorted_rows(given, pool.shape[1]), pool[np.argsort(reduced_cost, kind="stable")[:_MAX_GROUPS]]])
    pool = np.unique(pool, axis=0)
    selected = _solve(pool, group_costs(points, pool), labels, nodes=nodes)
    if selected is None or group_costs(points, pool[selected]).sum() >= group_costs(points, given).sum():
        return labels
    improved_labels = np.empty_like(labels)
    for number, group in enumerate(pool[selected]):
        improved_labels[group[group >= 0]] = number
    return improved_labels


def group_rows(labels: IntVector) -> IntMatrix:
    """Return the groups of a partition as rows, padded with -1."""
    order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
    place = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    groups = np.full((len(sizes), sizes.max()), -1, dtype=np.int64)
    groups[labels[order], place] = order
    return groups[sizes > 0]


def _solve(pool: IntMatrix, cost: FloatVector, labels: IntVector, *, nodes: int) -> IntVector | None:
    """Solve the set partitioning problem; return the selected groups, or None without a solution."""
    program = create_solver()
    import highspy

    for name, value in (("mip_max_nodes", nodes), ("mip_rel_gap", 1e-6)):
        program.setOptionValue(name, value)
    add_rows(program, np.ones(len(labels)))
    column, place = np.nonzero(pool >= 0)
    add_columns(program, cost, np.searchsorted(column, np.arange(len(pool))), pool[column, place])
    integer = np.full(len(pool), highspy.HighsVarType.kInteger)
    program.changeColsIntegrality(len(pool), np.arange(len(pool), dtype=np.int32), integer)
    start = highspy.HighsSolution()
    start.col_value = _given(pool, labels).astype(np.float64).tolist()
    program.setSolution(start)
    program.run()
    values = np.array(program.getSolution().col_value)
    if not program.getSolution().value_valid:
        return None
    selected = np.flatnonzero(values > 0.5)
    coverage = np.bincount(pool[selected][pool[selected] >= 0], minlength=len(labels))
    return selected if (coverage == 1).all() else None


def _given(pool: IntMatrix, labels: IntVector) -> BoolVector:
    """Return a mask of the groups that belong to a partition."""
    label = labels[pool[:, 0]]
    same = ((labels[pool] == label[:, None]) | (pool < 0)).all(axis=1)
    mask: BoolVector = same & ((pool >= 0).sum(axis=1) == np.bincount(labels)[label])
    return mask

"""Set partitioning by groups of a pool: fractions of groups with subset-row cuts, and whole groups.

The restricted master problem covers every record once by fractions of groups at minimum cost. The integer program
selects the groups of the best partition.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from shoal.domain import BoolVector, FloatMatrix, FloatVector, IntMatrix, IntVector
from shoal.errors import PackageError

PADDING = -1
"""Padding of rows of groups."""
_MIN_FRACTION = 1e-4
_MIN_VIOLATION = 0.01
_MAX_TRIPLES = 400
"""Separation of triples: minimum fraction of a group, minimum violation, and maximum number of triples per call."""

_MAX_GROUPS = 20_000
"""Maximum size of the pool: the groups with the smallest reduced cost."""


@dataclass(frozen=True)
class MasterSolution:
    """Solution of the master problem: value, duals of records, duals of triples, and fraction of each group."""

    value: float
    duals: FloatVector
    cut_duals: FloatVector
    fractions: FloatVector


class MasterProblem:
    """Restricted master problem: columns (groups) generated so far, and subset-row cuts (triples of records).

    In every partition, at most one group has two or more records of a triple. A fractional solution can violate this:
    each of the four groups of three out of four near records at 1/3. Cuts on violated triples raise the bound.
    """

    def __init__(self, points: FloatMatrix) -> None:
        self.points = points
        self.groups = np.empty((0, 0), dtype=np.int64)
        self.triples = np.empty((0, 3), dtype=np.int64)
        self._known: set[bytes] = set()
        self._solver = create_solver()
        self._solver.setOptionValue("solver", "ipm")  # duals from the center of the optimal face converge sooner
        self._solver.setOptionValue("run_crossover", "off")
        add_rows(self._solver, np.ones(len(points)))

    @property
    def n_entries(self) -> int:
        """Number of nonzero entries of the record rows."""
        return int((self.groups >= 0).sum())

    def add(self, groups: IntMatrix) -> int:
        """Add new groups as columns; return their number."""
        groups = sorted_rows(groups, max(groups.shape[1], self.groups.shape[1]))
        keys = [row[row >= 0].tobytes() for row in groups]
        new_rows = [i for i, key in enumerate(keys) if key not in self._known]
        self._known.update(keys[i] for i in new_rows)
        if new_rows:
            new = groups[new_rows]
            add_columns(self._solver, group_costs(self.points, new), *self._entries(new))
            self.groups = np.vstack([sorted_rows(self.groups, new.shape[1]), new])
        return len(new_rows)

    def _entries(self, groups: IntMatrix) -> tuple[IntVector, IntVector]:
        """Return the start of each column, and the row indices of its entries: records, then triples."""
        column, position = np.nonzero(groups >= 0)
        records = groups[column, position]
        cut_column, triple = cut_coefficients(groups, self.triples, len(self.points))
        order = np.argsort(np.concatenate([column, cut_column]), kind="stable")
        rows = np.concatenate([records, len(self.points) + triple])[order]
        starts = np.searchsorted(np.concatenate([column, cut_column])[order], np.arange(len(groups)))
        return starts, rows

    def add_violated_triples(self, fractions: FloatVector) -> IntMatrix:
        """Separate triples that the fractions violate and add them as rows; return them."""
        triples = self._violated(fractions)
        column, triple = cut_coefficients(self.groups, triples, len(self.points))
        order = np.lexsort((column, triple))
        starts, ones = np.searchsorted(triple[order], np.arange(len(triples))), np.ones(len(triples))
        self._solver.addRows(
            *(len(triples), -np.inf * ones, ones),
            *(len(column), starts.astype(np.int32), column[order].astype(np.int32), np.ones(len(column))),
        )
        self.triples = np.vstack([self.triples, triples])
        return triples

    def solve(self) -> MasterSolution | None:
        """Solve the master problem; return None without a dual solution."""
        self._solver.run()
        solution = self._solver.getSolution()
        if not solution.dual_valid:
            return None
        dual, n = np.array(solution.row_dual), len(self.points)
        value = float(self._solver.getInfo().objective_function_value)
        return MasterSolution(value, dual[:n], np.maximum(-dual[n:], 0.0), np.array(solution.col_value))

    def _violated(self, shares: FloatVector) -> IntMatrix:
        """Return the triples that the fractions violate, the most violated first."""
        used = np.flatnonzero(shares > _MIN_FRACTION)
        groups_of: dict[int, set[int]] = defaultdict(set)
        pair_weight: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for group in used.tolist():
            rows = [row for row in self.groups[group].tolist() if row >= 0]
            for row in rows:
                groups_of[row].add(group)
            for a, b in combinations(rows, 2):
                pair_weight[a][b] += shares[group]
        known = {tuple(triple) for triple in self.triples.tolist()}
        violated = []
        for a in sorted(pair_weight):
            for b, c in combinations(sorted(pair_weight[a]), 2):
                pairs = pair_weight[a][b] + pair_weight[a][c] + pair_weight.get(b, {}).get(c, 0.0)
                if pairs > 1.0 + _MIN_VIOLATION and (a, b, c) not in known:
                    common = groups_of[a] & groups_of[b] & groups_of[c]
                    violation = pairs - 2.0 * sum(shares[group] for group in common) - 1.0
                    if violation > _MIN_VIOLATION:
                        violated.append((-violation, (a, b, c)))
        return np.array([triple for _, triple in sorted(violated)[:_MAX_TRIPLES]], dtype=np.int64).reshape(-1, 3)


def create_solver() -> Any:
    """Create a silent, deterministic solver."""
    try:
        import highspy
    except ImportError:  # no build for a new Python version yet
        raise PackageError.needs_solver() from None
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in (("output_flag", False), ("threads", 1), ("random_seed", 0)):
        highs.setOptionValue(name, value)
    return highs


def add_rows(solver: Any, sides: FloatVector) -> None:
    """Add equality rows to a program without columns."""
    nothing = np.empty(0, dtype=np.int32)
    solver.addRows(len(sides), sides, sides, 0, np.zeros(len(sides), dtype=np.int32), nothing, np.empty(0))


def add_columns(solver: Any, cost: FloatVector, begin: IntVector, rows: IntVector) -> None:
    """Add columns with coefficient 1 in the given rows."""
    zero, infinity = np.zeros(len(cost)), np.full(len(cost), np.inf)
    solver.addCols(
        len(cost), cost, zero, infinity, len(rows), begin.astype(np.int32), rows.astype(np.int32), np.ones(len(rows))
    )


def sorted_rows(groups: IntMatrix, width: int) -> IntMatrix:
    """Return groups as rows of the given width, sorted in ascending order, padding last."""
    wide = np.full((len(groups), width), PADDING, dtype=np.int64)
    wide[:, : groups.shape[1]] = groups
    last = np.iinfo(np.int64).max
    ordered = np.sort(np.where(wide < 0, last, wide), axis=1)
    return np.where(ordered == last, PADDING, ordered)


def group_costs(points: FloatMatrix, groups: IntMatrix) -> FloatVector:
    """Return the SSE of each group."""
    sizes, sse = (groups >= 0).sum(axis=1), np.empty(len(groups))
    for size in np.unique(sizes):
        members = points[groups[sizes == size, :size]]
        sse[sizes == size] = ((members - members.mean(axis=1, keepdims=True)) ** 2).sum(axis=(1, 2))
    return sse


def cut_coefficients(groups: IntMatrix, triples: IntMatrix, n: int) -> tuple[IntVector, IntVector]:
    """Return the pairs (group, triple) where the group has two or more records of the triple."""
    starts, listed = triples_by_record(triples, n)
    column, position = np.nonzero(groups >= 0)
    record = groups[column, position]
    counts = starts[record + 1] - starts[record]
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    pairs = np.repeat(column, counts) * max(len(triples), 1) + listed[np.repeat(starts[record], counts) + offset]
    each, count = np.unique(pairs, return_counts=True)
    group, triple = np.divmod(each[count >= 2], max(len(triples), 1))
    return group, triple


def triples_by_record(triples: IntMatrix, n: int) -> tuple[IntVector, IntVector]:
    """Return the triples of each record in CSR form: row starts, then triple indices."""
    records = triples.ravel()
    listed = np.repeat(np.arange(len(triples)), 3)[np.argsort(records, kind="stable")]
    return np.concatenate([[0], np.cumsum(np.bincount(records, minlength=n))]), listed


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
    start.col_value = _is_given(pool, labels).astype(np.float64).tolist()
    program.setSolution(start)
    program.run()
    values = np.array(program.getSolution().col_value)
    if not program.getSolution().value_valid:
        return None
    selected = np.flatnonzero(values > 0.5)
    coverage = np.bincount(pool[selected][pool[selected] >= 0], minlength=len(labels))
    return selected if (coverage == 1).all() else None


def _is_given(pool: IntMatrix, labels: IntVector) -> BoolVector:
    """Return a mask of the groups that belong to a partition."""
    label = labels[pool[:, 0]]
    same = ((labels[pool] == label[:, None]) | (pool < 0)).all(axis=1)
    return same & ((pool >= 0).sum(axis=1) == np.bincount(labels)[label])

"""The linear program of groups: choose some, in parts, so that every record is in one, at least cost."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from shoal.errors import PackageError
from shoal.values import FloatMatrix, FloatVector, IntMatrix, IntVector

NOBODY = -1
"""What fills the rows of groups that have fewer records than others."""
_SHARE = 1e-4
_BROKEN = 0.01
_MOST = 400
"""The least share of a group that counts, by how much a triple must be broken, and how many are added at a time."""


@dataclass(frozen=True)
class Solution:
    """The least cost; what records pay in it, the fines of the triples, and how much is taken of each group."""

    value: float
    prices: FloatVector
    fines: FloatVector
    shares: FloatVector


class Master:
    """Groups that were found so far, and triples of records of which only one group may have two or more.

    That one group at most has two of three records holds for every partition, and not for groups that are taken in
    parts: of four records near to each other, each group of three could be taken to a third. Such triples raise the
    bound.
    """

    def __init__(self, points: FloatMatrix) -> None:
        self.points = points
        self.groups = np.empty((0, 0), dtype=np.int64)
        self.triples = np.empty((0, 3), dtype=np.int64)
        self._known: set[bytes] = set()
        self._solver = solver()
        self._solver.setOptionValue("solver", "ipm")  # prices from the middle of all best ones settle sooner
        self._solver.setOptionValue("run_crossover", "off")
        add_rows(self._solver, np.ones(len(points)))

    @property
    def entries(self) -> int:
        """The size of the program."""
        return int((self.groups >= 0).sum())

    def add(self, groups: IntMatrix) -> int:
        """Add groups that are not known yet; their number."""
        groups = arranged(groups, max(groups.shape[1], self.groups.shape[1]))
        keys = [row[row >= 0].tobytes() for row in groups]
        fresh = [i for i, key in enumerate(keys) if key not in self._known]
        self._known.update(keys[i] for i in fresh)
        if fresh:
            new = groups[fresh]
            add_columns(self._solver, costs(self.points, new), *self._entries(new))
            self.groups = np.vstack([arranged(self.groups, new.shape[1]), new])
        return len(fresh)

    def _entries(self, groups: IntMatrix) -> tuple[IntVector, IntVector]:
        """The rows in which each of the groups stands: records, then triples; and where those of each begin."""
        column, place = np.nonzero(groups >= 0)
        records = groups[column, place]
        hit, triple = broken(groups, self.triples, len(self.points))
        order = np.argsort(np.concatenate([column, hit]), kind="stable")
        rows = np.concatenate([records, len(self.points) + triple])[order]
        begin = np.searchsorted(np.concatenate([column, hit])[order], np.arange(len(groups)))
        return begin, rows

    def cut(self, shares: FloatVector) -> IntMatrix:
        """Add the triples that these shares break; those that were added."""
        triples = self._split(shares)
        hit, triple = broken(self.groups, triples, len(self.points))
        order = np.lexsort((hit, triple))
        begin, most = np.searchsorted(triple[order], np.arange(len(triples))), np.ones(len(triples))
        self._solver.addRows(
            *(len(triples), -np.inf * most, most),
            *(len(hit), begin.astype(np.int32), hit[order].astype(np.int32), np.ones(len(hit))),
        )
        self.triples = np.vstack([self.triples, triples])
        return triples

    def solve(self) -> Solution | None:
        """The best shares; None where the solver finds none."""
        self._solver.run()
        found = self._solver.getSolution()
        if not found.dual_valid:
            return None
        dual, n = np.array(found.row_dual), len(self.points)
        value = float(self._solver.getInfo().objective_function_value)
        return Solution(value, dual[:n], np.maximum(-dual[n:], 0.0), np.array(found.col_value))

    def _split(self, shares: FloatVector) -> IntMatrix:
        """Triples of which more than one group has two or more in these shares, those broken most first."""
        taken = np.flatnonzero(shares > _SHARE)
        of: dict[int, set[int]] = defaultdict(set)
        together: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for group in taken.tolist():
            rows = [row for row in self.groups[group].tolist() if row >= 0]
            for row in rows:
                of[row].add(group)
            for a, b in combinations(rows, 2):
                together[a][b] += shares[group]
        known = {tuple(triple) for triple in self.triples.tolist()}
        found = []
        for a in sorted(together):
            for b, c in combinations(sorted(together[a]), 2):
                pairs = together[a][b] + together[a][c] + together.get(b, {}).get(c, 0.0)
                if pairs > 1.0 + _BROKEN and (a, b, c) not in known:
                    over = pairs - 2.0 * sum(shares[group] for group in of[a] & of[b] & of[c]) - 1.0
                    if over > _BROKEN:
                        found.append((-over, (a, b, c)))
        return np.array([triple for _, triple in sorted(found)[:_MOST]], dtype=np.int64).reshape(-1, 3)


def solver() -> Any:
    """A solver that is silent and gives the same answer each time."""
    try:
        import highspy
    except ImportError:  # a new Python, for which it is not built yet
        raise PackageError.needs_solver() from None
    made: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in (("output_flag", False), ("threads", 1), ("random_seed", 0)):
        made.setOptionValue(name, value)
    return made


def add_rows(solver: Any, sides: FloatVector) -> None:
    """Add equations to a program that has no columns yet."""
    nothing = np.empty(0, dtype=np.int32)
    solver.addRows(len(sides), sides, sides, 0, np.zeros(len(sides), dtype=np.int32), nothing, np.empty(0))


def add_columns(solver: Any, cost: FloatVector, begin: IntVector, rows: IntVector) -> None:
    """Add columns that stand once in each of these rows."""
    zero, most = np.zeros(len(cost)), np.full(len(cost), np.inf)
    solver.addCols(
        len(cost), cost, zero, most, len(rows), begin.astype(np.int32), rows.astype(np.int32), np.ones(len(rows))
    )


def arranged(groups: IntMatrix, width: int) -> IntMatrix:
    """Groups as rows of this width, each in ascending order, with nobody at the end."""
    wide = np.full((len(groups), width), NOBODY, dtype=np.int64)
    wide[:, : groups.shape[1]] = groups
    last = np.iinfo(np.int64).max
    ordered = np.sort(np.where(wide < 0, last, wide), axis=1)
    return np.where(ordered == last, NOBODY, ordered)


def costs(points: FloatMatrix, groups: IntMatrix) -> FloatVector:
    """The SSE of each group."""
    sizes, found = (groups >= 0).sum(axis=1), np.empty(len(groups))
    for size in np.unique(sizes):
        of = points[groups[sizes == size, :size]]
        found[sizes == size] = ((of - of.mean(axis=1, keepdims=True)) ** 2).sum(axis=(1, 2))
    return found


def broken(groups: IntMatrix, triples: IntMatrix, n: int) -> tuple[IntVector, IntVector]:
    """Which groups have two or more of which triples: the number of the group, and of the triple."""
    begin, listed = by_record(triples, n)
    column, place = np.nonzero(groups >= 0)
    record = groups[column, place]
    times = begin[record + 1] - begin[record]
    within = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    pairs = np.repeat(column, times) * max(len(triples), 1) + listed[np.repeat(begin[record], times) + within]
    each, count = np.unique(pairs, return_counts=True)
    group, triple = np.divmod(each[count >= 2], max(len(triples), 1))
    return group, triple


def by_record(triples: IntMatrix, n: int) -> tuple[IntVector, IntVector]:
    """The triples of each record, one after another, and where those of each begin; the end of the last at the end."""
    records = triples.ravel()
    listed = np.repeat(np.arange(len(triples)), 3)[np.argsort(records, kind="stable")]
    return np.concatenate([[0], np.cumsum(np.bincount(records, minlength=n))]), listed

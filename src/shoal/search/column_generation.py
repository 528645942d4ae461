"""Lower bound by column generation on the set-partitioning formulation; a column is a group of records.

The restricted master problem covers every record once by fractions of groups at minimum cost. Its value over all groups
is a lower bound of the cost of every partition. So is, for any duals u of the records and nonnegative duals of the
triples (subset-row cuts),

    Σ u - Σ cut duals - Σ over records i of max over groups S with i of (-reduced cost of S) / |S|, at least 0 each.

The reason: the cost of a group S is u(S) minus its cut duals plus its reduced cost, and its negative reduced cost is at
most the sum of the terms of its records. At most one group of a partition has two or more records of a triple, so each
cut dual counts once. The bound therefore does not rely on an exact answer of the solver: every completed pricing
problem gives a valid bound.

Groups of k records alone determine the value without cuts. A group S of s > t records costs (s - 1) / (t - 1) times the
mean cost of its subsets of size t, since each pair of S is in equally many of them. If no group of t records has a
negative reduced cost, S costs at least f(s, t) · u(S), with f(s, t) = t (s - 1) / (s (t - 1)) > 1, or at least 0 where
u(S) < 0. Duals for groups of t < k thus give a bound for k, f(k, t) times theirs. They also give
P(S) ≥ s · f(s, t) · u(S), with P(S) the sum of squared distances of its pairs, which prunes the pricing of larger
groups. For a large k, the search therefore proceeds from small to larger groups.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal import kernels
from shoal.domain import Bound, FloatMatrix, FloatVector, IntMatrix, IntVector, Progress, Space, check_k, no_progress
from shoal.search.embedding import embed
from shoal.search.lower_bounds import elementary_bound, exact_bound
from shoal.search.master_problem import (
    MasterProblem,
    MasterSolution,
    group_rows,
    solve_set_partitioning,
    triples_by_record,
)

if TYPE_CHECKING:
    from shoal.kernels.pricing import PricedColumns, PricingProblem


MAX_RECORDS = 20_000
"""Maximum number of records for column generation; beyond it, the elementary bound is used."""
DEFAULT_EFFORT = 4_000_000_000
"""Default number of steps: about a minute."""
_STEPS_PER_ENTRY = 800
"""Estimated solver steps per nonzero entry of the master problem."""
_NEIGHBORS = 30
"""Heuristic pricing: number of neighbors that may join, and number of neighbors tried as the second record."""
_SECOND_RECORDS = 10
_RECORDS_PER_COLUMN = 50
"""Heuristic pricing ends when it finds fewer than one column per this many records."""
_DUAL_FACTORS = (1.02, 1.05, 1.1)
"""Factors on the duals of smaller groups that make the reduced cost of larger groups negative."""
_MIN_STEP = 0.02
"""Minimum step from the duals of the best bound toward those of the master problem."""
_SEPARATION_GAP = 1e-3
"""Relative gap between bound and master problem below which violated triples are separated."""
_DUAL_INCREASES = tuple(0.002 * 2.0**power for power in range(8))
_MAX_COLUMNS = 20_000
"""Increases of the duals that admit further columns, relative to the mean dual, and the target number of columns."""
_UNIT = 2.0**-53
_SLACK = 2e-5
"""Fraction of the bound given up to end pricing sooner."""
_DIRECT = 6
"""Group size up to which pricing starts directly at k; for larger k it starts here and grows by two."""
_RESERVED = 6
"""Divisor of the effort that is reserved for further columns."""
_MAX_K_TRIPLES = 6
"""Maximum k for which triples are separated; larger groups have too many of them."""


@dataclass(frozen=True, eq=False)
class ColumnBound:
    """Result of column generation: a lower bound, and columns likely to form an optimal partition."""

    points: FloatMatrix
    k: int
    bound: Bound
    groups: IntMatrix
    """One group of k to 2k - 1 records per row, padded with -1."""
    duals: FloatVector
    """Dual of each record in the best bound."""

    def improve(self, labels: IntVector, *, nodes: int = 1) -> IntVector:
        """Return the labels of the best partition from these groups and those of a given partition.

        The SSE around the means of the points never rises. Branch and bound ends after ``nodes`` nodes, not by time.
        """
        return solve_set_partitioning(self.points, labels, self.groups, self.duals, nodes=nodes)


class _ColumnGeneration:
    """State of column generation; starts from duals for which no group has a negative reduced cost."""

    def __init__(
        self, points: FloatMatrix, neighbors: IntMatrix, pair_bounds: FloatMatrix, duals: FloatVector, effort: int
    ) -> None:
        self.points, self.neighbors, self.pair_bounds = points, neighbors, pair_bounds
        self.duals, self.effort = duals, effort
        self.cut_duals: FloatVector = np.empty(0)
        self.value = float(duals.sum())
        self.master = MasterProblem(points)

    def pricing_problem(self, duals: FloatVector, cut_duals: FloatVector, low: int, high: int) -> PricingProblem:
        """Return the pricing problem of these group sizes; triples added after ``cut_duals`` have a dual of 0."""
        starts, triples = triples_by_record(self.master.triples, len(duals))
        cut_duals = np.concatenate([cut_duals, np.zeros(len(self.master.triples) - len(cut_duals))])
        slack = _SLACK * low / len(duals) * abs(float(duals.sum()))
        neighbor_bounds = np.zeros((high, len(duals)))  # the kernel computes sharper ones
        return kernels.pricing.PricingProblem(
            self.points, duals, neighbor_bounds, self.pair_bounds[:high], cut_duals, triples, starts, low, high, slack
        )

    def solve(self) -> MasterSolution | None:
        """Solve the restricted master problem; return None if that fails or the effort is spent."""
        self.effort -= _STEPS_PER_ENTRY * self.master.n_entries
        return self.master.solve() if self.effort > 0 else None

    def add_scaled(self, size: int, gain: float) -> None:
        """Add columns whose reduced cost is negative for duals above those of the best bound."""
        for factor in _DUAL_FACTORS:
            self.price_heuristically(self.pricing_problem(self.duals * gain * factor, np.empty(0), size, size))

    def price_heuristically(self, problem: PricingProblem) -> int:
        """Add columns by heuristic pricing; return their number."""
        priced = kernels.pricing.price_heuristically(problem, self.neighbors, _SECOND_RECORDS)
        return self.master.add(priced.groups[priced.sizes > 0])

    def price_exactly(self, problem: PricingProblem) -> int:
        """Add columns by exact pricing and update the best bound; return their number, 0 if the effort is spent."""
        priced = self.solve_pricing(problem, 0)
        if priced is None:
            return 0
        duals = problem.duals - priced.savings - problem.slack / problem.min_size
        value = float(duals.sum() - problem.cut_duals.sum())
        if value > self.value:
            self.value, self.duals, self.cut_duals = value, duals, problem.cut_duals
        return self.master.add(priced.groups[priced.sizes > 0])

    def solve_pricing(self, problem: PricingProblem, max_columns: int) -> PricedColumns | None:
        """Solve a pricing problem exactly; return None if that takes more than half of the effort."""
        priced: PricedColumns | None
        priced, remaining = kernels.pricing.solve_pricing(problem, self.effort // 2, max_columns=max_columns)
        self.effort -= self.effort // 2 - remaining
        return priced

    def generate_initial(self, size: int, start: IntVector | None) -> None:
        """Generate columns of one size by heuristic pricing until it finds hardly any more."""
        self.master.add(_runs(self.points, size))
        self.master.add(np.column_stack([np.arange(len(self.neighbors)), self.neighbors[:, : size - 1]]))
        if start is not None:
            groups = group_rows(start)
            self.master.add(groups[(groups >= 0).sum(axis=1) == size])
        self.add_scaled(size, 1.0)
        reserve = self.effort // 2
        while self.effort > reserve and (solution := self.solve()) is not None:
            problem = self.pricing_problem(solution.duals, np.empty(0), size, size)
            if self.price_heuristically(problem) <= len(self.points) // _RECORDS_PER_COLUMN:
                return

    def generate_all_sizes(self, k: int, high: int) -> None:
        """Generate columns of all sizes, with triples for a small k; reserve some effort for further columns."""
        reserve = self.effort // _RESERVED
        self.effort -= reserve
        for size in range(k + 1, high + 1):
            self.add_scaled(size, _growth_factor(size, k))
        if k <= _MAX_K_TRIPLES:
            self.tighten(k, high, cutting=True)
        self.effort += reserve
        self.add_near_columns(k, high)

    def tighten(self, low: int, high: int, *, cutting: bool) -> None:
        """Alternate exact pricing and the master problem until the gap closes; separate violated triples.

        Duals are smoothed between those of the best bound and those of the master problem, since the latter oscillate
        while important columns are missing.
        """
        step, solution = 1.0, self.solve()
        while solution is not None and step >= _MIN_STEP:
            best, before = self.pricing_problem(self.duals, self.cut_duals, low, high), self.value
            duals = best.duals + step * (solution.duals - best.duals)
            cut_duals = best.cut_duals + step * (solution.cut_duals - best.cut_duals)
            added = self.price_exactly(self.pricing_problem(duals, cut_duals, low, high))
            step = min(2.0 * step, 1.0) if self.value > before else 0.5 * step
            triples = np.empty((0, 3), dtype=np.int64)
            if cutting and self.value >= solution.value * (1.0 - _SEPARATION_GAP):
                triples = self.master.add_violated_triples(solution.fractions)
            if not len(triples) and self.value >= solution.value * (1.0 - 2.0 * _SLACK):
                return
            if added or len(triples):
                solution = self.solve()

    def add_near_columns(self, low: int, high: int) -> None:
        """Add columns of small reduced cost: raise all duals step by step until there are enough columns."""
        mean = float(np.abs(self.duals).mean())
        for increase in _DUAL_INCREASES:
            problem = self.pricing_problem(self.duals + increase * mean, self.cut_duals, low, high)
            priced = self.solve_pricing(problem, _MAX_COLUMNS)
            if priced is None or len(self.master.groups) >= _MAX_COLUMNS:
                return
            self.master.add(priced.columns[: int(priced.n_found[0])])


def column_bound(
    points: FloatMatrix,
    k: int,
    *,
    start: IntVector | None = None,
    effort: int = DEFAULT_EFFORT,
    progress: Progress = no_progress,
) -> ColumnBound:
    """Compute a lower bound, often within one percent of the optimum for some thousand records and a small k.

    ``start`` is a partition whose groups become initial columns. The ``effort`` counts steps, so the bound does not
    depend on time. If it does not suffice for groups of k records, the bound comes from smaller groups, and is at least
    the elementary bound.

    Notes
    -----
    *Margin*: a reduced cost is a sum of at most 4k² + p + 16 terms, each at most a few duals in size where it matters.
    The negative reduced cost of a pruned group is thus at most the slack, which is subtracted, plus as many roundings
    of 2⁻⁵³ of the largest dual. There are at most n / k groups.
    """
    n, k = len(points), check_k(k, len(points))
    if n > MAX_RECORDS:
        return ColumnBound(points, k, elementary_bound(points, k, progress=progress), _no_groups(k), np.zeros(n))
    points, exponent = _scaled(points)
    high = min(2 * k - 1, n)
    neighbors, half_sums = _neighbors(points, min(max(_NEIGHBORS, high), n - 1), high)
    pair_bounds, duals, groups = np.empty((0, n)), half_sums[k] / k, _no_groups(k)
    best, previous = _bound(points, duals, np.empty(0), k, k, exponent), 0
    for done, t in enumerate(sizes := _sizes(k)):
        candidates = [half_sums[t] / t, *([] if not previous else [duals * _growth_factor(t, previous)])]
        initial = max(candidates, key=lambda candidate: float(candidate.sum()))
        generation = _ColumnGeneration(points, neighbors, pair_bounds, initial, effort)
        generation.generate_initial(t, start)
        generation.tighten(t, t, cutting=False)
        if t == k:
            generation.generate_all_sizes(k, high)
            groups = generation.master.groups
        current = _bound(points, generation.duals, generation.cut_duals, k, t, exponent)
        best = max(best, current, key=lambda bound: bound.value)
        pair_bounds = _pair_bounds(generation.duals, t, high)
        duals, previous, effort = generation.duals, t, generation.effort
        progress(n * (done + 1) // len(sizes), n)
        if effort <= 0:
            break
    return ColumnBound(points, k, best, groups, duals)


def _scaled(points: FloatMatrix) -> tuple[FloatMatrix, int]:
    """Scale the points by a power of two so that squared errors are about 1; also return the exponent."""
    largest = int(np.frexp(np.abs(points).max(initial=0.0))[1])
    small = np.ldexp(points, -largest)
    spread = float(np.sqrt(((small - small.mean(axis=0)) ** 2).sum() / len(small)))
    exponent = largest + int(np.frexp(spread)[1])
    return np.ascontiguousarray(np.ldexp(points, -exponent)), exponent


def _neighbors(points: FloatMatrix, count: int, high: int) -> tuple[IntMatrix, FloatMatrix]:
    """Return the nearest other records, and for r <= high half of the sum of the r - 1 smallest squared distances."""
    n = len(points)
    rows, distance = kernels.bounds.neighbors(Space.of_numbers(points), count + 1)
    self_match = rows == np.arange(n)[:, None]
    self_match[~self_match.any(axis=1), -1] = True  # with many equal records, a record can be missing from its own list
    half_sums = np.zeros((high + 1, n))
    half_sums[2:] = 0.5 * np.cumsum(distance[~self_match].reshape(n, count), axis=1).T[: high - 1]
    return rows[~self_match].reshape(n, count), half_sums


def _sizes(k: int) -> list[int]:
    """Return the group sizes to price, in ascending order."""
    return [k] if k <= _DIRECT else [*range(_DIRECT, k, 2), k]


def _growth_factor(s: int, t: int) -> float:
    """Return f(s, t) of the module docstring."""
    return t * (s - 1) / (s * (t - 1))


def _pair_bounds(duals: FloatVector, t: int, high: int) -> FloatMatrix:
    """Return terms by r and record whose sum over any r records is at most P(S) of these; 0 for r < t."""
    bounds = np.zeros((high, len(duals)))
    for r in range(t, high):
        bounds[r] = r * _growth_factor(r, t) * duals
    return bounds


def _runs(points: FloatMatrix, size: int) -> IntMatrix:
    """Return all circular runs of neighbors in an order of the records: an initial feasible solution."""
    order = np.argsort(points.sum(axis=1), kind="stable")
    return np.column_stack([np.roll(order, -place) for place in range(size)])


def _no_groups(k: int) -> IntMatrix:
    return np.empty((0, 2 * k - 1), dtype=np.int64)


def _bound(points: FloatMatrix, duals: FloatVector, cut_duals: FloatVector, k: int, t: int, exponent: int) -> Bound:
    """Convert duals for groups of t into a bound for groups of k, minus the rounding error."""
    n, p = points.shape
    size = 8.0 * n * float(np.abs(duals).max()) + float(np.abs(duals).sum() + cut_duals.sum())
    rounding, value = _UNIT * (4 * k * k + p + 16) * size, float(duals.sum() - cut_duals.sum())
    scale = float(np.ldexp(_growth_factor(k, t), 2 * exponent))
    active = int((cut_duals > 0.0).sum())
    note = f"from all groups, and {active:,} triples of records" if active else f"from all groups of {t:,} records"
    return Bound(max(value - rounding, 0.0) * scale, "columns", rounding * scale, note)


_STEPS = {"balanced": 500_000_000, "best": 4_000_000_000}
"""Maximum steps of column generation by effort: some seconds, or minutes."""
_MAX_RECORDS = 5_000
"""Maximum number of records for column generation."""


def lower_bound(space: Space, k: int, *, effort: str, progress: Progress = no_progress) -> Bound:
    """Compute a lower bound of the error of all partitions: exact where possible, otherwise as the effort allows."""
    points = embed(space)
    exact = exact_bound(points, k)
    if exact is not None:
        return replace(exact, kind="elementary") if len(space.widths) else exact
    if effort == "fast" or len(points) > _MAX_RECORDS:
        return elementary_bound(points, k, progress=progress)
    return column_bound(points, k, effort=_STEPS[effort], progress=progress).bound

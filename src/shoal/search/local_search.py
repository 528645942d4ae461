"""Local search: improve any partition under the same constraints.

1. Descent: move a unit, swap two units, found a group (split) or dissolve one (merge) while that lowers the error.
2. Simulated annealing: random moves; one that raises the error is accepted with a probability that falls with the
   temperature. Then descent again.
3. For small tables: set partitioning over the columns of column generation, by integer programming.

The result is never worse than the initial partition.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np

from shoal import kernels
from shoal.domain import (
    Bound,
    FloatVector,
    IntVector,
    ModelConstraints,
    Progress,
    Space,
    no_progress,
    number_by_first_row,
)
from shoal.search.budget import Budget, annealing_steps
from shoal.search.column_generation import column_bound

_STAGES = (20, 400)
"""Minimum and maximum number of temperatures."""
_STEPS_PER_STAGE = 20_000
"""Steps per temperature, unless the maximum number of temperatures is reached."""
_INITIAL_HOT, _INITIAL_WARM = 3.0, 1.0
_MIN_HOT_STEPS = 300
"""Initial temperature, relative to the mean contribution of a unit to the error. The lower one is used if most units
have duplicates, or below this many steps per point, too few to recover from a hot start."""
_FINAL_COLD, _FINAL_FROZEN = 0.02, 0.001
"""Final temperature, relative to the median contribution. The lower one is used if most units have duplicates: many
moves leave a group of equal units, and few return to it."""
_MIN_GAIN = 1e-11
"""Minimum gain of a move, relative to the mean contribution; rounding could make smaller gains cycle."""
_SLICE = 20_000
"""Units per call of the descent kernel."""
_TRIAL_STEPS = 20_000
"""Steps of the trial run that measures the time of a step."""
_MAX_RECORDS, _MAX_K, _MAX_INTEGER_RECORDS = 5_000, 10, 2_000
"""Maximum records and k for column generation, and maximum records for the integer program."""
_MIN_TRIAL_SECONDS = 1e-5
"""Minimum duration assumed for the trial run; some clocks have a coarse resolution."""


class SearchTask(NamedTuple):
    """Problem of a search: records in groups of at least k units that satisfy the constraints."""

    space: Space
    k: int
    constraints: ModelConstraints | None = None
    units: Space | None = None
    """Units as points, if units are not single records."""
    unit_of: IntVector | None = None
    """Unit of each record."""

    @property
    def size(self) -> int:
        """Number of units."""
        return len(self.space.matrix) if self.units is None else len(self.units.matrix)

    def take(self, rows: IntVector) -> Self:
        """Restrict the problem to these records, which must be complete units."""
        constraints = None if self.constraints is None else self.constraints.take(rows)
        subset = self._replace(space=self.space.take(rows), constraints=constraints)
        if self.units is None or self.unit_of is None:
            return subset
        first, unit_of = number_by_first_row(self.unit_of[rows])
        return subset._replace(units=self.units.take(self.unit_of[rows[first]]), unit_of=unit_of)


class SearchPlan(NamedTuple):
    """Parameters of a search."""

    effort: str = "balanced"
    seed: int = 0
    steps: int | None = None
    """Annealing steps, if known from an earlier release."""
    stop_after: int | None = None
    """Stop annealing after this many steps, for the same reason."""
    descent_passes: int | None = None
    """Stop the descent after this many passes, for the same reason."""
    integer_program: bool = False
    """Whether column generation and the integer program follow."""


class SearchResult(NamedTuple):
    """Result of a search."""

    labels: IntVector
    error_before: float
    error_after: float
    steps_planned: int = 0
    """Planned annealing steps."""
    steps_done: int = 0
    descent_passes: int = 0
    """Slices of units in the descent, plus solutions of the integer program."""
    bound: Bound | None = None
    """Lower bound of the error, if column generation ran."""


def refine(
    task: SearchTask,
    labels: IntVector,
    plan: SearchPlan,
    *,
    budget: Budget | None = None,
    progress: Progress = no_progress,
) -> SearchResult:
    """Improve the partition given by labels of records."""
    budget = budget or Budget()
    search = _LocalSearch(task, labels, budget, plan.descent_passes)
    before = search.error()
    with budget.interruptible():
        search.descend(progress, at=0)
        search.update_best()
        points, nodes = len(search.neighbors.points), len(task.space.sketch)
        planned = annealing_steps(plan.effort, points, nodes) if plan.steps is None else plan.steps
        if search.is_optimal:
            planned = 0
        elif plan.steps is None and budget.remaining is not None:
            planned = search.affordable(planned if plan.effort == "fast" else None)
        done = search.anneal(planned, seed=plan.seed, stop=plan.stop_after, progress=progress) if planned else 0
        if done:
            search.descend(progress, at=1)
            search.update_best()
        bound = search.solve() if plan.integer_program and not search.is_over and _solvable(task) else None
    return SearchResult(search.best[search.unit_of], before, search.best_error, planned, done, search.passes, bound)


def _solvable(task: SearchTask) -> bool:
    """Whether column generation applies: few numeric records without constraints or households."""
    small = 2 * task.k <= len(task.space.matrix) <= _MAX_RECORDS and task.k <= _MAX_K
    return small and not len(task.space.widths) and task.constraints is None and task.unit_of is None


class _LocalSearch:
    """Mutable partition of local search, and the incumbent."""

    def __init__(self, task: SearchTask, labels: IntVector, budget: Budget, max_passes: int | None) -> None:
        self.space, self.budget, self.passes, self.max_passes = task.space, budget, 0, max_passes
        self.unit_of = np.arange(len(labels)) if task.unit_of is None else task.unit_of
        points = task.space if task.units is None else task.units
        self.neighbors = unit_neighbors(points, task.k, progress=no_progress)
        unit_labels = np.empty(len(points.matrix), dtype=np.int64)
        unit_labels[self.unit_of] = labels
        self.state: Any = kernels.local_search.mutable_partition.init(
            self.space, unit_labels, task.k, unit_of=self.unit_of, constraints=task.constraints
        )
        self.best, self.best_error = unit_labels, self.error()

    @property
    def is_optimal(self) -> bool:
        """Whether no partition can be better: only one group is possible, or the error is 0."""
        partition = self.state.partition
        return len(partition.labels) < 2 * partition.k or not len(self._temperatures(1))

    def error(self) -> float:
        return float(kernels.local_search.mutable_partition.squared_error(self.state, self.space, self.unit_of))

    def update_best(self) -> None:
        """Recompute the error without accumulated rounding, and update the incumbent."""
        kernels.local_search.mutable_partition.recompute(self.state.partition, self.state.centroids)
        error = self.error()
        if error < self.best_error:
            self.best, self.best_error = self.state.partition.labels.copy(), error

    def descend(self, progress: Progress, *, at: int) -> None:
        """Apply improving moves until a local optimum or the end of the budget.

        The number of passes is unknown, so progress is reported as 0 before annealing (``at`` 0) and as complete
        after it (1).
        """
        n = len(self.state.partition.labels)
        dirty = np.ones(n, dtype=np.bool_)
        limit, last, error = -_MIN_GAIN * self.best_error / n, np.inf, self.error()
        while dirty.any() and error < last:  # with limited precision, rounding errors could look like gains forever
            for start in range(0, n, _SLICE):
                if self.is_over:
                    return
                self.passes += 1
                progress(at * n, n)
                kernels.local_search.annealing.descend(
                    self.state, self.neighbors, dirty, limit, start, min(start + _SLICE, n)
                )
            last, error = error, self.error()

    def anneal(self, steps: int, *, seed: int, stop: int | None, progress: Progress) -> int:
        """Anneal with a falling temperature until the steps or the budget end; return the number of steps done."""
        done, rng = 0, kernels.rng.init_rng(seed)
        temperatures = self._temperatures(steps)
        for temperature, count in zip(temperatures, _split_steps(steps, len(temperatures)), strict=True):
            if self.budget.is_overdue if stop is None else done >= stop:
                break
            kernels.local_search.annealing.anneal(self.state, self.neighbors, rng, temperature, count)
            kernels.local_search.mutable_partition.recompute(self.state.partition, self.state.centroids)
            done += count
            progress(done, steps)
        return done

    @property
    def is_over(self) -> bool:
        """Whether the budget is spent, or a replayed search was stopped here."""
        return self.budget.is_overdue if self.max_passes is None else self.passes >= self.max_passes

    def solve(self) -> Bound:
        """Compute the bound of column generation, and improve the partition by set partitioning over its columns."""
        partition = self.state.partition
        result = column_bound(self.space.matrix, partition.k, start=number_by_first_row(self.best)[1])
        if len(result.groups) and len(partition.labels) <= _MAX_INTEGER_RECORDS and not self.is_over:
            improved_labels = result.improve(number_by_first_row(self.best)[1])
            if not self.is_over:
                self.passes += 1
                partition.labels[:] = improved_labels
                kernels.local_search.mutable_partition.recompute(partition, self.state.centroids)
                self.descend(no_progress, at=1)
                self.update_best()
        return result.bound

    def affordable(self, max_steps: int | None) -> int:
        """Estimate the affordable steps in the remaining time by a trial run."""
        remaining = self.budget.remaining
        temperatures = self._temperatures(_TRIAL_STEPS)
        if max_steps == 0 or remaining is None or remaining <= 0 or not len(temperatures):
            return 0
        labels, rng = self.state.partition.labels.copy(), kernels.rng.init_rng(0)
        step_seconds = 0.0
        for temperature in (temperatures[0], temperatures[len(temperatures) // 2], temperatures[-1]):
            count, clock = 0, Budget()
            while count == 0 or (count < _TRIAL_STEPS and clock.elapsed < remaining / 20):
                kernels.local_search.annealing.anneal(self.state, self.neighbors, rng, temperature, 1000)
                count += 1000
            step_seconds += max(clock.elapsed, _MIN_TRIAL_SECONDS) / count / 3
        self.state.partition.labels[:] = labels
        kernels.local_search.mutable_partition.recompute(self.state.partition, self.state.centroids)
        usable = max((self.budget.remaining or 0.0) * 0.92, 0.0)
        return min(int(usable / step_seconds), 2**40)

    def _temperatures(self, steps: int) -> FloatVector:
        """Return a geometric temperature schedule, rounded so that all machines agree."""
        contributions = np.asarray(
            kernels.local_search.mutable_partition.unit_contributions(self.state.partition, self.state.centroids)
        )
        positive = contributions[contributions > 0]
        if not len(positive):
            return np.empty(0)
        points, stages = len(self.neighbors.points), int(np.clip(steps // _STEPS_PER_STAGE, *_STAGES))
        mostly_duplicates = 2 * points < len(contributions)
        initial = _INITIAL_WARM if mostly_duplicates or steps < _MIN_HOT_STEPS * points else _INITIAL_HOT
        final = _FINAL_FROZEN if mostly_duplicates else _FINAL_COLD
        temperatures = np.geomspace(initial * positive.mean(), final * np.median(positive), stages)
        mantissa, exponent = np.frexp(temperatures)
        return np.asarray(np.ldexp(np.rint(mantissa * 2**20), exponent - 20))


def _split_steps(steps: int, stages: int) -> list[int]:
    """Divide the steps into nearly equal stages."""
    return [stop - start for start, stop in pairwise(steps * stage // max(stages, 1) for stage in range(stages + 1))]


_MAX_NEIGHBORS = 40
"""Maximum number of neighbors per point."""


def unit_neighbors(space: Space, k: int, *, progress: Progress) -> Any:
    """Return the nearest min(2k + 2, 40) points of each distinct point; equal units share a point."""
    first, point = space.distinct()
    points = space.take(first) if len(first) < len(point) else space
    neighbors = kernels.graphs.neighbor_lists.nearest_neighbors(
        points, min(2 * k + 2, _MAX_NEIGHBORS), progress=progress
    )
    repeated = np.bincount(point) > 1
    if repeated.any():  # equal units are neighbors, too
        neighbors = np.hstack([np.where(repeated, np.arange(len(first)), -1)[:, None], neighbors])
        neighbors[~repeated] = np.roll(neighbors[~repeated], -1, axis=1)
    starts = np.concatenate([[0], np.cumsum(np.bincount(point))])
    return kernels.local_search.moves.UnitNeighbors(
        np.ascontiguousarray(neighbors), point, starts, np.argsort(point, kind="stable")
    )

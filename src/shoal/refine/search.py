"""Local search: from any partition to a better one under the same constraints.

First it goes down: a unit moves to another group, two change places, a group is founded, which splits others, or
dissolved into near ones, which merges them, as long as one of these lowers the error. Then it anneals: changes are
drawn at random, and one that raises the error may be made as well, the less likely the cooler it gets; and it goes
down once more. At last, where the table is small, an integer program looks for the best partition that the groups of a
bound can make. What is given back is never worse than what was given.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np

from shoal import kernels
from shoal.refine.budget import Budget, steps_for
from shoal.refine.columns import column_bound
from shoal.refine.near import near_units
from shoal.values import Bound, Demands, FloatVector, IntVector, Progress, Space, by_first_row, silent

_STAGES = (20, 400)
"""Heats that an annealing passes through, at least and at most."""
_STAGE = 20_000
"""Steps at one heat where there are not so many that the stages run out."""
_HOT, _WARM = 3.0, 1.0
_SHORT = 300
"""The first heat, as a multiple of the mean share of a unit in the error. It is the lower one with fewer than so many
steps for each point, which could not make good what it spoils, and where most units are equal to others."""
_COLD, _FROZEN = 0.02, 0.001
"""The last heat, as a multiple of the median share. It is the lower one where most units are equal to others: there
are many of them that could leave a place, and few that could come back."""
_LEAST = 1e-11
"""A change that lowers the error by less than this part of a mean share is none: rounding could undo it for ever."""
_SLICE = 20_000
"""Units that one call of the descent looks at."""
_REHEARSED = 20_000
"""Steps of the rehearsal from which the time of a step is learned."""
_PROGRAM, _GROUPS, _INTEGER = 5_000, 10, 2_000
"""Records and k up to which groups are sought for a bound, and records up to which an integer program chooses some."""
_TICK = 1e-5
"""The least time that a rehearsal is taken to last: some clocks stand still meanwhile."""


class Task(NamedTuple):
    """What is searched: records in groups of at least k units, each of which meets the demands."""

    space: Space
    k: int
    demands: Demands | None = None
    units: Space | None = None
    """The units as points, where they are not the records themselves."""
    unit_of: IntVector | None = None
    """The unit of each record."""

    @property
    def size(self) -> int:
        """The number of units."""
        return len(self.space.matrix) if self.units is None else len(self.units.matrix)

    def some(self, rows: IntVector) -> Self:
        """The same about these records alone, among which are all of their units."""
        demands = None if self.demands is None else self.demands.some(rows)
        few = self._replace(space=self.space.some(rows), demands=demands)
        if self.units is None or self.unit_of is None:
            return few
        first, unit_of = by_first_row(self.unit_of[rows])
        return few._replace(units=self.units.some(self.unit_of[rows[first]]), unit_of=unit_of)


class Plan(NamedTuple):
    """How far a search goes."""

    effort: str = "balanced"
    seed: int = 0
    steps: int | None = None
    """Steps of annealing, where these are known from before."""
    stop: int | None = None
    """After so many of them it is stopped, for the same reason."""
    looks: int | None = None
    """And so it is on the way down, after so many looks."""
    program: bool = False
    """Whether a bound by columns and an integer program follow."""


class Found(NamedTuple):
    """What a search came to."""

    labels: IntVector
    before: float
    after: float
    planned: int = 0
    """Steps of annealing."""
    done: int = 0
    looks: int = 0
    """Slices of units that it looked at on the way down, and answers of the integer program that it took."""
    bound: Bound | None = None
    """What no partition of these records can go below, where that was looked into."""


def refine(
    task: Task, labels: IntVector, plan: Plan, *, budget: Budget | None = None, progress: Progress = silent
) -> Found:
    """Search from the groups of these labels of records."""
    budget = budget or Budget()
    search = _Search(task, labels, budget, plan.looks)
    before = search.error()
    with budget.interruptible():
        search.descend(progress, at=0)
        search.keep()
        points, nodes = len(search.near.points), len(task.space.sketch)
        planned = steps_for(plan.effort, points, nodes) if plan.steps is None else plan.steps
        if search.settled:
            planned = 0
        elif plan.steps is None and budget.left is not None:
            planned = search.affordable(planned if plan.effort == "fast" else None)
        done = search.anneal(planned, seed=plan.seed, stop=plan.stop, progress=progress) if planned else 0
        if done:
            search.descend(progress, at=1)
            search.keep()
        bound = search.solve() if plan.program and not search.ended and _solvable(task) else None
    return Found(search.best[search.unit_of], before, search.least, planned, done, search.looks, bound)


def _solvable(task: Task) -> bool:
    """Whether groups can be sought one by one: of few records that are numbers, and of which nothing else is asked."""
    small = 2 * task.k <= len(task.space.matrix) <= _PROGRAM and task.k <= _GROUPS
    return small and not len(task.space.widths) and task.demands is None and task.unit_of is None


class _Search:
    """A partition on which local search works, and the best one so far."""

    def __init__(self, task: Task, labels: IntVector, budget: Budget, most: int | None) -> None:
        self.space, self.budget, self.looks, self.most = task.space, budget, 0, most
        self.unit_of = np.arange(len(labels)) if task.unit_of is None else task.unit_of
        points = task.space if task.units is None else task.units
        self.near = near_units(points, task.k, progress=silent)
        grouped = np.empty(len(points.matrix), dtype=np.int64)
        grouped[self.unit_of] = labels
        self.ground: Any = kernels.standing.begin(
            self.space, grouped, task.k, unit_of=self.unit_of, demands=task.demands
        )
        self.best, self.least = grouped, self.error()

    @property
    def settled(self) -> bool:
        """Whether no other groups can be better: there is but one, or no unit adds to the error."""
        standing = self.ground.standing
        return len(standing.labels) < 2 * standing.k or not len(self._heats(1))

    def error(self) -> float:
        return float(kernels.standing.error(self.ground, self.space, self.unit_of))

    def keep(self) -> None:
        """Measure anew, without the rounding of many changes; and remember what is better than all before."""
        kernels.standing.settle(self.ground.standing, self.ground.meanings)
        error = self.error()
        if error < self.least:
            self.best, self.least = self.ground.standing.labels.copy(), error

    def descend(self, progress: Progress, *, at: int) -> None:
        """Go down until no change pays, or until time is over.

        How far it is nobody knows: before the annealing (``at`` 0) nothing is told to be done, after it (1) all.
        """
        n = len(self.ground.standing.labels)
        dirty = np.ones(n, dtype=np.bool_)
        limit, last, error = -_LEAST * self.least / n, np.inf, self.error()
        while dirty.any() and error < last:  # where digits are few, rounding alone could promise gains for ever
            for start in range(0, n, _SLICE):
                if self.ended:
                    return
                self.looks += 1
                progress(at * n, n)
                kernels.annealing.descend(self.ground, self.near, dirty, limit, start, min(start + _SLICE, n))
            last, error = error, self.error()

    def anneal(self, steps: int, *, seed: int, stop: int | None, progress: Progress) -> int:
        """So many steps from hot to cold, or until it is time to stop; the steps that were made."""
        done, chance = 0, kernels.chance.begin(seed)
        heats = self._heats(steps)
        for heat, count in zip(heats, _parts(steps, len(heats)), strict=True):
            if self.budget.late if stop is None else done >= stop:
                break
            kernels.annealing.anneal(self.ground, self.near, chance, heat, count)
            kernels.standing.settle(self.ground.standing, self.ground.meanings)
            done += count
            progress(done, steps)
        return done

    @property
    def ended(self) -> bool:
        """Whether it is time to stop, or whether an earlier search that is made again was stopped here."""
        return self.budget.late if self.most is None else self.looks >= self.most

    def solve(self) -> Bound:
        """A bound by columns; and the best partition that the groups found for it can make with those at hand."""
        standing = self.ground.standing
        found = column_bound(self.space.matrix, standing.k, start=by_first_row(self.best)[1])
        if len(found.groups) and len(standing.labels) <= _INTEGER and not self.ended:
            better = found.improved(by_first_row(self.best)[1])
            if not self.ended:
                self.looks += 1
                standing.labels[:] = better
                kernels.standing.settle(standing, self.ground.meanings)
                self.descend(silent, at=1)
                self.keep()
        return found.bound

    def affordable(self, most: int | None) -> int:
        """The steps that the time left is enough for, as a rehearsal tells."""
        left = self.budget.left
        heats = self._heats(_REHEARSED)
        if most == 0 or left is None or left <= 0 or not len(heats):
            return 0
        kept, chance = self.ground.standing.labels.copy(), kernels.chance.begin(0)
        taken = 0.0
        for heat in (heats[0], heats[len(heats) // 2], heats[-1]):
            count, clock = 0, Budget()
            while count == 0 or (count < _REHEARSED and clock.elapsed < left / 20):
                kernels.annealing.anneal(self.ground, self.near, chance, heat, 1000)
                count += 1000
            taken += max(clock.elapsed, _TICK) / count / 3
        self.ground.standing.labels[:] = kept
        kernels.standing.settle(self.ground.standing, self.ground.meanings)
        rest = max((self.budget.left or 0.0) * 0.92, 0.0)
        return min(int(rest / taken), 2**40)

    def _heats(self, steps: int) -> FloatVector:
        """From hot to cold in equal factors, to so few digits that all machines agree."""
        shares = np.asarray(kernels.standing.shares(self.ground.standing, self.ground.meanings))
        some = shares[shares > 0]
        if not len(some):
            return np.empty(0)
        points, stages = len(self.near.points), int(np.clip(steps // _STAGE, *_STAGES))
        alike = 2 * points < len(shares)
        hot = _WARM if alike or steps < _SHORT * points else _HOT
        heats = np.geomspace(hot * some.mean(), (_FROZEN if alike else _COLD) * np.median(some), stages)
        part, exponent = np.frexp(heats)
        return np.asarray(np.ldexp(np.rint(part * 2**20), exponent - 20))


def _parts(steps: int, stages: int) -> list[int]:
    """The steps in as many nearly equal parts."""
    return [stop - start for start, stop in pairwise(steps * stage // max(stages, 1) for stage in range(stages + 1))]

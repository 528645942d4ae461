"""Searching: local search on the groups of each stratum, within one budget for all of them."""

from __future__ import annotations

import numpy as np

from shoal import refine
from shoal.partition.repair import WHOLE, repair, told
from shoal.schema import Refinement
from shoal.values import BoolVector, Bound, IntVector, Progress, Search, by_first_row

_SHARE = {"fast": 0.7, "balanced": 0.4, "best": 0.1}
"""The part of the progress that the method takes, by the effort of the search after it."""


class Searching:
    """The search of one release; its clock runs from the start."""

    def __init__(self, refinement: Refinement, *, seed: int, records: int) -> None:
        self.refinement, self.seed, self.left = refinement, seed, records
        self.share = _SHARE[refinement.effort]
        self.budget = refine.Budget(None if refinement.planned else refinement.seconds)
        self.found: list[refine.Found] = []
        self.account: tuple[str, ...] = ()
        """What is to be told of the search of the last stratum, beyond what it found."""

    def improved(self, task: refine.Task, labels: IntVector, hidden: BoolVector, *, progress: Progress) -> IntVector:
        """The groups of the next stratum after the search; those of suppressed records stay as they are."""
        rows, budget = np.flatnonzero(~hidden), self.budget.part(len(labels) / self.left)
        self.left, self.account = self.left - len(labels), ()
        if not len(rows):
            self.found.append(refine.Found(labels[rows], 0.0, 0.0))
            return labels
        search = refine.refine if task.size <= WHOLE else repair
        if search is repair:
            self.account = (told(task.size, len(task.space.sketch), effort=self.refinement.effort),)
        made = search(task, by_first_row(labels[rows])[1], self._plan, budget=budget, progress=progress)
        self.found.append(made)
        better = labels.copy()
        better[rows] = int(labels.max()) + 1 + made.labels
        return by_first_row(better)[1]

    @property
    def _plan(self) -> refine.Plan:
        """That of the next stratum: by effort, or the steps that are known from an earlier release."""
        asked, number = self.refinement, len(self.found)
        program = asked.effort == "best" and asked.seconds is None
        if number >= len(asked.planned):
            return refine.Plan(asked.effort, self.seed, program=program)
        known = asked.planned[number], asked.done[number], asked.looks[number]
        return refine.Plan(asked.effort, self.seed, *known, program=program)

    @property
    def result(self) -> Search:
        """What it did."""
        return Search(
            effort=self.refinement.effort,
            before=sum(each.before for each in self.found),
            after=sum(each.after for each in self.found),
            planned=tuple(each.planned for each in self.found),
            done=tuple(each.done for each in self.found),
            looks=tuple(each.looks for each in self.found),
            timed=self.refinement.seconds is not None or self.budget.stopped.is_set(),
            bound=self._bound,
        )

    @property
    def _bound(self) -> Bound | None:
        """That of all strata together: no group crosses them."""
        known = [each.bound for each in self.found if each.bound is not None]
        if len(known) < len(self.found):
            return None
        notes = ", ".join(dict.fromkeys(bound.note for bound in known))
        return Bound(sum(bound.value for bound in known), "columns", sum(bound.margin for bound in known), notes)

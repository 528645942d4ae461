"""Local search per stratum within one budget for all strata."""

from __future__ import annotations

import numpy as np

from shoal import search as local_search
from shoal.domain import BoolVector, Bound, IntVector, Progress, Refinement, Search, number_by_first_row
from shoal.microaggregation.blockwise_search import MAX_UNITS, describe_search, search_blockwise

_METHOD_FRACTION = {"fast": 0.7, "balanced": 0.4, "best": 0.1}
"""Fraction of the progress assigned to the method, by effort of the search."""


class StrataSearch:
    """Local search of one release over all strata; the time starts at construction."""

    def __init__(self, refinement: Refinement, *, seed: int, records: int) -> None:
        self.refinement, self.seed, self.records_left = refinement, seed, records
        self.method_fraction = _METHOD_FRACTION[refinement.effort]
        self.budget = local_search.Budget(None if refinement.steps_planned else refinement.time_limit)
        self.results: list[local_search.SearchResult] = []
        self.notes: tuple[str, ...] = ()
        """Notes on the search of the last stratum."""

    def improve(
        self, task: local_search.SearchTask, labels: IntVector, suppressed: BoolVector, *, progress: Progress
    ) -> IntVector:
        """Improve the groups of the next stratum; groups of suppressed records stay unchanged."""
        rows, budget = np.flatnonzero(~suppressed), self.budget.sub_budget(len(labels) / self.records_left)
        self.records_left, self.notes = self.records_left - len(labels), ()
        if not len(rows):
            self.results.append(local_search.SearchResult(labels[rows], 0.0, 0.0))
            return labels
        search = local_search.refine if task.size <= MAX_UNITS else search_blockwise
        if search is search_blockwise:
            self.notes = (describe_search(task.size, len(task.space.sketch), effort=self.refinement.effort),)
        result = search(task, number_by_first_row(labels[rows])[1], self._plan, budget=budget, progress=progress)
        self.results.append(result)
        improved_labels = labels.copy()
        improved_labels[rows] = int(labels.max()) + 1 + result.labels
        return number_by_first_row(improved_labels)[1]

    @property
    def _plan(self) -> local_search.SearchPlan:
        """Parameters for the next stratum: by effort, or the recorded steps of an earlier release."""
        refinement, number = self.refinement, len(self.results)
        program = refinement.effort == "best" and refinement.time_limit is None
        if number >= len(refinement.steps_planned):
            return local_search.SearchPlan(refinement.effort, self.seed, integer_program=program)
        recorded = refinement.steps_planned[number], refinement.steps_done[number], refinement.descent_passes[number]
        return local_search.SearchPlan(refinement.effort, self.seed, *recorded, integer_program=program)

    @property
    def summary(self) -> Search:
        """Summary for the partition."""
        return Search(
            effort=self.refinement.effort,
            before=sum(each.error_before for each in self.results),
            after=sum(each.error_after for each in self.results),
            steps_planned=tuple(each.steps_planned for each in self.results),
            steps_done=tuple(each.steps_done for each in self.results),
            descent_passes=tuple(each.descent_passes for each in self.results),
            timed=self.refinement.time_limit is not None or self.budget.stop_requested.is_set(),
            bound=self._bound,
        )

    @property
    def _bound(self) -> Bound | None:
        """Bound of the whole table: the sum over the strata, since no group crosses them."""
        known = [each.bound for each in self.results if each.bound is not None]
        if len(known) < len(self.results):
            return None
        notes = ", ".join(dict.fromkeys(bound.note for bound in known))
        return Bound(sum(bound.value for bound in known), "columns", sum(bound.margin for bound in known), notes)

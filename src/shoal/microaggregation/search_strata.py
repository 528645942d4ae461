"""Local search per stratum within one budget for all strata; large strata are searched in blocks.

Rounds have different block borders. Whole groups are assigned to blocks by their centers, and each block is searched on
its own. Groups at a border in one round are inside a block in the next. The result is independent of the order of
blocks and the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal import kernels
from shoal import search as local_search
from shoal.domain import BoolVector, Bound, IntVector, Progress, Refinement, Search, number_by_first_row
from shoal.microaggregation.blockwise import rows_by_block
from shoal.microaggregation.cut_tree import build_cut_tree
from shoal.system.threads import parallel_map

_METHOD_FRACTION = {"fast": 0.7, "balanced": 0.4, "best": 0.1}
"""Fraction of the progress assigned to the method, by effort of the search."""

MAX_UNITS = 40_000
"""Maximum number of units for a search without blocks."""
_BLOCK = 20_000
"""Units per block; smaller blocks are faster, with a higher final error."""
_NODES = 256
"""Maximum category nodes for this block size; memory grows with nodes times groups."""
_SMALLEST = 1_000
_MIN_GROUPS = 4
"""Minimum units and minimum groups per block."""
_DOWN = {"fast": 2, "balanced": 4, "best": 4}
"""Rounds of descent by effort; each gains less than half of the previous one."""
_MANY_NODES = 64
"""Category nodes beyond which the descent rounds are halved; every evaluated move visits all nodes."""
_MIN_STEPS, _MAX_STEPS = 100, 500
"""Annealing steps per unit: the minimum that gains more than a round of descent in the same time, and the maximum per
round, beyond which new borders gain more."""


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


BlockSearch = Callable[[IntVector], local_search.SearchResult | None]


class Round(NamedTuple):
    """One pass of local search over all blocks."""

    variant: int
    steps: int
    """Annealing steps per unit."""


def plan_rounds(effort: str, units: int, nodes: int) -> list[Round]:
    """Plan the rounds of a search: descent only, then annealing within the steps for this number of units."""
    descents = _DOWN[effort] // (2 if nodes > _MANY_NODES else 1)
    steps = local_search.annealing_steps(effort, units, nodes) // units
    annealings = -(-steps // _MAX_STEPS) if steps >= _MIN_STEPS else 0
    return [Round(1 + i, steps // annealings if i >= descents else 0) for i in range(descents + annealings)]


def search_blockwise(
    task: local_search.SearchTask,
    labels: IntVector,
    plan: local_search.SearchPlan,
    *,
    budget: local_search.Budget,
    progress: Progress,
) -> local_search.SearchResult:
    """Improve the partition given by labels of records, in rounds of blocks.

    ``descent_passes`` counts completed blocks; a replayed search ends after the same number.
    """
    before, completed, done = kernels.centroids.squared_error(task.space, labels), 0, 0
    nodes = len(task.space.sketch)
    planned_rounds, stopped = plan_rounds(plan.effort, task.size, nodes), False
    with budget.interruptible():
        for number, (variant, steps) in enumerate(planned_rounds):
            blocks = rows_by_block(_block_of(task, labels, block_size(nodes), variant))
            limit = len(blocks) if plan.descent_passes is None else plan.descent_passes - completed
            search = _searcher(task, labels, plan, steps, budget)
            round_progress = _round_progress(progress, number, len(planned_rounds))
            labels, results = _run_round(labels, blocks[:limit], search, round_progress)
            completed, done = completed + len(results), done + sum(result.steps_done for result in results)
            stopped = len(results) < len(blocks)
            if stopped:
                break
    planned = sum(steps for _, steps in planned_rounds) * task.size
    after = kernels.centroids.squared_error(task.space, labels)
    return local_search.SearchResult(labels, before, after, max(planned, done) if stopped else done, done, completed)


def block_size(nodes: int) -> int:
    """Return the approximate units per block for a number of category nodes."""
    return max(_BLOCK * _NODES // max(nodes, _NODES), _SMALLEST)


def describe_search(units: int, nodes: int, *, effort: str) -> str:
    """Describe the search in a sentence."""
    size, times = block_size(nodes), len(plan_rounds(effort, units, nodes))
    return f"Local search worked in blocks of about {size:,} records at most, {times} times with other borders."


def _block_of(task: local_search.SearchTask, labels: IntVector, size: int, variant: int) -> IntVector:
    """Assign groups to blocks; return the block of each record."""
    count = int(labels.max()) + 1
    centers = task.space.with_points(kernels.centroids.centroids(task.space, labels, count)).sketched_points
    cuts = build_cut_tree(centers, max(size * count // task.size, 2 * _MIN_GROUPS), _MIN_GROUPS, variant)
    return cuts.block_of(centers)[labels]


def _searcher(
    task: local_search.SearchTask,
    labels: IntVector,
    plan: local_search.SearchPlan,
    steps: int,
    budget: local_search.Budget,
) -> BlockSearch:
    """Return a function that searches one block; it returns None if the budget is spent."""
    clock = local_search.Budget() if plan.descent_passes is not None else budget

    def search(rows: IntVector) -> local_search.SearchResult | None:
        if clock.is_over():
            return None
        block_task = task.take(rows)
        block_plan = local_search.SearchPlan(plan.effort, plan.seed, steps * block_task.size)
        result = local_search.refine(block_task, number_by_first_row(labels[rows])[1], block_plan, budget=clock)
        return None if clock.is_overdue else result

    return search


def _run_round(
    labels: IntVector, blocks: list[IntVector], search: BlockSearch, progress: Progress
) -> tuple[IntVector, list[local_search.SearchResult]]:
    """Run one round; return the labels and the results of the blocks up to the first unfinished one."""
    improved, groups, done = labels.copy(), int(labels.max()) + 1, 0
    results: list[local_search.SearchResult] = []
    for rows, result in zip(blocks, parallel_map(search, blocks), strict=True):
        if result is None:
            break
        improved[rows] = groups + result.labels
        groups, done = groups + int(result.labels.max()) + 1, done + len(rows)
        results.append(result._replace(labels=result.labels[:0]))
        progress(done, len(labels))
    return number_by_first_row(improved)[1], results


def _round_progress(progress: Progress, number: int, of: int) -> Progress:
    """Report the progress of one of several rounds."""
    return lambda done, total: progress(number * total + done, of * total)

"""Repair: local search in a large table, block by block, each round with other borders.

Whole groups are dealt into blocks by where their centers lie, and each block is searched by itself. What lay at a
border of one round lies inside of a block of the next. A block sees its own groups only, so that neither the order nor
the number of threads has a say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from shoal import kernels, refine
from shoal.partition.blocks import cut
from shoal.partition.blockwise import rows_of
from shoal.threads import share
from shoal.values import IntVector, Progress, by_first_row

WHOLE = 40_000
"""Units up to which a table is searched as one."""
_BLOCK = 20_000
"""Units of a block: smaller ones are searched quicker and end higher."""
_NODES = 256
"""Nodes of categories up to which blocks have that size: what each node costs is kept for every group."""
_SMALLEST = 1_000
_LEAST = 4
"""Units and groups of a block that there is room for at least."""
_DOWN = {"fast": 2, "balanced": 4, "best": 4}
"""Rounds that only go down, by effort: each gains less than half of what the one before it did."""
_DEAR = 64
"""Nodes of categories beyond which there are half as many: every look at a unit asks all of them."""
_SHORT, _LONG = 100, 500
"""Steps of annealing for each unit: from how many on they gain more than another round down in the same time, and how
many one round makes at most, since then other borders promise more."""

Search = Callable[[IntVector], refine.Found | None]


class Round(NamedTuple):
    """One search of all blocks."""

    turn: int
    steps: int
    """Steps of annealing for each unit."""


def rounds(effort: str, units: int, nodes: int) -> list[Round]:
    """Those that a search makes: down only, then annealing as far as the steps go for so many units."""
    down, each = _DOWN[effort] // (2 if nodes > _DEAR else 1), refine.steps_for(effort, units, nodes) // units
    anneals = -(-each // _LONG) if each >= _SHORT else 0
    return [Round(1 + turn, each // anneals if turn >= down else 0) for turn in range(down + anneals)]


def repair(
    task: refine.Task, labels: IntVector, plan: refine.Plan, *, budget: refine.Budget, progress: Progress
) -> refine.Found:
    """Search from the groups of these labels of records, in rounds of blocks.

    ``looks`` counts the blocks that were searched to the end; a search that is made again ends after as many.
    """
    before, looks, done, nodes = _error(task, labels), 0, 0, len(task.space.sketch)
    todo, stopped = rounds(plan.effort, task.size, nodes), False
    with budget.interruptible():
        for number, (turn, steps) in enumerate(todo):
            parts = rows_of(_dealt(task, labels, block_size(nodes), turn))
            asked = len(parts) if plan.looks is None else plan.looks - looks
            search = _searcher(task, labels, plan, steps, budget)
            labels, found = _once(labels, parts[:asked], search, _part(progress, number, len(todo)))
            looks, done = looks + len(found), done + sum(each.done for each in found)
            stopped = len(found) < len(parts)
            if stopped:
                break
    planned = sum(steps for _, steps in todo) * task.size
    return refine.Found(labels, before, _error(task, labels), max(planned, done) if stopped else done, done, looks)


def block_size(nodes: int) -> int:
    """The units of a block, about, where categories have so many nodes."""
    return max(_BLOCK * _NODES // max(nodes, _NODES), _SMALLEST)


def told(units: int, nodes: int, *, effort: str) -> str:
    """How so many units are searched, in a sentence."""
    size, times = block_size(nodes), len(rounds(effort, units, nodes))
    return f"Local search worked in blocks of about {size:,} records at most, {times} times with other borders."


def _dealt(task: refine.Task, labels: IntVector, size: int, turn: int) -> IntVector:
    """The block of each record: that of its group."""
    count = int(labels.max()) + 1
    centers = task.space.with_points(kernels.groups.centroids(task.space, labels, count)).points
    cuts = cut(centers, max(size * count // task.size, 2 * _LEAST), _LEAST, turn)
    dealt: IntVector = cuts.block_of(centers)[labels]
    return dealt


def _searcher(task: refine.Task, labels: IntVector, plan: refine.Plan, steps: int, budget: refine.Budget) -> Search:
    """How one block is searched; None where there was no time for it."""
    clock = refine.Budget() if plan.looks is not None else budget

    def search(rows: IntVector) -> refine.Found | None:
        if clock.over():
            return None
        part = task.some(rows)
        own = refine.Plan(plan.effort, plan.seed, steps * part.size)
        found = refine.refine(part, by_first_row(labels[rows])[1], own, budget=clock)
        return None if clock.late else found

    return search


def _once(
    labels: IntVector, parts: list[IntVector], search: Search, progress: Progress
) -> tuple[IntVector, list[refine.Found]]:
    """The labels after one round, and what was found in the blocks up to the first that was not searched."""
    better, groups, done = labels.copy(), int(labels.max()) + 1, 0
    searched: list[refine.Found] = []
    for rows, found in zip(parts, share(search, parts), strict=True):
        if found is None:
            break
        better[rows] = groups + found.labels
        groups, done = groups + int(found.labels.max()) + 1, done + len(rows)
        searched.append(found._replace(labels=found.labels[:0]))
        progress(done, len(labels))
    return by_first_row(better)[1], searched


def _part(progress: Progress, number: int, of: int) -> Progress:
    """The progress of one round of several."""
    return lambda done, total: progress(number * total + done, of * total)


def _error(task: refine.Task, labels: IntVector) -> float:
    return float(kernels.groups.errors(task.space, labels, int(labels.max()) + 1).sum())

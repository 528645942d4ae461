"""The two unassigned records most distant from each other, again and again.

The distance from a record to its farthest partner only falls as records leave, so an old one is an upper
bound. A heap of such bounds gives the pair after a few searches: the first record whose partner is still
there is one end of it. Where an outlier leaves that was the partner of nearly all, the bounds are tightened.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import kernel
from shoal.kernels.search import NOBODY, farthest, nearest, settle
from shoal.kernels.unassigned import GROUPS, NONE, Unassigned, going, grow, take
from shoal.values import FloatVector, IntVector, Progress, Space

SLACK, TINY = 1e-12, 1e-300
"""Rounding allowed for in an upper bound: relative, for each column, and absolute; the true error is far smaller."""


class Queue(NamedTuple):
    """A heap of upper bounds; ``minus`` holds the rows with a minus sign, so that the lowest comes first."""

    bound: FloatVector
    minus: IntVector
    size: IntVector
    partner: IntVector


def bounds(space: Space) -> Queue:
    """A queue of all records, none of which has a partner yet."""
    n = len(space.matrix)
    return _lined_up(_reaches(space, np.arange(n)), np.arange(n), np.full(n, NOBODY))


def tightened(state: Unassigned, queue: Queue) -> Queue:
    """The queue of the records left; those whose partner is gone get the bound that the records left give."""
    size = queue.size[0]
    there = state.labels[-queue.minus[:size]] == NONE
    rows, bound = -queue.minus[:size][there], queue.bound[:size][there]
    partner = queue.partner[rows]
    known = (partner != NOBODY) & (state.labels[np.where(partner == NOBODY, 0, partner)] == NONE)
    fresh = np.minimum(bound, _reaches(state.space, rows))
    return _lined_up(np.where(known, bound, fresh), rows, queue.partner)


def _reaches(space: Space, rows: IntVector) -> FloatVector:
    """No record is farther away than its own distance to the middle and the largest such distance together.

    That holds for the sketched points; the true distance may exceed theirs by as much as the space says.
    """
    matrix = space.points[rows]
    radius = np.sqrt(((matrix - matrix.mean(axis=0)) ** 2).sum(axis=1))
    spread: FloatVector = (radius + radius.max()) ** 2 + space.beyond
    reaches: FloatVector = spread * (1.0 + SLACK * (matrix.shape[1] + 4)) + TINY
    return reaches


def _lined_up(bound: FloatVector, rows: IntVector, partner: IntVector) -> Queue:
    order = np.lexsort((rows, -bound))  # a list in descending order is a heap
    return Queue(bound[order], -rows[order], np.array([len(rows)]), partner)


def most_distant_pair(state: Unassigned, *, progress: Progress) -> tuple[int, int]:
    """The two records left that are most distant from each other, the lower row first."""
    queue = bounds(state.space)
    row = 0
    while queue.partner[row] == NOBODY:
        row = look(state, queue)
        progress(0, len(state.labels))
    return row, int(queue.partner[row])


@kernel
def look(state, queue):
    """Look at the first record of the queue for its partner; the record that is first then."""
    row = -queue.minus[0]
    queue.partner[row], queue.bound[0] = partner_of(state, row)
    settle(queue.bound, queue.minus, queue.size[0])
    return -queue.minus[0]


@kernel
def most_distant(state, queue, k, swap, passes):
    """Groups around both ends of the largest distance; a pass is one look at the first record of the queue.

    The end with the lower row grows first, or the other one if they swap.
    """
    while passes > 0 and going(state, 2 * k):
        passes -= 1
        row = -queue.minus[0]
        partner = queue.partner[row]
        if state.labels[row] != NONE:
            queue.size[0] -= 1
            last = queue.size[0]
            queue.bound[0], queue.minus[0] = queue.bound[last], queue.minus[last]
        elif partner == NOBODY or state.labels[partner] != NONE:
            queue.partner[row], queue.bound[0] = partner_of(state, row)
        else:
            group = state.counts[GROUPS]
            first, second = (partner, row) if swap else (row, partner)
            take(state, second, group + 1)
            grow(state, first, k, group)
            grow(state, second, k, group + 1)
        settle(queue.bound, queue.minus, queue.size[0])


@kernel
def partner_of(state, row):
    """The other record farthest from a record, and its squared distance."""
    distance, rows = np.empty(2), np.empty(2, dtype=np.int64)
    farthest(state.tree, state.space.matrix[row], distance[:1], rows[:1])
    far = distance[0]
    if far > 0.0:
        return rows[0], far
    nearest(state.tree, state.space.matrix[row], distance, rows)
    return rows[1] if rows[0] == row else rows[0], far

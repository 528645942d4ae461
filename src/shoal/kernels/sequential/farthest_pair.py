"""The two unassigned records that are farthest apart, found repeatedly.

The distance from a record to its farthest partner only falls as records leave, so an old one is an upper bound. A heap
of these bounds gives the pair after a few searches: it ends at the first record whose partner is still unassigned.
When an outlier leaves that was the partner of nearly all records, the bounds are tightened.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatVector, IntVector, Progress, Space
from shoal.kernels.box_tree.neighbors import NO_RECORD, farthest, nearest, sift_down
from shoal.kernels.jit import kernel
from shoal.kernels.sequential.farthest_from_centroid import SLACK, TINY
from shoal.kernels.sequential.unassigned import GROUPS, NONE, Unassigned, assign, build_group, enough_left


class PairQueue(NamedTuple):
    """A heap of upper bounds by record; rows are negated so that the lowest row comes first among equals."""

    bound: FloatVector
    negated_row: IntVector
    size: IntVector
    partner: IntVector


def init(space: Space) -> PairQueue:
    """Return a queue of all records, without partners."""
    n = len(space.matrix)
    return _queue(_distance_bounds(space, np.arange(n)), np.arange(n), np.full(n, NO_RECORD))


def tighten(state: Unassigned, queue: PairQueue) -> PairQueue:
    """Return the queue of the unassigned records, with new bounds where the partner has been assigned."""
    size = queue.size[0]
    unassigned = state.labels[-queue.negated_row[:size]] == NONE
    rows, bound = -queue.negated_row[:size][unassigned], queue.bound[:size][unassigned]
    partner = queue.partner[rows]
    known = (partner != NO_RECORD) & (state.labels[np.where(partner == NO_RECORD, 0, partner)] == NONE)
    lowered = np.minimum(bound, _distance_bounds(state.space, rows))
    return _queue(np.where(known, bound, lowered), rows, queue.partner)


def _distance_bounds(space: Space, rows: IntVector) -> FloatVector:
    """Bound the squared distance from each record to any other: its radius plus the largest radius around the mean.

    This holds for sketched points; the true distance may exceed theirs by ``space.sketch_error``.
    """
    matrix = space.sketched_points[rows]
    radius = np.sqrt(((matrix - matrix.mean(axis=0)) ** 2).sum(axis=1))
    diameter: FloatVector = (radius + radius.max()) ** 2 + space.sketch_error
    return diameter * (1.0 + SLACK * (matrix.shape[1] + 4)) + TINY


def _queue(bound: FloatVector, rows: IntVector, partner: IntVector) -> PairQueue:
    order = np.lexsort((rows, -bound))  # a descending list is a heap
    return PairQueue(bound[order], -rows[order], np.array([len(rows)]), partner)


def farthest_pair(state: Unassigned, *, progress: Progress) -> tuple[int, int]:
    """Return the two unassigned records that are farthest apart, the lower row first."""
    queue = init(state.space)
    row = 0
    while queue.partner[row] == NO_RECORD:
        row = check_first(state, queue)
        progress(0, len(state.labels))
    return row, int(queue.partner[row])


@kernel
def check_first(state, queue):
    """Search the partner of the first record of the queue; return the record that is first then."""
    row = -queue.negated_row[0]
    queue.partner[row], queue.bound[0] = farthest_partner(state, row)
    sift_down(queue.bound, queue.negated_row, queue.size[0])
    return -queue.negated_row[0]


@kernel
def max_distance_passes(state, queue, k, swap, passes):
    """Build groups around both ends of the farthest pair; a pass checks the first record of the queue.

    The end with the lower row builds its group first, or the other one with ``swap``.
    """
    while passes > 0 and enough_left(state, 2 * k):
        passes -= 1
        row = -queue.negated_row[0]
        partner = queue.partner[row]
        if state.labels[row] != NONE:
            queue.size[0] -= 1
            last = queue.size[0]
            queue.bound[0], queue.negated_row[0] = queue.bound[last], queue.negated_row[last]
        elif partner == NO_RECORD or state.labels[partner] != NONE:
            queue.partner[row], queue.bound[0] = farthest_partner(state, row)
        else:
            group = state.counts[GROUPS]
            first, second = (partner, row) if swap else (row, partner)
            assign(state, second, group + 1)
            build_group(state, first, k, group)
            build_group(state, second, k, group + 1)
        sift_down(queue.bound, queue.negated_row, queue.size[0])


@kernel
def farthest_partner(state, row):
    """Return the other record farthest from a record, and its squared distance."""
    distance, rows = np.empty(2), np.empty(2, dtype=np.int64)
    farthest(state.tree, state.space.matrix[row], distance[:1], rows[:1])
    largest = distance[0]
    if largest > 0.0:
        return rows[0], largest
    nearest(state.tree, state.space.matrix[row], distance, rows)
    return rows[1] if rows[0] == row else rows[0], largest

"""Closed tour of all points, shortened by 2-opt and Or-opt moves until no near point offers a gain.

A tour is an order whose last point is adjacent to its first. Every move gains more than rounding can, so the search
ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import BoolVector, IntMatrix, IntVector, Progress, Space
from shoal.kernels.jit import SLICE, kernel
from shoal.kernels.orders.greedy_edges import distance

HEAD, QUEUED, VISITED = range(3)
"""Fields of ``counts``: the start of the queue, its length, and the points visited so far."""
MAX_SEGMENT = 3
"""Points that Or-opt moves together, at most."""
MIN_GAIN = 1e-9
"""Least gain of a move, as a fraction of the removed edges: far above rounding."""


class Tour(NamedTuple):
    """The order of the points and the position of each; ``moved`` counts changed positions."""

    order: IntVector
    position: IntVector
    moved: IntVector


class PointQueue(NamedTuple):
    """A ring buffer of points whose neighborhood changed; ``queued`` marks them."""

    ring: IntVector
    queued: BoolVector
    counts: IntVector


def shorten(space: Space, neighbors: IntMatrix, order: IntVector, *, progress: Progress) -> IntVector:
    """The improved tour that starts from this order; ``neighbors`` has the candidate neighbors of each point."""
    n = len(order)
    tour = Tour(order.copy(), np.argsort(order), np.zeros(1, dtype=np.int64))
    queue = PointQueue(order.copy(), np.ones(n, dtype=np.bool_), np.array([0, n, 0]))
    visits = max(1, SLICE // (4 * (1 + 2 * MAX_SEGMENT) * (neighbors.shape[1] + 1) * space.matrix.shape[1]))
    while queue.counts[QUEUED] > 0:
        tour.moved[0] = 0
        improve(space, neighbors, tour, queue, visits)
        progress(min(int(queue.counts[VISITED]), n), n)
    return tour.order


@kernel
def improve(space, neighbors, tour, queue, visits):
    """Visit queued points until the queue is empty or the number of visits or moved points is reached."""
    ring, queued, counts = queue
    while counts[QUEUED] > 0 and visits > 0 and tour.moved[0] < SLICE:
        row = ring[counts[HEAD]]
        counts[HEAD] = (counts[HEAD] + 1) % len(ring)
        counts[QUEUED] -= 1
        counts[VISITED] += 1
        queued[row] = False
        visits -= 1
        others = neighbors[row]
        for step in (1, -1):
            moved = two_opt_move(space, others, tour, queue, row, step)
            if moved or or_opt_move(space, others, tour, queue, row, step):
                enqueue(queue, row)
                break


@kernel
def two_opt_move(space, neighbors, tour, queue, row, step):
    """2-opt: connect a point with a near one, and the two points that were adjacent to them."""
    adjacent = neighbor(tour, row, step)
    old_edge, best, partner = distance(space, row, adjacent), 0.0, row
    for other in neighbors:
        new = distance(space, row, other)
        if new >= old_edge:
            break
        other_adjacent = neighbor(tour, other, step)
        old = old_edge + distance(space, other, other_adjacent)
        gain = old - new - distance(space, adjacent, other_adjacent)
        if gain > max(best, MIN_GAIN * old):
            best, partner = gain, other
    if partner != row:
        for point in (adjacent, partner, neighbor(tour, partner, step)):
            enqueue(queue, point)
        reverse_between(tour, row, adjacent, partner)
    return partner != row


@kernel
def or_opt_move(space, neighbors, tour, queue, row, step):
    """Or-opt: move up to three points that end with this one between a near point and one adjacent to it."""
    adjacent, segment_end = neighbor(tour, row, step), row
    for length in range(1, min(MAX_SEGMENT, len(tour.order) - 3) + 1):
        before = neighbor(tour, segment_end, -step)
        old = distance(space, row, adjacent) + distance(space, segment_end, before)
        spare = old - distance(space, before, adjacent)
        best, partner, side = 0.0, row, step
        for other in neighbors:
            new = distance(space, row, other)
            if new >= spare:
                break
            for direction in (step, -step):
                other_adjacent = neighbor(tour, other, direction)
                outside = outside_segment(tour, row, other, step, length)
                if outside and outside_segment(tour, row, other_adjacent, step, length):
                    split = distance(space, other, other_adjacent)
                    gain = spare + split - new - distance(space, segment_end, other_adjacent)
                    if gain > max(best, MIN_GAIN * (old + split)):
                        best, partner, side = gain, other, direction
        if partner != row:
            for point in (before, segment_end, adjacent, partner, neighbor(tour, partner, side)):
                enqueue(queue, point)
            move_segment(tour, (before, segment_end, row, adjacent), partner, side, step)
            return True
        segment_end = before
    return False


@kernel
def outside_segment(tour, row, other, step, length):
    """Whether a point is outside the segment of this length that ends with a row."""
    return (step * (tour.position[row] - tour.position[other])) % len(tour.order) >= length


@kernel
def move_segment(tour, segment, other, direction, step):
    """Move the middle of a segment, by reversals, between a point and its neighbor; its last point meets the point."""
    before, segment_end, row, adjacent = segment
    other_adjacent = neighbor(tour, other, direction)
    if direction == step:
        reverse_between(tour, before, segment_end, other)
        reverse_between(tour, before, other, adjacent)
    else:
        reverse_between(tour, before, segment_end, other_adjacent)
        reverse_between(tour, before, other_adjacent, adjacent)
        reverse_between(tour, other_adjacent, row, segment_end)


@kernel
def reverse_between(tour, one, after, other):
    """Reverse the path from the point after one to another, so that these two become adjacent.

    The shorter of this path and the rest of the tour is reversed.
    """
    order, position, moved = tour
    n = len(order)
    left, right = position[after], position[other]
    if order[(position[one] + 1) % n] != after:
        left, right = right, left
    length = (right - left) % n + 1
    if 2 * length > n:
        left, right, length = (right + 1) % n, (left - 1) % n, n - length
    moved[0] += length
    for _ in range(length // 2):
        order[left], order[right] = order[right], order[left]
        position[order[left]], position[order[right]] = left, right
        left, right = (left + 1) % n, (right - 1) % n


@kernel
def neighbor(tour, row, step):
    """The point after (1) or before (-1) another one."""
    return tour.order[(tour.position[row] + step) % len(tour.order)]


@kernel
def enqueue(queue, row):
    """Queue a point unless it is queued."""
    ring, queued, counts = queue
    if not queued[row]:
        queued[row] = True
        ring[(counts[HEAD] + counts[QUEUED]) % len(ring)] = row
        counts[QUEUED] += 1

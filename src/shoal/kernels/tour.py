"""A closed tour of all points, made shorter by 2-opt and Or-opt until no near point offers a gain.

A tour is an order whose last point is beside its first one. Every step makes it shorter by more than rounding can,
so that it ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import SLICE, kernel
from shoal.kernels.strands import apart
from shoal.values import BoolVector, IntMatrix, IntVector, Progress, Space

FIRST, WAITING, SEEN = range(3)
"""What ``counts`` tells: where the queue begins, how many wait in it, and how many were looked at."""
PIECE = 3
"""Points at most that Or-opt moves together."""
LEAST = 1e-9
"""The share of the edges taken out that is a gain: far more than rounding makes of none."""


class Tour(NamedTuple):
    """The order of the points and the place of each; ``turned`` counts those that were given another place."""

    order: IntVector
    place: IntVector
    turned: IntVector


class Queue(NamedTuple):
    """The points whose neighborhood has changed, in a ring, to be looked at; ``waits`` tells who is among them."""

    ring: IntVector
    waits: BoolVector
    counts: IntVector


def shorten(space: Space, near: IntMatrix, order: IntVector, *, progress: Progress) -> IntVector:
    """The tour that begins as this order, after all improvements; ``near`` has the points that each may go on to."""
    n = len(order)
    tour = Tour(order.copy(), np.argsort(order), np.zeros(1, dtype=np.int64))
    queue = Queue(order.copy(), np.ones(n, dtype=np.bool_), np.array([0, n, 0]))
    looks = max(1, SLICE // (4 * (1 + 2 * PIECE) * (near.shape[1] + 1) * space.matrix.shape[1]))
    while queue.counts[WAITING] > 0:
        tour.turned[0] = 0
        improve(space, near, tour, queue, looks)
        progress(min(int(queue.counts[SEEN]), n), n)
    return tour.order


@kernel
def improve(space, near, tour, queue, looks):
    """Look at the points of the queue until it is empty, or so many were looked at, or a slice of them was turned."""
    ring, waits, counts = queue
    while counts[WAITING] > 0 and looks > 0 and tour.turned[0] < SLICE:
        row = ring[counts[FIRST]]
        counts[FIRST] = (counts[FIRST] + 1) % len(ring)
        counts[WAITING] -= 1
        counts[SEEN] += 1
        waits[row] = False
        looks -= 1
        others = near[row]
        for step in (1, -1):
            if reconnect(space, others, tour, queue, row, step) or relocate(space, others, tour, queue, row, step):
                wake(queue, row)
                break


@kernel
def reconnect(space, near, tour, queue, row, step):
    """2-opt: a point gets a near one beside it, and the two points that were beside them get each other."""
    beside = neighbor(tour, row, step)
    here, best, found = apart(space, row, beside), 0.0, row
    for other in near:
        new = apart(space, row, other)
        if new >= here:
            break
        beyond = neighbor(tour, other, step)
        old = here + apart(space, other, beyond)
        gain = old - new - apart(space, beside, beyond)
        if gain > max(best, LEAST * old):
            best, found = gain, other
    if found != row:
        for each in (beside, found, neighbor(tour, found, step)):
            wake(queue, each)
        exchange(tour, row, beside, found)
    return found != row


@kernel
def relocate(space, near, tour, queue, row, step):
    """Or-opt: up to three points that end with this one move between a near point and one of those beside that."""
    beside, far = neighbor(tour, row, step), row
    for length in range(1, min(PIECE, len(tour.order) - 3) + 1):
        before = neighbor(tour, far, -step)
        old = apart(space, row, beside) + apart(space, far, before)
        spare = old - apart(space, before, beside)
        best, found, side = 0.0, row, step
        for other in near:
            new = apart(space, row, other)
            if new >= spare:
                break
            for way in (step, -step):
                beyond = neighbor(tour, other, way)
                if outside(tour, row, other, step, length) and outside(tour, row, beyond, step, length):
                    split = apart(space, other, beyond)
                    gain = spare + split - new - apart(space, far, beyond)
                    if gain > max(best, LEAST * (old + split)):
                        best, found, side = gain, other, way
        if found != row:
            for each in (before, far, beside, found, neighbor(tour, found, side)):
                wake(queue, each)
            insert(tour, (before, far, row, beside), found, side, step)
            return True
        far = before
    return False


@kernel
def outside(tour, row, other, step, length):
    """Whether a point is not among so many that lead up to a row."""
    return (step * (tour.place[row] - tour.place[other])) % len(tour.order) >= length


@kernel
def insert(tour, piece, other, side, step):
    """Move the middle of a piece, by exchanges, between a point and the one at its side; its last point meets that."""
    before, far, row, beside = piece
    beyond = neighbor(tour, other, side)
    if side == step:
        exchange(tour, before, far, other)
        exchange(tour, before, other, beside)
    else:
        exchange(tour, before, far, beyond)
        exchange(tour, before, beyond, beside)
        exchange(tour, beyond, row, far)


@kernel
def exchange(tour, one, after, other):
    """Turn the way from the point after one to another, so that these two come to lie side by side.

    What is shorter is turned: that way, or the rest of the tour.
    """
    order, place, turned = tour
    n = len(order)
    left, right = place[after], place[other]
    if order[(place[one] + 1) % n] != after:
        left, right = right, left
    length = (right - left) % n + 1
    if 2 * length > n:
        left, right, length = (right + 1) % n, (left - 1) % n, n - length
    turned[0] += length
    for _ in range(length // 2):
        order[left], order[right] = order[right], order[left]
        place[order[left]], place[order[right]] = left, right
        left, right = (left + 1) % n, (right - 1) % n


@kernel
def neighbor(tour, row, step):
    """The point beside another one, after (1) or before it (-1)."""
    return tour.order[(tour.place[row] + step) % len(tour.order)]


@kernel
def wake(queue, row):
    """Let a point be looked at again."""
    ring, waits, counts = queue
    if not waits[row]:
        waits[row] = True
        ring[(counts[FIRST] + counts[WAITING]) % len(ring)] = row
        counts[WAITING] += 1

"""Groups that are dissolved where that lowers the SSE: each of their records goes to the nearest other centroid.

The centroids lie in a tree. A group that receives records moves: it is taken out of the tree and looked at by itself
until the tree is planted anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.groups import centroids
from shoal.kernels.jit import SLICE, kernel, part
from shoal.kernels.search import NOBODY, nearest
from shoal.kernels.space import add, exact, find_center, no_sums
from shoal.kernels.tree import Tree, plant, remove
from shoal.values import FloatMatrix, FloatVector, IntVector, Progress, Space

MOVED = 256
"""Groups that may have moved before the tree is planted anew: looking at them costs about as much as the search."""
NOWHERE = -1


class Standing(NamedTuple):
    """The groups that stand: ``sums``, ``sizes`` and ``spread`` (SSE) of each; a dissolved one has size 0.

    The records of a group are a list: ``first``, then each one's ``after``, up to ``last``. ``moved`` lists the groups
    that have moved since the tree was planted, or were dissolved; ``counts`` is their number, and each is ``away``.
    """

    space: Space
    labels: IntVector
    sums: FloatMatrix
    sizes: IntVector
    spread: FloatVector
    first: IntVector
    last: IntVector
    after: IntVector
    moved: IntVector
    counts: IntVector
    away: NDArray[np.bool_]
    tree: Tree


def stand(space: Space, labels: IntVector) -> Standing:
    """These groups, numbered without a gap, as they are."""
    count = int(labels.max()) + 1
    sizes = np.bincount(labels, minlength=count).astype(np.int64)
    centers = centroids(space, labels, count)
    state = Standing(
        space=space,
        labels=labels.copy(),
        sums=np.zeros((count, len(no_sums(space)))),
        sizes=np.zeros(count, dtype=np.int64),
        spread=np.zeros(count),
        first=np.full(count, NOWHERE),
        last=np.full(count, NOWHERE),
        after=np.full(len(labels), NOWHERE),
        moved=np.zeros(count, dtype=np.int64),
        counts=np.zeros(1, dtype=np.int64),
        away=np.zeros(count, dtype=np.bool_),
        tree=_planted(space, centers, sizes),
    )
    line_up(state, labels)
    return state


def _planted(space: Space, centers: FloatMatrix, sizes: IntVector) -> Tree:
    return plant(space.with_points(centers), np.flatnonzero(sizes))


def dissolve(state: Standing, order: IntVector, *, most: int, progress: Progress) -> IntVector:
    """Try the groups in this order; no group may grow beyond ``most`` records. The labels afterwards."""
    done, step = 0, max(1, SLICE // state.space.matrix.size)  # to place a record is at worst to look at all groups
    while done < len(order):
        if state.counts[0] >= MOVED:
            state.counts[0], state.away[:] = 0, False
            state = state._replace(tree=_planted(state.space, all_centers(state), state.sizes))
        done = try_all(state, order[: done + step], done, most)
        progress(done, len(order))
    return state.labels


@kernel
def line_up(state, labels):
    """Enter the records into the lists and sums of their groups, in the order of the rows."""
    for row in range(len(labels)):
        enter(state, row, labels[row])
    nothing = np.empty(0, dtype=np.int64)
    for group in range(len(state.sizes)):
        state.spread[group] = spread_with(state, group, nothing, nothing)


@part
def enter(state, row, group):
    """Put a record at the end of a group."""
    if state.sizes[group] == 0:
        state.first[group] = row
    else:
        state.after[state.last[group]] = row
    state.last[group], state.after[row], state.labels[row] = row, NOWHERE, group
    state.sizes[group] += 1
    add(state.space, state.sums[group], state.space.matrix[row], 1.0)


@kernel
def spread_with(state, group, rows, to):
    """The SSE of a group together with those of the rows that would go to it."""
    space, sums, size = state.space, state.sums[group].copy(), state.sizes[group]
    for i in range(len(rows)):
        if to[i] == group:
            size += 1
            add(space, sums, space.matrix[rows[i]], 1.0)
    center = np.empty(space.matrix.shape[1])
    find_center(space, sums, size, center)
    total, row = 0.0, state.first[group]
    for _ in range(state.sizes[group]):
        total += exact(space, space.matrix[row], center)
        row = state.after[row]
    for i in range(len(rows)):
        if to[i] == group:
            total += exact(space, space.matrix[rows[i]], center)
    return total


@kernel
def all_centers(state):
    """The centers of all groups; those of dissolved ones say nothing."""
    centers = np.zeros((len(state.sizes), state.space.matrix.shape[1]))
    for group in range(len(centers)):
        find_center(state.space, state.sums[group], max(state.sizes[group], 1), centers[group])
    return centers


@kernel
def try_all(state, order, done, most):
    """Try one group after another until the end of the order, or until too many groups have moved."""
    while done < len(order) and state.counts[0] < MOVED:
        group = order[done]
        done += 1
        rows, to = np.empty(state.sizes[group], dtype=np.int64), np.full(state.sizes[group], NOBODY)
        row, placed = state.first[group], True
        for i in range(len(rows)):
            rows[i] = row
            row = state.after[row]
            to[i] = receiver(state, group, rows[i], to, most)
            placed = placed and to[i] != NOBODY
        if placed and price(state, rows, to) < state.spread[group]:
            give(state, group, rows, to)
    return done


@kernel
def receiver(state, group, row, to, most):
    """The other group with room whose centroid is nearest to a record; of several, the first one."""
    point, want, best, who = state.space.matrix[row], 2, np.inf, NOBODY
    center = np.empty(len(point))
    searching = True
    while searching:
        distance, groups = np.empty(want), np.empty(want, dtype=np.int64)
        nearest(state.tree, point, distance, groups)
        for i in range(want):
            if who == NOBODY and groups[i] != NOBODY and groups[i] != group and room(state, groups[i], to, most):
                best, who = distance[i], groups[i]
        searching = who == NOBODY and groups[want - 1] != NOBODY
        want *= 2
    for i in range(state.counts[0]):
        other = state.moved[i]
        if other != group and state.sizes[other] > 0 and room(state, other, to, most):
            find_center(state.space, state.sums[other], state.sizes[other], center)
            distance_there = exact(state.space, center, point)
            if distance_there < best or (distance_there == best and other < who):
                best, who = distance_there, other
    return who


@part
def room(state, group, to, most):
    """Whether a group has room for one more, besides those that would go to it."""
    size = state.sizes[group]
    for other in to:
        if other == group:
            size += 1
    return size < most


@kernel
def price(state, rows, to):
    """By how much the SSE of the groups that receive these rows would grow."""
    total = 0.0
    for i in range(len(rows)):
        counted = False
        for other in to[:i]:
            counted = counted or other == to[i]
        if not counted:
            total += spread_with(state, to[i], rows, to) - state.spread[to[i]]
    return total


@kernel
def give(state, group, rows, to):
    """Dissolve a group: its records enter the groups that receive them."""
    depart(state, group)
    state.sizes[group] = 0
    for i in range(len(rows)):
        depart(state, to[i])
        enter(state, rows[i], to[i])
    nothing = np.empty(0, dtype=np.int64)
    for other in to:
        state.spread[other] = spread_with(state, other, nothing, nothing)


@part
def depart(state, group):
    """Take a group out of the tree, unless it has moved before."""
    if not state.away[group]:
        remove(state.tree, group)
        state.away[group] = True
        state.moved[state.counts[0]] = group
        state.counts[0] += 1

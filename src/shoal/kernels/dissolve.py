"""Dissolve groups where that lowers the SSE: each of their records joins the group with the nearest other centroid.

The centroids are in a tree. A group that receives records leaves the tree and is compared separately until the tree
is rebuilt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.domain import FloatMatrix, FloatVector, IntVector, Progress, Space
from shoal.kernels.box_tree.box_tree import BoxTree, build_tree, remove
from shoal.kernels.box_tree.neighbors import NO_RECORD, nearest
from shoal.kernels.centroids import centroids
from shoal.kernels.distance import add, find_center, squared_distance, zero_sums
from shoal.kernels.jit import SLICE, inline, kernel

MAX_MOVED = 256
"""Moved groups before the tree is rebuilt: comparing so many costs about as much as a search."""
END = -1


class DissolvableGroups(NamedTuple):
    """The groups with ``sums``, ``sizes`` and ``sse`` of each; a dissolved one has size 0.

    The records of a group are a list from ``first`` by ``after`` to ``last``. ``moved`` lists the groups
    that have received records or were dissolved since the tree was built; ``counts`` is their number, ``is_moved`` a
    mask.
    """

    space: Space
    labels: IntVector
    sums: FloatMatrix
    sizes: IntVector
    sse: FloatVector
    first: IntVector
    last: IntVector
    after: IntVector
    moved: IntVector
    counts: IntVector
    is_moved: NDArray[np.bool_]
    tree: BoxTree


def init(space: Space, labels: IntVector) -> DissolvableGroups:
    """Return the state for these labels, which are numbered without gaps."""
    count = int(labels.max()) + 1
    sizes = np.bincount(labels, minlength=count).astype(np.int64)
    centers = centroids(space, labels, count)
    state = DissolvableGroups(
        space=space,
        labels=labels.copy(),
        sums=np.zeros((count, len(zero_sums(space)))),
        sizes=np.zeros(count, dtype=np.int64),
        sse=np.zeros(count),
        first=np.full(count, END),
        last=np.full(count, END),
        after=np.full(len(labels), END),
        moved=np.zeros(count, dtype=np.int64),
        counts=np.zeros(1, dtype=np.int64),
        is_moved=np.zeros(count, dtype=np.bool_),
        tree=_centroid_tree(space, centers, sizes),
    )
    fill_groups(state, labels)
    return state


def _centroid_tree(space: Space, centers: FloatMatrix, sizes: IntVector) -> BoxTree:
    return build_tree(space.with_points(centers), np.flatnonzero(sizes))


def run(state: DissolvableGroups, order: IntVector, *, max_size: int, progress: Progress) -> IntVector:
    """Try to dissolve the groups in this order, none growing beyond ``max_size`` records; return the labels."""
    done, step = 0, max(1, SLICE // state.space.matrix.size)  # placing a record reads all groups at worst
    while done < len(order):
        if state.counts[0] >= MAX_MOVED:
            state.counts[0], state.is_moved[:] = 0, False
            state = state._replace(tree=_centroid_tree(state.space, all_centers(state), state.sizes))
        done = try_groups(state, order[: done + step], done, max_size)
        progress(done, len(order))
    return state.labels


@kernel
def fill_groups(state, labels):
    """Add the records to the lists and sums of their groups, in row order."""
    for row in range(len(labels)):
        append(state, row, labels[row])
    none = np.empty(0, dtype=np.int64)
    for group in range(len(state.sizes)):
        state.sse[group] = sse_with(state, group, none, none)


@inline
def append(state, row, group):
    if state.sizes[group] == 0:
        state.first[group] = row
    else:
        state.after[state.last[group]] = row
    state.last[group], state.after[row], state.labels[row] = row, END, group
    state.sizes[group] += 1
    add(state.space, state.sums[group], state.space.matrix[row], 1.0)


@kernel
def sse_with(state, group, rows, targets):
    """Return the SSE of a group together with those of ``rows`` whose target it is."""
    space, sums, size = state.space, state.sums[group].copy(), state.sizes[group]
    for i in range(len(rows)):
        if targets[i] == group:
            size += 1
            add(space, sums, space.matrix[rows[i]], 1.0)
    center = np.empty(space.matrix.shape[1])
    find_center(space, sums, size, center)
    total, row = 0.0, state.first[group]
    for _ in range(state.sizes[group]):
        total += squared_distance(space, space.matrix[row], center)
        row = state.after[row]
    for i in range(len(rows)):
        if targets[i] == group:
            total += squared_distance(space, space.matrix[rows[i]], center)
    return total


@kernel
def all_centers(state):
    """Return the centers of all groups; those of dissolved groups are meaningless."""
    centers = np.zeros((len(state.sizes), state.space.matrix.shape[1]))
    for group in range(len(centers)):
        find_center(state.space, state.sums[group], max(state.sizes[group], 1), centers[group])
    return centers


@kernel
def try_groups(state, order, done, max_size):
    """Try one group after another until the end of the order, or until too many groups have moved."""
    while done < len(order) and state.counts[0] < MAX_MOVED:
        group = order[done]
        done += 1
        rows, targets = np.empty(state.sizes[group], dtype=np.int64), np.full(state.sizes[group], NO_RECORD)
        row, placed = state.first[group], True
        for i in range(len(rows)):
            rows[i] = row
            row = state.after[row]
            targets[i] = nearest_receiver(state, group, rows[i], targets, max_size)
            placed = placed and targets[i] != NO_RECORD
        if placed and sse_increase(state, rows, targets) < state.sse[group]:
            dissolve_group(state, group, rows, targets)
    return done


@kernel
def nearest_receiver(state, group, row, targets, max_size):
    """Return the other group below the maximum size with the nearest centroid; ties go to the lowest number."""
    point, wanted, best, best_group = state.space.matrix[row], 2, np.inf, NO_RECORD
    center = np.empty(len(point))
    searching = True
    while searching:
        distance, groups = np.empty(wanted), np.empty(wanted, dtype=np.int64)
        nearest(state.tree, point, distance, groups)
        for i in range(wanted):
            other = groups[i]
            is_other = best_group == NO_RECORD and other != NO_RECORD and other != group
            if is_other and may_receive(state, other, targets, max_size):
                best, best_group = distance[i], other
        searching = best_group == NO_RECORD and groups[wanted - 1] != NO_RECORD
        wanted *= 2
    for i in range(state.counts[0]):
        other = state.moved[i]
        if other != group and state.sizes[other] > 0 and may_receive(state, other, targets, max_size):
            find_center(state.space, state.sums[other], state.sizes[other], center)
            other_distance = squared_distance(state.space, center, point)
            if other_distance < best or (other_distance == best and other < best_group):
                best, best_group = other_distance, other
    return best_group


@inline
def may_receive(state, group, targets, max_size):
    """Whether a group may receive one more record besides those already targeted at it."""
    size = state.sizes[group]
    for other in targets:
        if other == group:
            size += 1
    return size < max_size


@kernel
def sse_increase(state, rows, targets):
    """Return by how much the SSE of the receiving groups would grow."""
    total = 0.0
    for i in range(len(rows)):
        counted = False
        for other in targets[:i]:
            counted = counted or other == targets[i]
        if not counted:
            total += sse_with(state, targets[i], rows, targets) - state.sse[targets[i]]
    return total


@kernel
def dissolve_group(state, group, rows, targets):
    """Dissolve a group: append its records to their targets."""
    remove_from_tree(state, group)
    state.sizes[group] = 0
    for i in range(len(rows)):
        remove_from_tree(state, targets[i])
        append(state, rows[i], targets[i])
    none = np.empty(0, dtype=np.int64)
    for other in targets:
        state.sse[other] = sse_with(state, other, none, none)


@inline
def remove_from_tree(state, group):
    """Remove a group from the tree, unless it has been removed before."""
    if not state.is_moved[group]:
        remove(state.tree, group)
        state.is_moved[group] = True
        state.moved[state.counts[0]] = group
        state.counts[0] += 1

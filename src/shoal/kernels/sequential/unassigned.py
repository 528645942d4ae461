"""The records without a group: a tree of them, and their running sums.

Methods that build groups one after another use these terms: the centroid of the unassigned records, a record that is
assigned to a group, and a group that is built around a seed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from shoal.domain import FloatVector, IntVector, Progress, Space
from shoal.kernels.box_tree.box_tree import BoxTree, build_tree, remove
from shoal.kernels.box_tree.neighbors import farthest, nearest
from shoal.kernels.centroids import assign_to_nearest, centroids
from shoal.kernels.distance import add, find_center, zero_sums
from shoal.kernels.jit import SLICE, inline, kernel
from shoal.kernels.sequential.farthest_from_centroid import FarthestList, empty_list

NONE = -1
"""Label of a record without a group."""
LEFT, LEFT_AT_SUM, LEFT_AT_TREE, GROUPS = range(4)
"""Places in ``counts``: records left, left at the last sum, left when the tree was built; groups so far."""
REMOVAL_COST = 64
"""Cells per column that removing a record from the tree touches."""


class Unassigned(NamedTuple):
    """State of a sequential partition."""

    space: Space
    labels: IntVector
    sums: FloatVector
    counts: IntVector
    tree: BoxTree
    farthest_list: FarthestList


def init(space: Space, labels: IntVector | None = None) -> Unassigned:
    """Return the state of all records, unassigned or with these labels."""
    n = len(space.matrix)
    labels, sums = np.full(n, NONE, dtype=np.int64) if labels is None else labels.copy(), zero_sums(space)
    recompute_sums(space, labels, sums)
    rows = np.flatnonzero(labels == NONE)
    left = len(rows)
    counts = np.array([left, left, left, labels.max() + 1])
    return Unassigned(space, labels, sums, counts, build_tree(space, rows), empty_list(space))


def run(state: Unassigned, step: Callable[..., None], *arguments: Any, min_left: int, progress: Progress) -> Unassigned:
    """Call ``step(state, *arguments, passes)`` until fewer than ``min_left`` records are left.

    A call runs at most this many passes, or fewer where `enough_left` is false. A new tree is built when half of the
    records of a large one are assigned.
    """
    n, p = len(state.labels), len(state.sums)
    while (left := int(state.counts[LEFT])) >= min_left:
        if 2 * left <= state.counts[LEFT_AT_TREE]:
            state.counts[LEFT_AT_TREE] = left
            if len(state.tree.leaf_sizes) > 1:  # a single leaf is searched as fast as a new one
                state = state._replace(tree=build_tree(state.space, unassigned_rows(state)))
        step(state, *arguments, max(1, SLICE // (p * (left + REMOVAL_COST * min_left))))
        progress(n - int(state.counts[LEFT]), n)
    return state


def group_rest(state: Unassigned) -> None:
    """Make the records left, if any, a group."""
    state.labels[unassigned_rows(state)] = state.counts[GROUPS]
    state.counts[GROUPS] += 1
    state.counts[LEFT] = 0


def assign_rest(state: Unassigned) -> None:
    """Assign each record left to the group with the nearest centroid; the centroids do not move."""
    if state.counts[LEFT] > 0:
        centers = centroids(state.space, state.labels, state.counts[GROUPS])
        assign_to_nearest(state.space, state.labels, centers, unassigned_rows(state))
        state.counts[LEFT] = 0


def unassigned_rows(state: Unassigned) -> IntVector:
    """Return the records without a group."""
    return np.flatnonzero(state.labels == NONE)


@inline
def enough_left(state, min_left):
    """Whether ``min_left`` records are left, and more than half of those in the tree when it was built."""
    left = state.counts[LEFT]
    return left >= min_left and 2 * left > state.counts[LEFT_AT_TREE]


@kernel
def recompute_sums(space, labels, sums):
    """Compute the sums of the records without a group, in row order."""
    for j in range(len(sums)):
        sums[j] = 0.0
    for row in range(len(labels)):
        if labels[row] == NONE:
            add(space, sums, space.matrix[row], 1.0)


@inline
def centroid(state):
    """Return the centroid of the records left; their sums are recomputed whenever they have halved."""
    if 2 * state.counts[LEFT] <= state.counts[LEFT_AT_SUM]:
        state.counts[LEFT_AT_SUM] = state.counts[LEFT]
        recompute_sums(state.space, state.labels, state.sums)
    center = np.empty(state.space.matrix.shape[1])
    find_center(state.space, state.sums, state.counts[LEFT], center)
    return center


@inline
def assign(state, row, group):
    """Move a record from the unassigned to a group."""
    remove(state.tree, row)
    state.labels[row] = group
    state.counts[LEFT] -= 1
    add(state.space, state.sums, state.space.matrix[row], -1.0)


@inline
def build_group(state, seed, k, group):
    """Build a group of a seed and the k - 1 records nearest to it; return these, nearest first.

    The seed may have been assigned before, to keep it out of another group.
    """
    if state.labels[seed] == NONE:
        assign(state, seed, group)
    rows = np.empty(k - 1, dtype=np.int64)
    nearest(state.tree, state.space.matrix[seed], np.empty(k - 1), rows)
    for row in rows:
        assign(state, row, group)
    state.counts[GROUPS] += 1
    return rows


@kernel
def search_farthest(state, point):
    """Return the unassigned record farthest from a point, by a search in the tree."""
    distance, rows = np.empty(1), np.empty(1, dtype=np.int64)
    farthest(state.tree, point, distance, rows)
    return rows[0]

"""The records without a group: a tree of them, and their running sums.

A method that builds groups one after another speaks in these words: the centroid of the unassigned, a record
that is taken into a group, a group that grows around a seed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.kernels.ahead import Ahead, nothing_ahead, recall_far, recall_near
from shoal.kernels.groups import centroids, join_nearest
from shoal.kernels.jit import SLICE, kernel, part
from shoal.kernels.outer import Outer, nothing_kept
from shoal.kernels.search import NOBODY, farthest, nearest
from shoal.kernels.space import add, find_center, no_sums
from shoal.kernels.tree import Tree, plant, remove
from shoal.values import FloatVector, IntVector, Progress, Space

NONE = -1
"""The label of a record without a group."""
LEFT, SUMMED, PLANTED, GROUPS = range(4)
"""What ``counts`` counts: records left, left when last summed, left when the tree was planted; groups so far."""
LEAVING = 64
"""Cells of each column that are touched when a record leaves the tree."""


class Unassigned(NamedTuple):
    """The state of a partition in the making."""

    space: Space
    labels: IntVector
    sums: FloatVector
    counts: IntVector
    tree: Tree
    outer: Outer
    ahead: Ahead


Step = Callable[[Unassigned, int], None]
"""Does at most so many passes, or fewer where ``going`` says so."""


def begin(space: Space, labels: IntVector | None = None) -> Unassigned:
    """All records; none of them in a group, or some by these labels."""
    n = len(space.matrix)
    labels, sums = np.full(n, NONE, dtype=np.int64) if labels is None else labels.copy(), no_sums(space)
    add_up(space, labels, sums)
    rows = np.flatnonzero(labels == NONE)
    left = len(rows)
    counts = np.array([left, left, left, labels.max() + 1])
    return Unassigned(space, labels, sums, counts, plant(space, rows), nothing_kept(space), nothing_ahead())


def carry_on(state: Unassigned, step: Step, *, least: int, progress: Progress) -> Unassigned:
    """Call the step until fewer than ``least`` records are left; plant a new tree where half of a large one is gone."""
    n, p = len(state.labels), len(state.sums)
    while (left := int(state.counts[LEFT])) >= least:
        if 2 * left <= state.counts[PLANTED]:
            state.counts[PLANTED] = left
            if len(state.tree.held) > 1:  # a single leaf is searched as fast as a new one
                state = state._replace(tree=plant(state.space, rows_left(state)))
        step(state, max(1, SLICE // (p * (left + LEAVING * least))))
        progress(n - int(state.counts[LEFT]), n)
    return state


def one_group(state: Unassigned) -> None:
    """The records left, if any, are a group."""
    state.labels[rows_left(state)] = state.counts[GROUPS]
    state.counts[GROUPS] += 1
    state.counts[LEFT] = 0


def nearest_groups(state: Unassigned) -> None:
    """Each record left joins the group with the nearest centroid; the centroids stay as they were."""
    if state.counts[LEFT] > 0:
        centers = centroids(state.space, state.labels, state.counts[GROUPS])
        join_nearest(state.space, state.labels, centers, rows_left(state))
        state.counts[LEFT] = 0


def rows_left(state: Unassigned) -> IntVector:
    """The records without a group."""
    return np.flatnonzero(state.labels == NONE)


@part
def going(state, least):
    """Whether at least so many records are left, and more than half of those in the tree when it was planted."""
    left = state.counts[LEFT]
    return left >= least and 2 * left > state.counts[PLANTED]


@kernel
def add_up(space, labels, sums):
    """Form the sums of the records without a group, in the order of the rows."""
    for j in range(len(sums)):
        sums[j] = 0.0
    for row in range(len(labels)):
        if labels[row] == NONE:
            add(space, sums, space.matrix[row], 1.0)


@part
def centroid(state):
    """The centroid of the records left; each time they have halved, their sums are formed anew."""
    if 2 * state.counts[LEFT] <= state.counts[SUMMED]:
        state.counts[SUMMED] = state.counts[LEFT]
        add_up(state.space, state.labels, state.sums)
    center = np.empty(state.space.matrix.shape[1])
    find_center(state.space, state.sums, state.counts[LEFT], center)
    return center


@part
def take(state, row, group):
    """Move a record out of the unassigned into a group."""
    remove(state.tree, row)
    state.labels[row] = group
    state.counts[LEFT] -= 1
    add(state.space, state.sums, state.space.matrix[row], -1.0)


@part
def grow(state, seed, k, group):
    """A group of a seed and the k - 1 records nearest to it, nearest first; these k - 1 records.

    The seed may have been taken before, to keep it out of another group.
    """
    if state.labels[seed] == NONE:
        take(state, seed, group)
    rows = np.empty(k - 1, dtype=np.int64)
    if recall_near(state, seed, rows) < k - 1:
        nearest(state.tree, state.space.matrix[seed], np.empty(k - 1), rows)
    for row in rows:
        take(state, row, group)
    state.counts[GROUPS] += 1
    return rows


@part
def opposite(state, seed):
    """The record left that is farthest from a seed."""
    row = recall_far(state, seed)
    return farthest_from(state, state.space.matrix[seed]) if row == NOBODY else row


@kernel
def farthest_from(state, point):
    """The record left that is farthest from a point, whatever is known ahead."""
    distance, rows = np.empty(1), np.empty(1, dtype=np.int64)
    farthest(state.tree, point, distance, rows)
    return rows[0]

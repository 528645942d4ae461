"""The records farthest from a center, in order: a list that stays valid while records leave and the center moves.

A record outside the list was no farther from the old center than the last listed record. So its distance to the new
center is at most that distance plus the shift of the center. Where this bound does not decide, the list is refilled.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.domain import FloatVector, IntVector, Space
from shoal.kernels.box_tree.neighbors import NO_RECORD, farthest
from shoal.kernels.distance import copy, squared_distance
from shoal.kernels.jit import inline, kernel

LIST_SIZE = 256
"""Length of the list: searching so many records takes a few times as long as searching one."""
MAX_CHECKED = 64
"""Listed records that are checked before the list is refilled around the current center."""
SLACK, TINY = 1e-12, 1e-300
"""Rounding allowed for in an upper bound: relative, per column, and absolute; the true error is far smaller."""


class FarthestList(NamedTuple):
    """``rows`` by squared ``distance`` to ``center``, farthest first; all before ``first`` are assigned."""

    center: FloatVector
    distance: FloatVector
    rows: IntVector
    first: IntVector


def empty_list(space: Space) -> FarthestList:
    """Return an empty list."""
    return FarthestList(
        center=np.full(space.matrix.shape[1], np.nan),
        distance=np.zeros(LIST_SIZE),
        rows=np.zeros(LIST_SIZE, dtype=np.int64),
        first=np.array([LIST_SIZE]),
    )


@kernel
def farthest_unassigned(state, point):
    """Return the unassigned record farthest from a point; ties go to the lowest row."""
    listed, largest, best_row = state.farthest_list, -1.0, NO_RECORD
    shift, checked = center_shift(state.space, listed.center, point), 0
    skip_assigned(state)
    for i in range(listed.first[0], len(listed.rows)):
        row = listed.rows[i]
        if row == NO_RECORD or distance_bound(listed.distance[i], shift, len(point)) < largest:
            return best_row
        if checked == MAX_CHECKED:
            break
        if state.labels[row] < 0:
            if shift == 0.0:
                return row
            checked += 1
            distance = squared_distance(state.space, state.space.matrix[row], point)
            if distance > largest or (distance == largest and row < best_row):
                largest, best_row = distance, row
    copy(point, listed.center)  # refill the list
    farthest(state.tree, point, listed.distance, listed.rows)
    listed.first[0] = 0
    return listed.rows[0]


@inline
def skip_assigned(state):
    """Skip the first listed records that have been assigned."""
    listed = state.farthest_list
    while listed.first[0] < len(listed.rows):
        row = listed.rows[listed.first[0]]
        if row == NO_RECORD or state.labels[row] < 0:
            break
        listed.first[0] += 1


@inline
def center_shift(space, center, point):
    """Return how far a center has moved: 0 only if not at all, infinity if a category node changed."""
    total, smallest = 0.0, 0.0
    for j in range(len(point)):
        if center[j] != point[j]:
            total += (center[j] - point[j]) ** 2 if j < space.n_numeric else np.inf
            smallest = math.sqrt(TINY)
    return max(math.sqrt(total), smallest)


@inline
def distance_bound(distance, shift, columns):
    """Return an upper bound of the squared distance to a center that has moved by ``shift``."""
    return (math.sqrt(distance) + shift) ** 2 * (1.0 + SLACK * (columns + 4)) + TINY

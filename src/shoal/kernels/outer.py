"""The outermost records: those farthest from a center, in order, kept while records leave and the center moves.

The record farthest from the center of now is sought among them. A record that is not kept was no farther from the
center of then than the last one kept, so that it is no farther from the center of now than that and the way between
the two centers together. Where that leaves a doubt, the outermost records are sought anew.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import kernel, part
from shoal.kernels.search import NOBODY, farthest
from shoal.kernels.space import copy, exact
from shoal.values import FloatVector, IntVector, Space

KEPT = 256
"""Records that are kept: their search takes a few times as long as that of a single one."""
PATIENCE = 64
"""Records that are looked at before the outermost are sought anew, around the center of now."""
SLACK, TINY = 1e-12, 1e-300
"""Rounding allowed for in an upper bound: relative, for each column, and absolute; the true error is far smaller."""


class Outer(NamedTuple):
    """``rows`` by their squared ``distance`` to a ``center``, farthest first; before ``first`` none is left."""

    center: FloatVector
    distance: FloatVector
    rows: IntVector
    first: IntVector


def nothing_kept(space: Space) -> Outer:
    """Room for the outermost records, none of which is known yet."""
    return Outer(
        center=np.full(space.matrix.shape[1], np.nan),
        distance=np.zeros(KEPT),
        rows=np.zeros(KEPT, dtype=np.int64),
        first=np.array([KEPT]),
    )


@kernel
def outermost(state, point):
    """The record left that is farthest from a point."""
    outer, best, who = state.outer, -1.0, NOBODY
    shift, looked = way(state.space, outer.center, point), 0
    skip_gone(state)
    for i in range(outer.first[0], len(outer.rows)):
        row = outer.rows[i]
        if row == NOBODY or bound(outer.distance[i], shift, len(point)) < best:
            return who
        if looked == PATIENCE:
            break
        if state.labels[row] < 0:
            if shift == 0.0:
                return row
            looked += 1
            far = exact(state.space, state.space.matrix[row], point)
            if far > best or (far == best and row < who):
                best, who = far, row
    renew(state, point)
    return outer.rows[0]


@kernel
def renew(state, point):
    """Seek the records that are farthest from a point."""
    copy(point, state.outer.center)
    farthest(state.tree, point, state.outer.distance, state.outer.rows)
    state.outer.first[0] = 0


@part
def skip_gone(state):
    """Pass over the first of the records kept, as far as they are gone."""
    outer = state.outer
    while outer.first[0] < len(outer.rows):
        row = outer.rows[outer.first[0]]
        if row == NOBODY or state.labels[row] < 0:
            break
        outer.first[0] += 1


@part
def way(space, center, point):
    """How far a center has moved: 0 only if not at all, and infinitely far where the node of a category changed."""
    total, least = 0.0, 0.0
    for j in range(len(point)):
        if center[j] != point[j]:
            total += (center[j] - point[j]) ** 2 if j < space.numbers else np.inf
            least = math.sqrt(TINY)
    return max(math.sqrt(total), least)


@part
def bound(distance, shift, columns):
    """No record is farther from a center that has moved so far than this, squared."""
    return (math.sqrt(distance) + shift) ** 2 * (1.0 + SLACK * (columns + 4)) + TINY

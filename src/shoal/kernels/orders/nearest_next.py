"""Nearest-next order: each record is followed by the nearest remaining one, and a group is finished before the next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import IntVector, Progress
from shoal.kernels.box_tree.neighbors import NO_RECORD, nearest
from shoal.kernels.distance import squared_distance
from shoal.kernels.jit import inline, kernel
from shoal.kernels.sequential.unassigned import LEFT, Unassigned, assign, enough_left, run

HERE, NEXT, STOP = range(3)
"""Fields of ``cursor``: the last record, and the range of members of its group not yet visited."""


class NearestNextState(NamedTuple):
    """The records visited so far, in ``order``; ``members`` lists the groups one after another, from ``starts`` on."""

    groups: IntVector
    members: IntVector
    starts: IntVector
    order: IntVector
    cursor: IntVector


def nearest_next(state: Unassigned, groups: IntVector, start: int, *, progress: Progress) -> IntVector:
    """All records, each followed by the nearest remaining one: of its own group first, then of all."""
    starts = np.append(0, np.cumsum(np.bincount(groups)))
    order = np.empty(len(groups), dtype=np.int64)
    visits = NearestNextState(groups, np.argsort(groups, kind="stable"), starts, order, np.array([start, 0, 0]))
    run(state, visit, visits, min_left=1, progress=progress)
    return order


@kernel
def visit(state, visits, passes):
    """Visit one record per pass; the nearest remaining record determines the next group."""
    distance, rows = np.empty(1), np.empty(1, dtype=np.int64)
    while passes > 0 and enough_left(state, 1):
        passes -= 1
        if visits.cursor[NEXT] == visits.cursor[STOP]:
            nearest(state.tree, state.space.matrix[visits.cursor[HERE]], distance, rows)
            group = visits.groups[rows[0]]
            visits.cursor[NEXT], visits.cursor[STOP] = visits.starts[group], visits.starts[group + 1]
        row = next_member(state, visits)
        visits.order[len(visits.order) - state.counts[LEFT]] = row
        visits.cursor[HERE] = row
        assign(state, row, 0)


@inline
def next_member(state, visits):
    """Remove and return the unvisited member of the group nearest to the last record."""
    current, first = state.space.matrix[visits.cursor[HERE]], visits.cursor[NEXT]
    least, row, position = np.inf, NO_RECORD, first
    for i in range(first, visits.cursor[STOP]):
        distance = squared_distance(state.space, state.space.matrix[visits.members[i]], current)
        if distance < least or (distance == least and visits.members[i] < row):
            least, row, position = distance, visits.members[i], i
    visits.members[position] = visits.members[first]
    visits.cursor[NEXT] = first + 1
    return row

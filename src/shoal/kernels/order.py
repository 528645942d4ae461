"""An order of all records: nearest point next, a group once entered being finished first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import kernel, part
from shoal.kernels.search import NOBODY, nearest
from shoal.kernels.space import exact
from shoal.kernels.unassigned import LEFT, Unassigned, carry_on, going, take
from shoal.values import IntVector, Progress

HERE, NEXT, STOP = range(3)
"""What ``place`` tells: the record to go on from, and the members of its group that are still to be visited."""


class Tour(NamedTuple):
    """The records visited so far, in order; ``members`` lists the groups one after another, from ``starts`` on."""

    groups: IntVector
    members: IntVector
    starts: IntVector
    order: IntVector
    place: IntVector


def nearest_next(state: Unassigned, groups: IntVector, start: int, *, progress: Progress) -> IntVector:
    """All records, each followed by the nearest one left: of its own group first, then of all."""
    starts = np.append(0, np.cumsum(np.bincount(groups)))
    order = np.empty(len(groups), dtype=np.int64)
    tour = Tour(groups, np.argsort(groups, kind="stable"), starts, order, np.array([start, 0, 0]))

    def step(state: Unassigned, passes: int) -> None:
        visit(state, tour, passes)

    carry_on(state, step, least=1, progress=progress)
    return order


@kernel
def visit(state, tour, passes):
    """Visit one record a pass; where no member of the group is left, the nearest record says which group is next."""
    distance, rows = np.empty(1), np.empty(1, dtype=np.int64)
    while passes > 0 and going(state, 1):
        passes -= 1
        if tour.place[NEXT] == tour.place[STOP]:
            nearest(state.tree, state.space.matrix[tour.place[HERE]], distance, rows)
            group = tour.groups[rows[0]]
            tour.place[NEXT], tour.place[STOP] = tour.starts[group], tour.starts[group + 1]
        row = next_member(state, tour)
        tour.order[len(tour.order) - state.counts[LEFT]] = row
        tour.place[HERE] = row
        take(state, row, 0)


@part
def next_member(state, tour):
    """The member of the group nearest to the record visited last; it leaves the list of those to be visited."""
    here, first = state.space.matrix[tour.place[HERE]], tour.place[NEXT]
    best, row, at = np.inf, NOBODY, first
    for i in range(first, tour.place[STOP]):
        far = exact(state.space, state.space.matrix[tour.members[i]], here)
        if far < best or (far == best and tour.members[i] < row):
            best, row, at = far, tour.members[i], i
    tour.members[at] = tour.members[first]
    tour.place[NEXT] = first + 1
    return row

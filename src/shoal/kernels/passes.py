"""Passes over the unassigned records: each one builds one group or a few."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.ahead import anticipate, nothing_ahead, room, wanting
from shoal.kernels.jit import kernel, part
from shoal.kernels.outer import outermost
from shoal.kernels.search import nearest
from shoal.kernels.space import add, copy, find_center
from shoal.kernels.unassigned import (
    GROUPS,
    LEFT,
    NONE,
    Unassigned,
    carry_on,
    centroid,
    farthest_from,
    going,
    grow,
    opposite,
    take,
)
from shoal.threads import crew, threads
from shoal.values import FloatVector, IntMatrix, IntVector, Progress

MANY = 10_000
"""Records from which on it pays to search ahead on several threads."""


def go_outward(state: Unassigned, k: int, *, turns: int, least: int, progress: Progress) -> Unassigned:
    """Groups around the outermost record, then around the one farthest from that, and so on: so many turns a pass.

    While at least ``least`` records are left. Where several threads work, they search ahead as long as many are left.
    """

    def step(state: Unassigned, passes: int) -> None:
        outward(state, k, turns, least, passes)

    if threads() > 1 and state.counts[LEFT] >= max(MANY, least):
        state = _together(state, k, turns=turns, least=max(MANY, least), progress=progress)
    return carry_on(state._replace(ahead=nothing_ahead()), step, least=least, progress=progress)


def _together(state: Unassigned, k: int, *, turns: int, least: int, progress: Progress) -> Unassigned:
    """The same on several threads."""
    with crew() as mates:

        def step(state: Unassigned, passes: int) -> None:
            anticipate(state, centroid(state), k=k, turns=turns, crew=mates)
            outward(state, k, turns, least, passes)

        state = state._replace(ahead=room(len(state.labels), k))
        return carry_on(state, step, least=least, progress=progress)


@kernel
def outward(state, k, turns, least, passes):
    """Passes as told above; none whose first seed has no lists where these are made ahead."""
    while passes > 0 and going(state, least):
        seed = outermost(state, centroid(state))
        if wanting(state, seed):
            return
        passes -= 1
        for turn in range(turns):
            if turn > 0:
                seed = opposite(state, seed)
            grow(state, seed, k, state.counts[GROUPS])


@kernel
def away_from(state, points, k, passes):
    """A group around the record farthest from each of these points in turn, while at least k records are left."""
    while passes > 0 and going(state, k):
        passes -= 1
        for point in points:
            if state.counts[LEFT] >= k:
                grow(state, farthest_from(state, point), k, state.counts[GROUPS])


@kernel
def extended(state, k, center, gamma, passes):
    """A group around the record farthest from a fixed center, then extended by records near to it."""
    while passes > 0 and going(state, k):
        passes -= 1
        members = np.empty(2 * k - 1, dtype=np.int64)
        members[0] = outermost(state, center)
        copy(grow(state, members[0], k, state.counts[GROUPS]), members[1:k])
        extend(state, members, k, gamma)


@kernel
def extend(state, members, size, gamma):
    """Extend a group of ``size`` while a record is nearer to it than gamma times to any other record left."""
    group = state.labels[members[0]]
    distance, rows = np.full(len(members), -1.0), np.full(len(members), NONE)  # NONE: to be sought; then a lower bound
    pair, pair_rows = np.empty(2), np.empty(2, dtype=np.int64)
    while size < len(members) and state.counts[LEFT] > 0:
        best = closest(distance, rows, size)
        while rows[best] == NONE:
            nearest(state.tree, state.space.matrix[members[best]], distance[best : best + 1], rows[best : best + 1])
            best = closest(distance, rows, size)
        row = rows[best]
        nearest(state.tree, state.space.matrix[row], pair, pair_rows)
        apart = pair[1] if pair_rows[0] == row else pair[0]
        if not distance[best] < gamma * gamma * apart:
            return
        for i in range(size):
            if rows[i] == row:
                rows[i] = NONE
        members[size] = row
        size += 1
        take(state, row, group)


@part
def closest(distance, rows, size):
    """The first of so many members with the least distance; of several, the one with the lowest row."""
    best = 0
    for i in range(1, size):
        if distance[i] < distance[best] or (distance[i] == distance[best] and rows[i] < rows[best]):
            best = i
    return best


class Sort(NamedTuple):
    """Records in the order of their keys; those left lie between the places ``edges`` of it.

    With ``ranks`` by record and column a key is the sum of the ranks among the records left, and ``rows`` are out of
    order once some have left; without any it stays.
    """

    rows: IntVector
    edges: IntVector
    keys: FloatVector
    ranks: IntMatrix


@kernel
def from_ends(state, sort, k, least, passes):
    """Compact groups around the first and the last record left, while at least so many are left."""
    while passes > 0 and going(state, least):
        passes -= 1
        first, last = ends(state, sort)
        group = state.counts[GROUPS]
        take(state, last, group + 1)
        compact(state, first, k, group)
        compact(state, last, k, group + 1)
        if sort.ranks.shape[1] > 0:
            for row in range(len(sort.keys)):
                if state.labels[row] >= group:
                    lower(state, sort.keys, sort.ranks, row)


@kernel
def ends(state, sort):
    """The first record left and the last one; of equal keys the lower row comes first."""
    if sort.ranks.shape[1] == 0:
        while state.labels[sort.rows[sort.edges[0]]] != NONE:
            sort.edges[0] += 1
        while state.labels[sort.rows[sort.edges[1]]] != NONE:
            sort.edges[1] -= 1
        return sort.rows[sort.edges[0]], sort.rows[sort.edges[1]]
    first, last = NONE, NONE
    for row in range(len(sort.keys)):
        if state.labels[row] == NONE:
            if first == NONE or sort.keys[row] < sort.keys[first]:
                first = row
            if last == NONE or sort.keys[row] >= sort.keys[last]:
                last = row
    return first, last


@kernel
def lower(state, keys, ranks, gone):
    """In each column, the records left that rank above one that is gone move down by one."""
    for row in range(len(keys)):
        if state.labels[row] == NONE:
            for j in range(ranks.shape[1]):
                keys[row] -= ranks[row, j] > ranks[gone, j]


@kernel
def compact(state, seed, k, group):
    """A group of a seed and k - 1 records, each the one nearest to the center so far.

    The seed may have been taken before, to keep it out of another group.
    """
    space, row = state.space, seed
    sums, center = np.zeros(len(state.sums)), np.empty(space.matrix.shape[1])
    distance, rows = np.empty(1), np.empty(1, dtype=np.int64)
    for size in range(k):
        if size > 0:
            find_center(space, sums, size, center)
            nearest(state.tree, center, distance, rows)
            row = rows[0]
        if state.labels[row] == NONE:
            take(state, row, group)
        add(space, sums, space.matrix[row], 1.0)
    state.counts[GROUPS] += 1

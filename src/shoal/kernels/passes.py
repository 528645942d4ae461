"""Passes over the unassigned records: each one builds one group or a few."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import kernel, part
from shoal.kernels.search import farthest, nearest
from shoal.kernels.unassigned import GROUPS, LEFT, NONE, centroid, going, grow, take


@kernel
def outward(state, k, turns, least, passes):
    """A group around the record farthest from the centroid, the next one around the record farthest from that.

    So many turns a pass, while at least ``least`` records are left.
    """
    while passes > 0 and going(state, least):
        passes -= 1
        point = centroid(state)
        for _ in range(turns):
            seed = farthest(state.tree, point)[0]
            grow(state, seed, k, state.counts[GROUPS])
            point = state.matrix[seed]


@kernel
def away_from(state, points, k, passes):
    """A group around the record farthest from each of these points in turn, while at least k records are left."""
    while passes > 0 and going(state, k):
        passes -= 1
        for point in points:
            if state.counts[LEFT] >= k:
                grow(state, farthest(state.tree, point)[0], k, state.counts[GROUPS])


@kernel
def extended(state, k, center, gamma, passes):
    """A group around the record farthest from a fixed center, then extended by records near to it."""
    while passes > 0 and going(state, k):
        passes -= 1
        members = np.empty(2 * k - 1, dtype=np.int64)
        members[0] = farthest(state.tree, center)[0]
        members[1:k] = grow(state, members[0], k, state.counts[GROUPS])
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
            nearest(state.tree, state.matrix[members[best]], distance[best : best + 1], rows[best : best + 1])
            best = closest(distance, rows, size)
        row = rows[best]
        nearest(state.tree, state.matrix[row], pair, pair_rows)
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


@kernel
def from_ends(state, line, ends, k, least, passes):
    """Compact groups around the first and the last record left of a line, while at least so many records are left.

    ``ends`` tells between which places of the line records may still be left.
    """
    while passes > 0 and going(state, least):
        passes -= 1
        while state.labels[line[ends[0]]] != NONE:
            ends[0] += 1
        while state.labels[line[ends[1]]] != NONE:
            ends[1] -= 1
        group = state.counts[GROUPS]
        take(state, line[ends[1]], group + 1)
        compact(state, line[ends[0]], k, group)
        compact(state, line[ends[1]], k, group + 1)


@kernel
def compact(state, seed, k, group):
    """A group of a seed and k - 1 records, each the one nearest to the centroid so far: it adds the least SSE.

    The seed may have been taken before, to keep it out of another group.
    """
    sums, row = np.zeros(state.matrix.shape[1]), seed
    distance, rows = np.empty(1), np.empty(1, dtype=np.int64)
    for size in range(k):
        if size > 0:
            nearest(state.tree, sums / size, distance, rows)
            row = rows[0]
        if state.labels[row] == NONE:
            take(state, row, group)
        for j in range(len(sums)):
            sums[j] += state.matrix[row, j]
    state.counts[GROUPS] += 1

"""Passes over the unassigned records: each pass builds one group or a few."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatVector, IntMatrix, IntVector, Progress
from shoal.kernels.box_tree.neighbors import nearest
from shoal.kernels.distance import add, copy, find_center
from shoal.kernels.jit import inline, kernel
from shoal.kernels.sequential.farthest_from_centroid import farthest_unassigned
from shoal.kernels.sequential.unassigned import (
    GROUPS,
    LEFT,
    NONE,
    Unassigned,
    assign,
    build_group,
    centroid,
    enough_left,
    run,
    search_farthest,
)


def mdav_passes(state: Unassigned, k: int, *, per_pass: int, min_left: int, progress: Progress) -> Unassigned:
    """Build groups around the record farthest from the centroid, then around the one farthest from that, and so on.

    Each pass builds ``per_pass`` groups, while at least ``min_left`` records are left.
    """
    return run(state, mdav_step, k, per_pass, min_left, min_left=min_left, progress=progress)


@kernel
def mdav_step(state, k, per_pass, min_left, passes):
    """Run some passes of `mdav_passes`."""
    while passes > 0 and enough_left(state, min_left):
        passes -= 1
        seed = farthest_unassigned(state, centroid(state))
        for number in range(per_pass):
            if number > 0:
                seed = search_farthest(state, state.space.matrix[seed])
            build_group(state, seed, k, state.counts[GROUPS])


@kernel
def point_passes(state, points, k, passes):
    """Build a group around the record farthest from each point, one after another, while k records are left."""
    while passes > 0 and enough_left(state, k):
        passes -= 1
        for point in points:
            if state.counts[LEFT] >= k:
                build_group(state, search_farthest(state, point), k, state.counts[GROUPS])


@kernel
def v_mdav_passes(state, k, center, gamma, passes):
    """Build a group around the record farthest from a fixed center, then extend it by records near to it."""
    while passes > 0 and enough_left(state, k):
        passes -= 1
        members = np.empty(2 * k - 1, dtype=np.int64)
        members[0] = farthest_unassigned(state, center)
        copy(build_group(state, members[0], k, state.counts[GROUPS]), members[1:k])
        extend_group(state, members, k, gamma)


@kernel
def extend_group(state, members, size, gamma):
    """Extend a group while a record is nearer to it than gamma times to any other record left."""
    group = state.labels[members[0]]
    # where a row is NONE, search again; the distance is then a lower bound
    distance, rows = np.full(len(members), -1.0), np.full(len(members), NONE)
    nearest_two, nearest_rows = np.empty(2), np.empty(2, dtype=np.int64)
    while size < len(members) and state.counts[LEFT] > 0:
        best = closest_member(distance, rows, size)
        while rows[best] == NONE:
            nearest(state.tree, state.space.matrix[members[best]], distance[best : best + 1], rows[best : best + 1])
            best = closest_member(distance, rows, size)
        row = rows[best]
        nearest(state.tree, state.space.matrix[row], nearest_two, nearest_rows)
        to_others = nearest_two[1] if nearest_rows[0] == row else nearest_two[0]
        if not distance[best] < gamma * gamma * to_others:
            return
        for i in range(size):
            if rows[i] == row:
                rows[i] = NONE
        members[size] = row
        size += 1
        assign(state, row, group)


@inline
def closest_member(distance, rows, size):
    """Return the member with the smallest distance; ties go to the lowest row."""
    best = 0
    for i in range(1, size):
        if distance[i] < distance[best] or (distance[i] == distance[best] and rows[i] < rows[best]):
            best = i
    return best


class SortedRecords(NamedTuple):
    """Records in the order of their keys; those left are between the positions ``edges``.

    With ``ranks``, by record and column, a key is the sum of the ranks among the records left, and ``rows`` is out of
    order after the first pass. Without ranks the order stays valid.
    """

    rows: IntVector
    edges: IntVector
    keys: FloatVector
    ranks: IntMatrix


@kernel
def sorted_passes(state, sort, k, min_left, passes):
    """Build compact groups around the first and the last record left, while ``min_left`` records are left."""
    while passes > 0 and enough_left(state, min_left):
        passes -= 1
        first, last = first_and_last(state, sort)
        group = state.counts[GROUPS]
        assign(state, last, group + 1)
        build_compact_group(state, first, k, group)
        build_compact_group(state, last, k, group + 1)
        if sort.ranks.shape[1] > 0:
            for row in range(len(sort.keys)):
                if state.labels[row] >= group:
                    lower_ranks(state, sort.keys, sort.ranks, row)


@kernel
def first_and_last(state, sort):
    """Return the first and the last record left; of equal keys the lower row comes first."""
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
def lower_ranks(state, keys, ranks, assigned):
    """Lower by one the ranks, in each column, of the records left above an assigned one."""
    for row in range(len(keys)):
        if state.labels[row] == NONE:
            for j in range(ranks.shape[1]):
                keys[row] -= ranks[row, j] > ranks[assigned, j]


@kernel
def build_compact_group(state, seed, k, group):
    """Build a group of a seed and k - 1 records, each the one nearest to the centroid so far.

    The seed may have been assigned before, to keep it out of another group.
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
            assign(state, row, group)
        add(space, sums, space.matrix[row], 1.0)
    state.counts[GROUPS] += 1

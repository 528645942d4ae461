"""The neighborhood of each unassigned record: its k nearest records, itself included, and their SSE.

A record that leaves affects only the neighborhoods that contain it, so each record has a list of them. A tournament
tree over the rows finds the densest neighborhood.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatVector, IntVector, Progress
from shoal.kernels.box_tree.neighbors import HEAP_COST, nearest
from shoal.kernels.centroids import sse
from shoal.kernels.distance import copy
from shoal.kernels.jit import SLICE, inline, kernel
from shoal.kernels.linked_lists import NONE, insert_first, unlink
from shoal.kernels.sequential.unassigned import GROUPS, Unassigned, assign, enough_left


class Neighborhoods(NamedTuple):
    """``rows`` holds the k nearest of each record, one after another: place p belongs to record p // k.

    The places that hold a record are a linked list.
    ``winner`` is a tournament tree: node 1 has the record with the lowest SSE, the last n nodes are the records.
    ``last_group`` has the records assigned last; the first ``unlinked`` of them are in no neighborhood any more.
    """

    rows: IntVector
    sse: FloatVector
    head: IntVector
    after: IntVector
    before: IntVector
    winner: IntVector
    last_group: IntVector
    unlinked: IntVector


def init(unassigned: Unassigned, k: int, *, progress: Progress) -> Neighborhoods:
    """Return the neighborhoods of all unassigned records, of which there are at least k."""
    n = len(unassigned.labels)
    state = Neighborhoods(
        rows=np.full(n * k, NONE),
        sse=np.full(n, np.inf),
        head=np.full(n, NONE),
        after=np.full(n * k, NONE),
        before=np.full(n * k, NONE),
        winner=np.concatenate([np.zeros(n, dtype=np.int64), np.arange(n)]),
        last_group=np.zeros(k, dtype=np.int64),
        unlinked=np.array([k]),
    )
    step = max(1, SLICE // (n * unassigned.space.matrix.shape[1] + HEAP_COST * k))
    for start in range(0, n, step):
        stop = min(start + step, n)
        find_all(unassigned, state, start, stop)
        progress(stop, n)
    return state


@kernel
def find_all(unassigned, state, start, stop):
    """Find the neighborhoods of these rows; assigned ones get an infinite SSE."""
    for row in range(start, stop):
        if unassigned.labels[row] == NONE:
            find_neighborhood(unassigned, state, row)
        else:
            set_sse(state, row, np.inf)


@kernel
def find_neighborhood(unassigned, state, row):
    """Find the k records nearest to a record, and add the places to their lists."""
    k = len(state.rows) // len(state.sse)
    neighbors = state.rows[row * k : (row + 1) * k]
    nearest(unassigned.tree, unassigned.space.matrix[row], np.empty(k), neighbors)
    for i in range(k):
        insert_first(state.head, state.after, state.before, neighbors[i], row * k + i)
    set_sse(state, row, sse(unassigned.space, neighbors))


@kernel
def unlink_neighborhood(state, row):
    """Remove the neighborhood of a record from the lists of its members."""
    k = len(state.rows) // len(state.sse)
    for place in range(row * k, (row + 1) * k):
        unlink(state.head, state.after, state.before, state.rows[place], place)


@inline
def set_sse(state, row, value):
    """Set the SSE of a record and update the tournament tree; ties go to the lower row."""
    state.sse[row] = value
    node = (len(state.sse) + row) // 2
    while node > 0:
        first, second = state.winner[2 * node], state.winner[2 * node + 1]
        if state.sse[second] < state.sse[first]:
            state.winner[node] = second
        elif state.sse[second] > state.sse[first]:
            state.winner[node] = first
        else:
            state.winner[node] = min(first, second)
        node //= 2


@kernel
def densest_passes(unassigned, state, k, passes):
    """Make the densest neighborhood a group, while at least k records are left.

    A pass either forms a group or recomputes the neighborhood of a record that lost a member to the last group.
    """
    while passes > 0 and enough_left(unassigned, k):
        passes -= 1
        while state.unlinked[0] < k and state.head[state.last_group[state.unlinked[0]]] == NONE:
            state.unlinked[0] += 1
        if state.unlinked[0] < k:
            row = state.head[state.last_group[state.unlinked[0]]] // k
            unlink_neighborhood(state, row)
            find_neighborhood(unassigned, state, row)
        else:
            group_densest(unassigned, state, k)


@kernel
def group_densest(unassigned, state, k):
    """Assign the densest neighborhood to a new group."""
    seed = state.winner[1]
    copy(state.rows[seed * k : (seed + 1) * k], state.last_group)
    state.unlinked[0] = 0
    for row in state.last_group:
        unlink_neighborhood(state, row)
        set_sse(state, row, np.inf)
        assign(unassigned, row, unassigned.counts[GROUPS])
    unassigned.counts[GROUPS] += 1

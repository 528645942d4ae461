"""The neighborhood of every unassigned record: its k nearest, itself among them, and their SSE.

A record that leaves changes the neighborhoods that it was in, and those only, so each record keeps a list of them.
The densest neighborhood is found by a tournament over the rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.groups import spread
from shoal.kernels.jit import SLICE, kernel, part
from shoal.kernels.search import SORTED, nearest
from shoal.kernels.space import copy
from shoal.kernels.unassigned import GROUPS, NONE, Unassigned, going, take
from shoal.values import FloatVector, IntVector, Progress

NOWHERE = -1
"""The end of a list."""


class Neighborhoods(NamedTuple):
    """``rows`` holds the k nearest of each record, one after another: place p belongs to record p // k.

    The places that hold a record are a list: the first is ``head``, the others follow by ``ahead`` and ``behind``.
    ``winner`` is a tournament: the record with the least spread stands at 1, the records themselves at the end.
    ``gone`` is the group that left last; the first ``told`` of its records are in no neighborhood any more.
    """

    rows: IntVector
    spread: FloatVector
    head: IntVector
    ahead: IntVector
    behind: IntVector
    winner: IntVector
    gone: IntVector
    told: IntVector


def survey(state: Unassigned, k: int, *, progress: Progress) -> Neighborhoods:
    """The neighborhoods of all records without a group, of which there are at least k."""
    n = len(state.labels)
    hoods = Neighborhoods(
        rows=np.full(n * k, NOWHERE),
        spread=np.full(n, np.inf),
        head=np.full(n, NOWHERE),
        ahead=np.full(n * k, NOWHERE),
        behind=np.full(n * k, NOWHERE),
        winner=np.concatenate([np.zeros(n, dtype=np.int64), np.arange(n)]),
        gone=np.zeros(k, dtype=np.int64),
        told=np.array([k]),
    )
    step = max(1, SLICE // (n * state.space.matrix.shape[1] + SORTED * k))
    for start in range(0, n, step):
        stop = min(start + step, n)
        look_around(state, hoods, start, stop)
        progress(stop, n)
    return hoods


@kernel
def look_around(state, hoods, start, stop):
    """Find the neighborhoods of these rows; those in a group play too, and lose."""
    for row in range(start, stop):
        if state.labels[row] == NONE:
            look(state, hoods, row)
        else:
            play(hoods, row, np.inf)


@kernel
def look(state, hoods, row):
    """Find the k records nearest to a record, and enter it in their lists."""
    k = len(hoods.rows) // len(hoods.spread)
    near = hoods.rows[row * k : (row + 1) * k]
    nearest(state.tree, state.space.matrix[row], np.empty(k), near)
    for i in range(k):
        place, first = row * k + i, hoods.head[near[i]]
        hoods.head[near[i]], hoods.ahead[place], hoods.behind[place] = place, first, NOWHERE
        if first != NOWHERE:
            hoods.behind[first] = place
    play(hoods, row, spread(state.space, near))


@kernel
def leave(hoods, row):
    """Strike a record from the lists of the records near to it."""
    k = len(hoods.rows) // len(hoods.spread)
    for place in range(row * k, (row + 1) * k):
        ahead, behind = hoods.ahead[place], hoods.behind[place]
        if behind == NOWHERE:
            hoods.head[hoods.rows[place]] = ahead
        else:
            hoods.ahead[behind] = ahead
        if ahead != NOWHERE:
            hoods.behind[ahead] = behind


@part
def play(hoods, row, loss):
    """Enter the spread of a record, and play its games of the tournament again; of equals the lower row wins."""
    hoods.spread[row] = loss
    node = (len(hoods.spread) + row) // 2
    while node > 0:
        first, second = hoods.winner[2 * node], hoods.winner[2 * node + 1]
        if hoods.spread[second] < hoods.spread[first]:
            hoods.winner[node] = second
        elif hoods.spread[second] > hoods.spread[first]:
            hoods.winner[node] = first
        else:
            hoods.winner[node] = min(first, second)
        node //= 2


@kernel
def densest(state, hoods, k, passes):
    """The densest neighborhood is a group, while at least k records are left.

    A pass is such a group, or a look around from a record that has lost a neighbor to the last one.
    """
    while passes > 0 and going(state, k):
        passes -= 1
        while hoods.told[0] < k and hoods.head[hoods.gone[hoods.told[0]]] == NOWHERE:
            hoods.told[0] += 1
        if hoods.told[0] < k:
            row = hoods.head[hoods.gone[hoods.told[0]]] // k
            leave(hoods, row)
            look(state, hoods, row)
        else:
            depart(state, hoods, k)


@kernel
def depart(state, hoods, k):
    """The neighborhood of the winner leaves as a group."""
    seed = hoods.winner[1]
    copy(hoods.rows[seed * k : (seed + 1) * k], hoods.gone)
    hoods.told[0] = 0
    for row in hoods.gone:
        leave(hoods, row)
        play(hoods, row, np.inf)
        take(state, row, state.counts[GROUPS])
    state.counts[GROUPS] += 1

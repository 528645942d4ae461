"""Groups of tuples of categories, their losses, and their losses after a change.

The loss of a group is the sum of squared distances of its records to its center. The center minimizes the sum of plain
distances, as in the release, and is recomputed for each evaluated group, so the search compares released losses.
Costs are stored per group: evaluating a group reads each node and each of its tuples once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.domain import FloatMatrix, FloatVector, IntMatrix, IntVector, Progress, Tuples
from shoal.kernels.jit import SLICE, inline, kernel
from shoal.kernels.linked_lists import NONE, insert_first, unlink
from shoal.kernels.tuples.tuple_distance import add, tuple_distance

MIN_SIZE, WAITING, HEAD, MOVES, VISIT, RANDOM, SPENT, LIMIT = range(8)
"""Places in ``counts``: k; number of queued tuples and head of the queue; logged moves; last visit number; last random
number; cells processed so far, and the limit above which the current change is abandoned. Work is bounded by these
counts and never by the clock, so that the groups are always the same.
"""
NEIGHBORS = 20
"""Neighbors of a tuple with k records or more, and as many with fewer."""
MIN_NEIGHBORS = 4
"""The minimum, where there are too many tuples and nodes."""
NEIGHBOR_BUDGET = 150_000_000
"""Cells for evaluating one neighbor of every tuple: a fraction of a second."""
PAIR_BUDGET = 2_000_000_000
"""Cells for finding the neighbors: a few seconds."""
CALL_BUDGET = 50_000_000
"""Cells that one kernel call processes, roughly: a fraction of a second."""
MERGE_BUDGET = 1_000_000_000
"""Cells for all mergers; after that, a group merges with the first group near it."""
TOLERANCE = 1e-10
"""Smaller changes of the loss may be rounding."""
PRIME, FACTOR = 2**31 - 1, 48271
"""Lehmer's random number generator, the same on every machine."""


class TupleGroups(NamedTuple):
    """State of the groups: ``costs``, ``sizes`` and ``loss`` of each; an empty one has size 0.

    The tuples of a group are a linked list. ``queue`` is a ring of tuples to examine, ``queued`` a mask. ``moved`` and
    ``moved_from`` log the moves so that they can be undone, and ``loss_change`` is their total effect. ``visited`` is
    the last visit of each group or tuple.
    """

    tuples: Tuples
    near: IntMatrix
    labels: IntVector
    first: IntVector
    after: IntVector
    before: IntVector
    costs: FloatMatrix
    sizes: IntVector
    loss: FloatVector
    queue: IntVector
    queued: NDArray[np.bool_]
    moved: IntVector
    moved_from: IntVector
    visited: IntVector
    loss_change: FloatVector
    center: IntVector
    counts: IntVector


def init(tuples: Tuples, near: IntMatrix, k: int, *, seed: int = 0) -> TupleGroups:
    """Return the state where every tuple is a group."""
    m, nodes = len(tuples.counts), int(tuples.widths.sum())
    counts = np.zeros(8, dtype=np.int64)
    counts[MIN_SIZE], counts[RANDOM] = k, 1 + seed % (PRIME - 1)
    state = TupleGroups(
        tuples=tuples,
        near=near,
        labels=np.arange(m),
        first=np.full(m, NONE),
        after=np.full(m, NONE),
        before=np.full(m, NONE),
        costs=np.zeros((m, nodes)),
        sizes=np.zeros(m, dtype=np.int64),
        loss=np.zeros(m),
        queue=np.zeros(m, dtype=np.int64),
        queued=np.zeros(m, dtype=np.bool_),
        moved=np.zeros(4 * m + 64, dtype=np.int64),
        moved_from=np.zeros(4 * m + 64, dtype=np.int64),
        visited=np.zeros(m, dtype=np.int64),
        loss_change=np.zeros(1),
        center=np.zeros(tuples.codes.shape[1], dtype=np.int64),
        counts=counts,
    )
    init_groups(state)
    return state


def neighbors(tuples: Tuples, k: int, *, progress: Progress) -> IntMatrix:
    """Return the neighbors of each tuple: first those with k records or more, then the others.

    Ties go to the first tuple, and missing neighbors are ``NONE``. If there are too many pairs, each tuple is compared
    with those around it in as many orders as there are columns; each column comes first in one of them.
    """
    m, q = tuples.codes.shape
    half = min(NEIGHBORS, max(MIN_NEIGHBORS, NEIGHBOR_BUDGET // (m * int(tuples.widths.sum()))))
    near, orders, reach = np.full((m, 2 * half), NONE), [np.arange(m)], m
    if m * m * q > PAIR_BUDGET:
        orders = [np.lexsort(np.roll(tuples.codes, j, axis=1).T) for j in range(q)]
        reach = max(half, PAIR_BUDGET // (2 * m * q * q))
    step = max(1, SLICE // (8 * q * min(m, 2 * reach)))
    for pass_number, order in enumerate(orders):
        for start in range(0, m, step):
            find_neighbors(tuples, tuples.counts >= k, near, order, reach, np.arange(start, min(start + step, m)))
            progress(pass_number * m + min(start + step, m), len(orders) * m)
    return near


@kernel
def find_neighbors(tuples, common, near, order, reach, places):
    """Update the nearest tuples of each kind for some positions of an order, within ``reach`` positions."""
    half = near.shape[1] // 2
    distances = np.empty(2 * half)
    for i in places:
        t = order[i]
        for place in range(2 * half):
            distance = tuple_distance(tuples, max(near[t, place], 0), tuples.codes[t])
            distances[place] = np.inf if near[t, place] == NONE else distance
        for u in order[max(0, i - reach) : i + reach + 1]:
            first = 0 if common[u] else half
            distance = tuple_distance(tuples, u, tuples.codes[t])
            if u != t and distance < distances[first + half - 1] and not is_neighbor(near, t, first, u):
                place = first + half - 1
                while place > first and distances[place - 1] > distance:
                    distances[place], near[t, place] = distances[place - 1], near[t, place - 1]
                    place -= 1
                distances[place], near[t, place] = distance, u


@inline
def is_neighbor(near, t, first, u):
    """Whether u is among the neighbors of t from position ``first`` on."""
    known = False
    for place in range(first, first + near.shape[1] // 2):
        known = known or near[t, place] == u
    return known


@kernel
def init_groups(state):
    """Add every tuple to the group of its number, and queue all."""
    for t in range(len(state.labels)):
        add_tuple(state, t, t)
        enqueue_group(state, t)


@kernel
def add_tuple(state, t, group):
    """Add a tuple at the head of a group, without updating the loss."""
    insert_first(state.first, state.after, state.before, group, t)
    state.labels[t] = group
    state.sizes[group] += state.tuples.counts[t]
    state.counts[SPENT] += state.costs.shape[1]
    add(state.tuples, state.costs[group], t, state.tuples.counts[t])


@kernel
def remove_tuple(state, t):
    """Remove a tuple from its group, without updating the loss."""
    group = state.labels[t]
    unlink(state.first, state.after, state.before, group, t)
    state.sizes[group] -= state.tuples.counts[t]
    state.counts[SPENT] += state.costs.shape[1]
    add(state.tuples, state.costs[group], t, -state.tuples.counts[t])


@inline
def pop_queue(state):
    """Remove and return the tuple that was queued first."""
    t = state.queue[state.counts[HEAD]]
    state.counts[HEAD] = (state.counts[HEAD] + 1) % len(state.queue)
    state.counts[WAITING] -= 1
    state.queued[t] = False
    return t


@kernel
def update_loss(state, group):
    loss = loss_with(state, group, NONE, NONE)
    state.loss_change[0] += loss - state.loss[group]
    state.loss[group] = loss


@kernel
def enqueue_changed(state, moves):
    """Queue all tuples whose groups were changed by the logged moves from ``moves`` on."""
    for i in range(moves, state.counts[MOVES]):
        enqueue_group(state, state.labels[state.moved[i]])
        enqueue_group(state, state.moved_from[i])


@kernel
def enqueue_group(state, group):
    t = state.first[group]
    while t != NONE:
        if not state.queued[t]:
            state.queued[t] = True
            state.queue[(state.counts[HEAD] + state.counts[WAITING]) % len(state.queue)] = t
            state.counts[WAITING] += 1
        state.counts[SPENT] += 1
        t = state.after[t]


@kernel
def move_tuple(state, t, group):
    """Move a tuple to a group and log the move."""
    state.moved[state.counts[MOVES]], state.moved_from[state.counts[MOVES]] = t, state.labels[t]
    state.counts[MOVES] += 1
    relabel_tuple(state, t, group)


@kernel
def relabel_tuple(state, t, group):
    """Move a tuple to a group without logging it, and update the losses of both groups."""
    origin = state.labels[t]
    remove_tuple(state, t)
    add_tuple(state, t, group)
    update_loss(state, origin)
    update_loss(state, group)


@kernel
def undo_moves(state, moves, loss_change):
    """Undo all moves but the first ``moves``, and restore the loss change."""
    while state.counts[MOVES] > moves:
        state.counts[MOVES] -= 1
        relabel_tuple(state, state.moved[state.counts[MOVES]], state.moved_from[state.counts[MOVES]])
    state.loss_change[0] = loss_change


@kernel
def loss_with(state, group, leaving, entering):
    """Return the loss of a group without one tuple and with another one; either may be NONE."""
    tuples, place = state.tuples, 0
    less = 0 if leaving == NONE else tuples.counts[leaving]
    more = 0 if entering == NONE else tuples.counts[entering]
    for j in range(len(tuples.widths)):
        low, best = np.inf, 0
        leaving_row = tuples.table_offsets[j] + tuples.codes[max(leaving, 0), j] * tuples.widths[j]
        entering_row = tuples.table_offsets[j] + tuples.codes[max(entering, 0), j] * tuples.widths[j]
        for node in range(tuples.widths[j]):
            cost = state.costs[group, place + node] - less * tuples.distance[leaving_row + node]
            cost += more * tuples.distance[entering_row + node]
            if cost < low:
                low, best = cost, node
        state.center[j] = best
        place += tuples.widths[j]
    state.counts[SPENT] += place
    return more * tuple_distance(tuples, max(entering, 0), state.center) ** 2 + squared_distances(state, group, leaving)


@kernel
def squared_distances(state, group, leaving):
    """Return the squared distances of the records of a group, without one tuple, to the current center."""
    total, t, members = 0.0, state.first[group], 0
    while t != NONE:
        if t != leaving:
            total += state.tuples.counts[t] * tuple_distance(state.tuples, t, state.center) ** 2
        t = state.after[t]
        members += 1
    state.counts[SPENT] += members * len(state.center)
    return total


@inline
def can_leave(state, t):
    """Whether the group of a tuple has k records or none without it."""
    left = state.sizes[state.labels[t]] - state.tuples.counts[t]
    return left >= state.counts[MIN_SIZE] or left == 0


@inline
def has_log_space(state):
    """Whether the log has space for the moves of one more step."""
    return state.counts[MOVES] + 2 <= len(state.moved)


@inline
def over_limit(state):
    return state.counts[SPENT] >= state.counts[LIMIT]


@inline
def draw(state, below):
    """Return a random number from 0 to ``below - 1``."""
    state.counts[RANDOM] = state.counts[RANDOM] * FACTOR % PRIME
    return state.counts[RANDOM] % below


def merge_small(state: TupleGroups, *, progress: Progress) -> None:
    """Merge the groups below k in rounds: lowest loss increase first, each with its best partner at that time."""
    min_size, records = state.counts[MIN_SIZE], int(state.sizes.sum())
    state.counts[LIMIT] = state.counts[SPENT] + MERGE_BUDGET
    while len(small := np.flatnonzero((state.sizes > 0) & (state.sizes < min_size))) > 0:
        prices, done = np.empty(len(small)), 0
        while done < len(small):
            done = price_mergers(state, small, prices, done, state.counts[SPENT] + CALL_BUDGET)
            progress(int(state.sizes[state.sizes >= min_size].sum()), records)
        order, done = small[np.argsort(prices, kind="stable")], 0
        while done < len(small):
            done = merge_groups(state, order, done, state.counts[SPENT] + CALL_BUDGET)
            progress(int(state.sizes[state.sizes >= min_size].sum()), records)


@kernel
def price_mergers(state, groups, prices, start, limit):
    """Write the loss increase of the best merger of each group until the cell limit; return the next group."""
    while start < len(groups) and state.counts[SPENT] < limit:
        prices[start] = best_partner(state, groups[start])[0]
        start += 1
    return start


@kernel
def merge_groups(state, groups, start, limit):
    """Merge groups still below k with their best partners until the cell limit; return the next group."""
    while start < len(groups) and state.counts[SPENT] < limit:
        group = groups[start]
        start += 1
        if 0 < state.sizes[group] < state.counts[MIN_SIZE]:
            other = best_partner(state, group)[1]
            while state.first[group] != NONE:
                t = state.first[group]
                remove_tuple(state, t)
                add_tuple(state, t, other)
            update_loss(state, group)
            update_loss(state, other)
    return start


@kernel
def best_partner(state, group):
    """Return the lowest loss increase by a merger with a nearby group, or else with any, and that group.

    Above the cell limit it is the first group.
    """
    smallest, partner = np.inf, NONE
    state.counts[VISIT] += 1
    state.visited[group] = state.counts[VISIT]
    t = state.first[group]
    while t != NONE and (partner == NONE or not over_limit(state)):
        state.counts[SPENT] += state.near.shape[1]
        for u in state.near[t]:
            if partner != NONE and over_limit(state):
                break
            if u != NONE and state.visited[state.labels[u]] != state.counts[VISIT]:
                state.visited[state.labels[u]] = state.counts[VISIT]
                increase = merger_loss(state, group, state.labels[u])
                if increase < smallest:
                    smallest, partner = increase, state.labels[u]
        t = state.after[t]
    if partner == NONE:
        for i in range(1, len(state.sizes)):
            if partner != NONE and over_limit(state):
                break
            state.counts[SPENT] += 1
            other = (group + i) % len(state.sizes)
            if state.sizes[other] > 0:
                increase = merger_loss(state, group, other)
                if increase < smallest:
                    smallest, partner = increase, other
    return smallest, partner


@kernel
def merger_loss(state, group, other):
    tuples, place = state.tuples, 0
    for j in range(len(tuples.widths)):
        low = np.inf
        for node in range(tuples.widths[j]):
            cost = state.costs[group, place + node] + state.costs[other, place + node]
            if cost < low:
                low, state.center[j] = cost, node
        place += tuples.widths[j]
    state.counts[SPENT] += 2 * place
    joint = squared_distances(state, group, NONE) + squared_distances(state, other, NONE)
    return joint - state.loss[group] - state.loss[other]

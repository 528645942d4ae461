"""Merge groups of tuples, where the loss grows least, until every group has k records."""

from __future__ import annotations

import numpy as np

from shoal.domain import Progress
from shoal.kernels.jit import kernel
from shoal.kernels.tuples.tuple_groups import (
    CALL_BUDGET,
    LIMIT,
    MIN_SIZE,
    NONE,
    SPENT,
    VISIT,
    TupleGroups,
    add_tuple,
    over_limit,
    remove_tuple,
    squared_distances,
    update_loss,
)

MERGE_BUDGET = 1_000_000_000
"""Cells for all mergers; after that, a group merges with the first group near it."""


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
    """Return by how much merging two groups increases the loss."""
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

"""Groups of combinations that merge where the loss grows least, until every group has k records."""

from __future__ import annotations

import numpy as np

from shoal.kernels.cells import CELLS, LEAST, LIMIT, LOOK, NONE, SPENT, Cells, enter, leave, measure, squares, tired
from shoal.kernels.jit import kernel
from shoal.values import Progress

MOST = 1_000_000_000
"""Cells that may be looked at in all; from then on a group merges with the first one near it."""


def merge(state: Cells, *, progress: Progress) -> None:
    """Merge in rounds: the groups below k, the one that loses least by it first, each with what is then its best."""
    least, records = state.counts[LEAST], int(state.sizes.sum())
    state.counts[LIMIT] = state.counts[SPENT] + MOST
    while len(small := np.flatnonzero((state.sizes > 0) & (state.sizes < least))) > 0:
        price, done = np.empty(len(small)), 0
        while done < len(small):
            done = weigh(state, small, price, done, state.counts[SPENT] + CELLS)
            progress(int(state.sizes[state.sizes >= least].sum()), records)
        order, done = small[np.argsort(price, kind="stable")], 0
        while done < len(small):
            done = join(state, order, done, state.counts[SPENT] + CELLS)
            progress(int(state.sizes[state.sizes >= least].sum()), records)


@kernel
def weigh(state, groups, price, start, until):
    """Write what groups lose by their best merger until so many cells are looked at; how many groups have it."""
    while start < len(groups) and state.counts[SPENT] < until:
        price[start] = partner(state, groups[start])[0]
        start += 1
    return start


@kernel
def join(state, groups, start, until):
    """Merge groups that still have fewer than k records with their best partners, until so many cells are looked at.

    How many groups are done.
    """
    while start < len(groups) and state.counts[SPENT] < until:
        group = groups[start]
        start += 1
        if 0 < state.sizes[group] < state.counts[LEAST]:
            other = partner(state, group)[1]
            while state.first[group] != NONE:
                t = state.first[group]
                leave(state, t)
                enter(state, t, other)
            measure(state, group)
            measure(state, other)
    return start


@kernel
def partner(state, group):
    """The group near this one, or else any, that together with it loses least, and the loss.

    If too many cells were looked at, the first of them.
    """
    best, who = np.inf, NONE
    state.counts[LOOK] += 1
    state.seen[group] = state.counts[LOOK]
    t = state.first[group]
    while t != NONE and (who == NONE or not tired(state)):
        state.counts[SPENT] += state.near.shape[1]
        for u in state.near[t]:
            if who != NONE and tired(state):
                break
            if u != NONE and state.seen[state.labels[u]] != state.counts[LOOK]:
                state.seen[state.labels[u]] = state.counts[LOOK]
                more = together(state, group, state.labels[u])
                if more < best:
                    best, who = more, state.labels[u]
        t = state.after[t]
    if who == NONE:
        for i in range(1, len(state.sizes)):
            if who != NONE and tired(state):
                break
            state.counts[SPENT] += 1
            other = (group + i) % len(state.sizes)
            if state.sizes[other] > 0:
                more = together(state, group, other)
                if more < best:
                    best, who = more, other
    return best, who


@kernel
def together(state, group, other):
    """How much more two groups lose together."""
    tuples, place = state.tuples, 0
    for j in range(len(tuples.widths)):
        low = np.inf
        for node in range(tuples.widths[j]):
            cost = state.costs[group, place + node] + state.costs[other, place + node]
            if cost < low:
                low, state.center[j] = cost, node
        place += tuples.widths[j]
    state.counts[SPENT] += 2 * place
    apart = squares(state, group, NONE) + squares(state, other, NONE)
    return apart - state.spread[group] - state.spread[other]

"""Groups of combinations that merge where the loss grows least, until every group has k records."""

from __future__ import annotations

import numpy as np

from shoal.kernels.cells import LEAST, LOOK, NONE, Cells, enter, leave, measure, squares
from shoal.kernels.jit import kernel
from shoal.values import IntVector, Progress

AT_ONCE = 500
"""Groups that one call of a kernel looks at."""


def merge(state: Cells, *, progress: Progress) -> None:
    """Merge in rounds: the groups below k, the one that loses least by it first, each with what is then its best."""
    least = state.counts[LEAST]
    while len(small := np.flatnonzero((state.sizes > 0) & (state.sizes < least))) > 0:
        price = np.concatenate([prices(state, some) for some in _slices(small)])
        for some in _slices(small[np.argsort(price, kind="stable")]):
            join(state, some)
            progress(int(state.sizes[state.sizes >= least].sum()), int(state.sizes.sum()))


def _slices(groups: IntVector) -> list[IntVector]:
    return np.split(groups, range(AT_ONCE, len(groups), AT_ONCE))


@kernel
def prices(state, groups):
    """What each of these groups loses by its best merger."""
    found = np.empty(len(groups))
    for i in range(len(groups)):
        found[i] = partner(state, groups[i])[0]
    return found


@kernel
def join(state, groups):
    """Merge each of these groups, if it still has fewer than k records, with its best partner."""
    for group in groups:
        if 0 < state.sizes[group] < state.counts[LEAST]:
            other = partner(state, group)[1]
            while state.first[group] != NONE:
                t = state.first[group]
                leave(state, t)
                enter(state, t, other)
            measure(state, group)
            measure(state, other)


@kernel
def partner(state, group):
    """The group near this one, or else any, that together with it loses least, and the loss."""
    best, who = np.inf, NONE
    state.counts[LOOK] += 1
    state.seen[group] = state.counts[LOOK]
    t = state.first[group]
    while t != NONE:
        for u in state.near[t]:
            if u != NONE and state.seen[state.labels[u]] != state.counts[LOOK]:
                state.seen[state.labels[u]] = state.counts[LOOK]
                more = together(state, group, state.labels[u])
                if more < best:
                    best, who = more, state.labels[u]
        t = state.after[t]
    if who == NONE:
        for other in range(len(state.sizes)):
            if other != group and state.sizes[other] > 0:
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
    apart = squares(state, group, NONE) + squares(state, other, NONE)
    return apart - state.spread[group] - state.spread[other]

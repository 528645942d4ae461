"""Pools of rare tuples, which become groups where that lowers the loss; groups take in the other tuples.

The price of a tuple is the squared loss of each of its records in the nearest group. The loss of a pool is the sum of
squared distances of its records to its center. A pool saves as long as its loss is below the prices of its records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatVector, IntVector, Progress, Tuples
from shoal.kernels.jit import SLICE, inline, kernel
from shoal.kernels.tuples.mdav_tuples import add_all_costs
from shoal.kernels.tuples.tuple_distance import add, find_center, tuple_distance, zero_costs

FREE, POOLED, SET_ASIDE = -1, -2, -3
"""Labels of tuples without a group: may enter a pool, in the pool, set aside until the end."""
LEFT, GROUPS, POOL_TUPLES, POOL_RECORDS = range(4)
"""Places in ``counts``: free records, groups so far, tuples and records of the pool."""


class TuplePools(NamedTuple):
    """State: the group of each tuple, its price and its ``nearest`` group; the pool, its costs and its center.

    Until there is a group, prices are those of one group of all records, and ``nearest`` is FREE.
    """

    tuples: Tuples
    labels: IntVector
    price: FloatVector
    nearest: IntVector
    pool: IntVector
    costs: FloatVector
    center: IntVector
    counts: IntVector


def init(tuples: Tuples) -> TuplePools:
    """Return the state without groups."""
    m, q = tuples.codes.shape
    state = TuplePools(
        tuples=tuples,
        labels=np.full(m, FREE),
        price=np.zeros(m),
        nearest=np.full(m, FREE),
        pool=np.zeros(m, dtype=np.int64),
        costs=zero_costs(tuples),
        center=np.zeros(q, dtype=np.int64),
        counts=np.array([tuples.counts.sum(), 0, 0, 0]),
    )
    set_first_prices(state)
    return state


def run(state: TuplePools, k: int, *, progress: Progress) -> IntVector:
    """Group the frequent tuples, then pool the rare ones; return the group of each tuple."""
    n, steps = int(state.tuples.counts.sum()), max(1, SLICE // 8 // (state.tuples.codes.size + 2 * len(state.costs)))
    frequent = np.flatnonzero(state.tuples.counts >= k)
    for start in range(0, len(frequent), steps):
        group_frequent(state, frequent[start : start + steps])
        progress(n - int(state.counts[LEFT]), n)
    while state.counts[POOL_TUPLES] > 0 or state.counts[LEFT] >= k:
        grow_pools(state, k, steps)
        progress(n - int(state.counts[LEFT]), n)
    return np.where(state.labels < 0, state.nearest, state.labels)


@inline
def squared_loss(state, t):
    """Return the squared loss of each record of a tuple at the center of the pool."""
    distance = tuple_distance(state.tuples, t, state.center)
    return distance * distance


@kernel
def set_first_prices(state):
    """Set the prices as if all records were one group."""
    add_all_costs(state.tuples, state.costs)
    find_center(state.tuples, state.costs, state.center)
    for t in range(len(state.price)):
        state.price[t] = squared_loss(state, t)
    state.costs[:] = 0.0


@kernel
def group_frequent(state, frequent):
    """Make each of these tuples a group."""
    for t in frequent:
        add_to_pool(state, t)
        close_pool(state)


@kernel
def grow_pools(state, k, steps):
    """Add up to ``steps`` tuples to one pool after another, until fewer than k records are free."""
    for _ in range(steps):
        if state.counts[POOL_TUPLES] > 0:
            add_to_pool(state, cheapest_addition(state, k - state.counts[POOL_RECORDS]))
        elif state.counts[LEFT] >= k:
            add_to_pool(state, most_expensive(state))
        else:
            return
        if state.counts[GROUPS] > 0 and not pool_saves(state):
            abandon_pool(state)
        elif state.counts[POOL_RECORDS] >= k:
            close_pool(state)


@kernel
def most_expensive(state):
    """Return the free tuple with the highest price for all its records; ties go to the first."""
    largest, dearest = -1.0, FREE
    for t in range(len(state.labels)):
        if state.labels[t] == FREE and state.tuples.counts[t] * state.price[t] > largest:
            largest, dearest = state.tuples.counts[t] * state.price[t], t
    return dearest


@kernel
def cheapest_addition(state, missing):
    """Return the free tuple with the lowest loss in the pool per record it adds; ties go to the first.

    Only the missing records count as added.
    """
    smallest, cheapest = np.inf, FREE
    for t in range(len(state.labels)):
        if state.labels[t] == FREE:
            loss = squared_loss(state, t)
            if state.tuples.counts[t] > missing:
                loss *= state.tuples.counts[t] / missing
            if loss < smallest:
                smallest, cheapest = loss, t
    return cheapest


@kernel
def add_to_pool(state, t):
    """Add a tuple to the pool and update its center."""
    state.labels[t] = POOLED
    state.pool[state.counts[POOL_TUPLES]] = t
    state.counts[POOL_TUPLES] += 1
    state.counts[POOL_RECORDS] += state.tuples.counts[t]
    add(state.tuples, state.costs, t, state.tuples.counts[t])
    find_center(state.tuples, state.costs, state.center)


@inline
def pool_saves(state):
    """Whether the loss of the pool is below the prices of its records."""
    loss, price = 0.0, 0.0
    for t in state.pool[: state.counts[POOL_TUPLES]]:
        loss += state.tuples.counts[t] * squared_loss(state, t)
        price += state.tuples.counts[t] * state.price[t]
    return loss < price


@inline
def abandon_pool(state):
    """Set the first tuple of the pool aside and free the others."""
    for t in state.pool[: state.counts[POOL_TUPLES]]:
        state.labels[t] = FREE
    state.labels[state.pool[0]] = SET_ASIDE
    state.counts[LEFT] -= state.tuples.counts[state.pool[0]]
    clear_pool(state)


@kernel
def close_pool(state):
    """Make the pool a group and lower the prices of the tuples to which it is nearest."""
    for t in state.pool[: state.counts[POOL_TUPLES]]:
        state.labels[t] = state.counts[GROUPS]
    for t in range(len(state.labels)):
        loss = squared_loss(state, t)
        if loss < state.price[t] or state.nearest[t] == FREE:
            state.price[t], state.nearest[t] = loss, state.counts[GROUPS]
    state.counts[LEFT] -= state.counts[POOL_RECORDS]
    state.counts[GROUPS] += 1
    clear_pool(state)


@inline
def clear_pool(state):
    state.costs[:] = 0.0
    state.counts[POOL_TUPLES], state.counts[POOL_RECORDS] = 0, 0

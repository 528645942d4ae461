"""Pools of rare combinations of categories that stand where they save, and groups that take in the others.

The price of a combination is what each of its records loses, squared, in the nearest group that stands. A pool loses
the squared distances of its records to its center. It saves as long as that is less than the prices of its records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.gather import add_all
from shoal.kernels.jit import SLICE, kernel, part
from shoal.kernels.meaning import add, apart, find_center, no_costs
from shoal.values import FloatVector, IntVector, Progress, Tuples

FREE, POOLED, ASIDE = -1, -2, -3
"""Labels of combinations without a group: may enter a pool, in the pool, waiting for the end."""
LEFT, GROUPS, MEMBERS, SIZE = range(4)
"""What ``counts`` counts: free records, groups so far; combinations and records of the pool."""


class Prices(NamedTuple):
    """The state: for each combination its group, its price and the group ``near`` it; the pool, its costs and center.

    Until a group stands, prices are those of one group of all records, and ``near`` is FREE.
    """

    tuples: Tuples
    labels: IntVector
    price: FloatVector
    near: IntVector
    pool: IntVector
    costs: FloatVector
    center: IntVector
    counts: IntVector


def begin(tuples: Tuples) -> Prices:
    """No group stands."""
    m, q = tuples.codes.shape
    state = Prices(
        tuples=tuples,
        labels=np.full(m, FREE),
        price=np.zeros(m),
        near=np.full(m, FREE),
        pool=np.zeros(m, dtype=np.int64),
        costs=no_costs(tuples),
        center=np.zeros(q, dtype=np.int64),
        counts=np.array([tuples.counts.sum(), 0, 0, 0]),
    )
    price_as_one_group(state)
    return state


def carry_on(state: Prices, k: int, *, progress: Progress) -> IntVector:
    """Settle the frequent combinations, then pool the rare ones; the group of each combination."""
    n, steps = int(state.tuples.counts.sum()), max(1, SLICE // 8 // (state.tuples.codes.size + 2 * len(state.costs)))
    frequent = np.flatnonzero(state.tuples.counts >= k)
    for start in range(0, len(frequent), steps):
        settle(state, frequent[start : start + steps])
        progress(n - int(state.counts[LEFT]), n)
    while state.counts[MEMBERS] > 0 or state.counts[LEFT] >= k:
        save(state, k, steps)
        progress(n - int(state.counts[LEFT]), n)
    return np.where(state.labels < 0, state.near, state.labels)


@part
def lost(state, t):
    """What each record of a combination loses at the center of the pool."""
    distance = apart(state.tuples, t, state.center)
    return distance * distance


@kernel
def price_as_one_group(state):
    """Prices where all records are one group."""
    add_all(state.tuples, state.costs)
    find_center(state.tuples, state.costs, state.center)
    for t in range(len(state.price)):
        state.price[t] = lost(state, t)
    state.costs[:] = 0.0


@kernel
def settle(state, frequent):
    """Each of these combinations is a group by itself."""
    for t in frequent:
        enter(state, t)
        stand(state)


@kernel
def save(state, k, steps):
    """Let so many combinations enter a pool, one pool after another, or fewer where fewer than k records are free."""
    for _ in range(steps):
        if state.counts[MEMBERS] > 0:
            enter(state, closest(state, k - state.counts[SIZE]))
        elif state.counts[LEFT] >= k:
            enter(state, dearest(state))
        else:
            return
        if state.counts[GROUPS] > 0 and not saves(state):
            give_up(state)
        elif state.counts[SIZE] >= k:
            stand(state)


@kernel
def dearest(state):
    """The free combination with the highest price for all of its records; of several, the first."""
    best, who = -1.0, FREE
    for t in range(len(state.labels)):
        if state.labels[t] == FREE and state.tuples.counts[t] * state.price[t] > best:
            best, who = state.tuples.counts[t] * state.price[t], t
    return who


@kernel
def closest(state, missing):
    """The free combination that loses least in the pool for each record the pool gains; of several, the first.

    Records beyond those that are missing are no gain.
    """
    best, who = np.inf, FREE
    for t in range(len(state.labels)):
        if state.labels[t] == FREE:
            loss = lost(state, t)
            if state.tuples.counts[t] > missing:
                loss *= state.tuples.counts[t] / missing
            if loss < best:
                best, who = loss, t
    return who


@kernel
def enter(state, t):
    """A combination enters the pool; the center moves."""
    state.labels[t] = POOLED
    state.pool[state.counts[MEMBERS]] = t
    state.counts[MEMBERS] += 1
    state.counts[SIZE] += state.tuples.counts[t]
    add(state.tuples, state.costs, t, state.tuples.counts[t])
    find_center(state.tuples, state.costs, state.center)


@part
def saves(state):
    """Whether the pool loses less than its records would in the groups near them."""
    loss, price = 0.0, 0.0
    for t in state.pool[: state.counts[MEMBERS]]:
        loss += state.tuples.counts[t] * lost(state, t)
        price += state.tuples.counts[t] * state.price[t]
    return loss < price


@part
def give_up(state):
    """The seed of the pool is put aside, the others are free again."""
    for t in state.pool[: state.counts[MEMBERS]]:
        state.labels[t] = FREE
    state.labels[state.pool[0]] = ASIDE
    state.counts[LEFT] -= state.tuples.counts[state.pool[0]]
    empty(state)


@kernel
def stand(state):
    """The pool is a group; prices fall where it is the nearest."""
    for t in state.pool[: state.counts[MEMBERS]]:
        state.labels[t] = state.counts[GROUPS]
    for t in range(len(state.labels)):
        loss = lost(state, t)
        if loss < state.price[t] or state.near[t] == FREE:
            state.price[t], state.near[t] = loss, state.counts[GROUPS]
    state.counts[LEFT] -= state.counts[SIZE]
    state.counts[GROUPS] += 1
    empty(state)


@part
def empty(state):
    """No combination is in the pool."""
    state.costs[:] = 0.0
    state.counts[MEMBERS], state.counts[SIZE] = 0, 0

"""Cells: groups of whole combinations of categories, what they lose, and what they would lose after a change.

The loss of a group is the sum over its records of the squared distance to its center, and the center is where the sum
of the distances themselves is least: it is found anew for every group that is looked at, so that what is compared here
is what the release will lose. Costs are kept for each group, so to look at a group is to look once at every node and
at every combination in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import SLICE, kernel, part
from shoal.kernels.meaning import add, apart
from shoal.values import FloatMatrix, FloatVector, IntMatrix, IntVector, Progress, Tuples

NONE = -1
LEAST, WAITING, TURN, MOVES, LOOK, CHANCE, SPENT, LIMIT = range(8)
"""What ``counts`` holds: k; how many wait, and where the line of them begins; how many moves are written down; the
number of looks around so far; the last random number; the cells looked at so far, and how many may be before what is
under way is given up. Work is bounded by these counts and never by the clock, so that the groups are always the same.
"""
NEAR = 20
"""Neighbors of a combination that have k records, and so many that have not."""
FEW = 4
"""As many, at least, where there are too many combinations and nodes for all of them."""
WEIGHED = 150_000_000
"""Cells that all combinations may look at to weigh one neighbor of each: a fraction of a second."""
PAIRS = 2_000_000_000
"""Cells that may be looked at to find the neighbors: a few seconds."""
CELLS = 50_000_000
"""Cells that one call of a kernel looks at, roughly: a fraction of a second."""
STEADY = 1e-10
"""A change below this is no change: rounding alone could make it."""
PRIME, FACTOR = 2**31 - 1, 48271
"""Lehmer's random numbers, the same on every machine."""


class Cells(NamedTuple):
    """The groups: ``costs``, ``sizes`` and ``spread`` (SSE) of each; one without records has size 0.

    The combinations of a group are a list: ``first``, then each one's ``after``, and ``before`` on the way back.
    ``line`` holds those that wait to be looked at; ``moved`` and ``origin`` what was moved and from where, so that it
    can be undone; ``change`` by how much the loss has changed; ``seen`` the look at which a group, or a combination,
    was last met.
    """

    tuples: Tuples
    near: IntMatrix
    labels: IntVector
    first: IntVector
    after: IntVector
    before: IntVector
    costs: FloatMatrix
    sizes: IntVector
    spread: FloatVector
    line: IntVector
    waiting: NDArray[np.bool_]
    moved: IntVector
    origin: IntVector
    seen: IntVector
    change: FloatVector
    center: IntVector
    counts: IntVector


def stand(tuples: Tuples, near: IntMatrix, k: int, *, seed: int = 0) -> Cells:
    """Every combination a group by itself."""
    m, nodes = len(tuples.counts), int(tuples.widths.sum())
    counts = np.zeros(8, dtype=np.int64)
    counts[LEAST], counts[CHANCE] = k, 1 + seed % (PRIME - 1)
    state = Cells(
        tuples=tuples,
        near=near,
        labels=np.arange(m),
        first=np.full(m, NONE),
        after=np.full(m, NONE),
        before=np.full(m, NONE),
        costs=np.zeros((m, nodes)),
        sizes=np.zeros(m, dtype=np.int64),
        spread=np.zeros(m),
        line=np.zeros(m, dtype=np.int64),
        waiting=np.zeros(m, dtype=np.bool_),
        moved=np.zeros(4 * m + 64, dtype=np.int64),
        origin=np.zeros(4 * m + 64, dtype=np.int64),
        seen=np.zeros(m, dtype=np.int64),
        change=np.zeros(1),
        center=np.zeros(tuples.codes.shape[1], dtype=np.int64),
        counts=counts,
    )
    line_up(state)
    return state


def neighbors(tuples: Tuples, k: int, *, progress: Progress) -> IntMatrix:
    """For each combination those nearest to it: of those with k records, then of those with fewer; of ties the first.

    Where there are not so many, the rest are ``NONE``. If all pairs are too many, each is compared with those around
    it in as many orders as there are columns, each of which comes first in one of them.
    """
    m, q = tuples.codes.shape
    half = min(NEAR, max(FEW, WEIGHED // (m * int(tuples.widths.sum()))))
    near, orders, reach = np.full((m, 2 * half), NONE), [np.arange(m)], m
    if m * m * q > PAIRS:
        orders = [np.lexsort(np.roll(tuples.codes, j, axis=1).T) for j in range(q)]
        reach = max(half, PAIRS // (2 * m * q * q))
    step = max(1, SLICE // (8 * q * min(m, 2 * reach)))
    for turn, order in enumerate(orders):
        for start in range(0, m, step):
            find_near(tuples, tuples.counts >= k, near, order, reach, np.arange(start, min(start + step, m)))
            progress(turn * m + min(start + step, m), len(orders) * m)
    return near


@kernel
def find_near(tuples, common, near, order, reach, places):
    """Write the nearest of the common combinations and of the others, among those so near in the order, for some."""
    half = near.shape[1] // 2
    distance = np.empty(2 * half)
    for i in places:
        t = order[i]
        for place in range(2 * half):
            far = apart(tuples, max(near[t, place], 0), tuples.codes[t])
            distance[place] = np.inf if near[t, place] == NONE else far
        for u in order[max(0, i - reach) : i + reach + 1]:
            first = 0 if common[u] else half
            far = apart(tuples, u, tuples.codes[t])
            if u != t and far < distance[first + half - 1] and not known(near, t, first, u):
                place = first + half - 1
                while place > first and distance[place - 1] > far:
                    distance[place], near[t, place] = distance[place - 1], near[t, place - 1]
                    place -= 1
                distance[place], near[t, place] = far, u


@part
def known(near, t, first, u):
    """Whether a combination is among the neighbors of another one already."""
    found = False
    for place in range(first, first + near.shape[1] // 2):
        found = found or near[t, place] == u
    return found


@kernel
def line_up(state):
    """Enter every combination into the group of its number, and have all of them wait."""
    for t in range(len(state.labels)):
        enter(state, t, t)
        wait_all(state, t)


@kernel
def enter(state, t, group):
    """Put a combination at the head of a group; its loss is not yet known."""
    head = state.first[group]
    if head != NONE:
        state.before[head] = t
    state.first[group], state.after[t], state.before[t], state.labels[t] = t, head, NONE, group
    state.sizes[group] += state.tuples.counts[t]
    state.counts[SPENT] += state.costs.shape[1]
    add(state.tuples, state.costs[group], t, state.tuples.counts[t])


@kernel
def leave(state, t):
    """Take a combination out of its group; the loss that it leaves is not yet known."""
    group, ahead, behind = state.labels[t], state.before[t], state.after[t]
    if ahead == NONE:
        state.first[group] = behind
    else:
        state.after[ahead] = behind
    if behind != NONE:
        state.before[behind] = ahead
    state.sizes[group] -= state.tuples.counts[t]
    state.counts[SPENT] += state.costs.shape[1]
    add(state.tuples, state.costs[group], t, -state.tuples.counts[t])


@part
def next_in_line(state):
    """The combination that has waited longest."""
    t = state.line[state.counts[TURN]]
    state.counts[TURN] = (state.counts[TURN] + 1) % len(state.line)
    state.counts[WAITING] -= 1
    state.waiting[t] = False
    return t


@kernel
def measure(state, group):
    """Find the loss of a group anew."""
    fresh = spread_with(state, group, NONE, NONE)
    state.change[0] += fresh - state.spread[group]
    state.spread[group] = fresh


@kernel
def stir(state, moves):
    """Have all combinations wait whose groups were changed by any but the first so many moves."""
    for i in range(moves, state.counts[MOVES]):
        wait_all(state, state.labels[state.moved[i]])
        wait_all(state, state.origin[i])


@kernel
def wait_all(state, group):
    """Have all combinations of a group wait."""
    t = state.first[group]
    while t != NONE:
        if not state.waiting[t]:
            state.waiting[t] = True
            state.line[(state.counts[TURN] + state.counts[WAITING]) % len(state.line)] = t
            state.counts[WAITING] += 1
        state.counts[SPENT] += 1
        t = state.after[t]


@kernel
def move(state, t, group):
    """Move a combination to a group and write it down."""
    old = state.labels[t]
    state.moved[state.counts[MOVES]], state.origin[state.counts[MOVES]] = t, old
    state.counts[MOVES] += 1
    leave(state, t)
    enter(state, t, group)
    measure(state, old)
    measure(state, group)


@kernel
def undo(state, moves, change):
    """Take back all moves but the first so many, and what they changed."""
    while state.counts[MOVES] > moves:
        state.counts[MOVES] -= 1
        t, old = state.moved[state.counts[MOVES]], state.origin[state.counts[MOVES]]
        group = state.labels[t]
        leave(state, t)
        enter(state, t, old)
        measure(state, old)
        measure(state, group)
    state.change[0] = change


@kernel
def spread_with(state, group, going, coming):
    """The loss of a group without one combination and with another one; either may be none."""
    tuples, place = state.tuples, 0
    less = 0 if going == NONE else tuples.counts[going]
    more = 0 if coming == NONE else tuples.counts[coming]
    for j in range(len(tuples.widths)):
        low, best = np.inf, 0
        out = tuples.starts[j] + tuples.codes[max(going, 0), j] * tuples.widths[j]
        into = tuples.starts[j] + tuples.codes[max(coming, 0), j] * tuples.widths[j]
        for node in range(tuples.widths[j]):
            cost = state.costs[group, place + node] - less * tuples.distance[out + node]
            cost += more * tuples.distance[into + node]
            if cost < low:
                low, best = cost, node
        state.center[j] = best
        place += tuples.widths[j]
    state.counts[SPENT] += place
    return more * apart(tuples, max(coming, 0), state.center) ** 2 + squares(state, group, going)


@kernel
def squares(state, group, going):
    """The squared distances of the records of a group, without one combination, to the center that was found."""
    total, t, members = 0.0, state.first[group], 0
    while t != NONE:
        if t != going:
            total += state.tuples.counts[t] * apart(state.tuples, t, state.center) ** 2
        t = state.after[t]
        members += 1
    state.counts[SPENT] += members * len(state.center)
    return total


@part
def spared(state, t):
    """Whether the group of a combination can do without it: it is left with k records, or with none."""
    left = state.sizes[state.labels[t]] - state.tuples.counts[t]
    return left >= state.counts[LEAST] or left == 0


@part
def room(state):
    """Whether the moves of one more step can be written down."""
    return state.counts[MOVES] + 2 <= len(state.moved)


@part
def tired(state):
    """Whether so many cells were looked at that what is under way is given up."""
    return state.counts[SPENT] >= state.counts[LIMIT]


@part
def draw(state, below):
    """A random number from 0 up to, not including, ``below``."""
    state.counts[CHANCE] = state.counts[CHANCE] * FACTOR % PRIME
    return state.counts[CHANCE] % below

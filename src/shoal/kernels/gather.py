"""Groups that are gathered from combinations of categories one after another, from the outside in.

A group may take some of the records of a combination and leave the rest. What it takes is a portion: so many records
of a combination, for one group or for several that they fill. The work grows with combinations, not with records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import SLICE, kernel, part
from shoal.kernels.meaning import add, apart, find_center, no_costs
from shoal.kernels.space import copy
from shoal.values import FloatVector, IntMatrix, IntVector, Progress, Records, Tuples

NONE = -1
LEFT, OPEN, SEED, BEFORE, GROUPS, BUILT, PORTIONS = range(7)
"""What ``counts`` counts: records left, records of the open group; the seed of the open group and the one before that
it was sought from, or NONE; groups, centers and portions so far."""


class Gathering(NamedTuple):
    """The state of a partition in the making: the combinations left and the group that is open, if one is.

    ``costs`` are those of the records left, ``own`` and ``center`` belong to the open group. A row of ``portions`` is
    a combination, the first of its groups, its records, and how many of them each group gets. ``centers`` has a row
    for each group that was closed, or for several of equal records; ``first`` is the first of these.
    """

    tuples: Tuples
    weights: IntVector
    left: IntVector
    costs: FloatVector
    own: FloatVector
    center: IntVector
    portions: IntMatrix
    centers: IntMatrix
    first: IntVector
    counts: IntVector


def begin(tuples: Tuples, weights: IntVector) -> Gathering:
    """All records are left; the distances of a combination count by its weight."""
    m, q = tuples.codes.shape
    state = Gathering(
        tuples=tuples,
        weights=weights,
        left=tuples.counts.copy(),
        costs=no_costs(tuples),
        own=no_costs(tuples),
        center=np.zeros(q, dtype=np.int64),
        # a portion uses up a combination or fills a group; a group uses up its seed or leaves less than k of it
        portions=np.zeros((3 * m + 2, 4), dtype=np.int64),
        centers=np.zeros((2 * m + 1, q), dtype=np.int64),
        first=np.zeros(2 * m + 1, dtype=np.int64),
        counts=np.array([tuples.counts.sum(), 0, NONE, NONE, 0, 0, 0]),
    )
    add_all(tuples, state.costs)
    return state


def carry_on(state: Gathering, k: int, *, most: int, least: int, moving: bool, progress: Progress) -> None:
    """Make groups of k to ``most`` records until fewer than ``least`` are left; with a moving center or one at rest."""
    n, steps = int(state.tuples.counts.sum()), max(1, SLICE // 4 // (state.tuples.codes.size + 3 * len(state.costs)))
    while state.counts[OPEN] > 0 or state.counts[LEFT] >= least:
        outward(state, k, most, least, moving, steps)
        progress(n - int(state.counts[LEFT]), n)


def expand(state: Gathering, records: Records) -> IntVector:
    """The group of each record: those of a combination go to its portions in the order of their rows."""
    portions = state.portions[: state.counts[PORTIONS]]
    _, group, size, each = portions[np.argsort(portions[:, 0], kind="stable")].T
    place = np.arange(records.count) - np.repeat(np.cumsum(size) - size, size)
    labels = np.empty(records.count, dtype=np.int64)
    labels[np.argsort(records.tuple_of, kind="stable")] = np.repeat(group, size) + place // np.repeat(each, size)
    return labels


@kernel
def add_all(tuples, costs):
    """The costs of all records."""
    for t in range(len(tuples.counts)):
        add(tuples, costs, t, tuples.counts[t])


@kernel
def outward(state, k, most, least, moving, steps):
    """Take so many portions, or fewer where fewer than ``least`` records are left between two groups."""
    for _ in range(steps):
        if state.counts[OPEN] > 0:
            t = closest(state)
            take(state, t, min(state.left[t], most - state.counts[OPEN]), most)
        elif state.counts[LEFT] >= least:
            open_group(state, most, (state.counts[LEFT] - least) // k + 1)
        else:
            return
        if moving:
            find_center(state.tuples, state.own, state.center)
        if state.counts[OPEN] >= k:
            close(state, most)


@part
def open_group(state, most, groups):
    """A seed far from the middle, or from the seed before it; if its records fill groups, at most so many of them."""
    if state.counts[BEFORE] == NONE:
        find_center(state.tuples, state.costs, state.center)
        seed = farthest(state, state.center)
    else:
        seed = farthest(state, state.tuples.codes[state.counts[BEFORE]])
    state.counts[SEED] = seed
    copy(state.tuples.codes[seed], state.center)
    full = min(state.left[seed] // most, groups)
    take(state, seed, full * most if full > 0 else state.left[seed], most)


@kernel
def farthest(state, center):
    """The combination left that is farthest from a center by weighted distance; of several, the first."""
    best, who = -1.0, NONE
    for t in range(len(state.left)):
        if state.left[t] > 0:
            distance = apart(state.tuples, t, center) * state.weights[t]
            if distance > best:
                best, who = distance, t
    return who


@kernel
def closest(state):
    """The combination left that is closest to the open group by weighted distance; of several, the first."""
    best, who = np.inf, NONE
    for t in range(len(state.left)):
        if state.left[t] > 0:
            distance = apart(state.tuples, t, state.center) * state.weights[t]
            if distance < best:
                best, who = distance, t
    return who


@kernel
def take(state, t, records, each):
    """Move records of a combination to the open group, or as many for each of several groups."""
    portion = state.portions[state.counts[PORTIONS]]
    portion[0], portion[1], portion[2], portion[3] = t, state.counts[GROUPS], records, each
    state.counts[PORTIONS] += 1
    state.counts[OPEN] += records
    state.counts[LEFT] -= records
    state.left[t] -= records
    add(state.tuples, state.own, t, records)
    add(state.tuples, state.costs, t, -records)


@part
def close(state, most):
    """The open group is finished, or the several that the records of its seed filled."""
    find_center(state.tuples, state.own, state.center)
    copy(state.center, state.centers[state.counts[BUILT]])
    state.first[state.counts[BUILT]] = state.counts[GROUPS]
    state.own[:] = 0.0
    state.counts[BEFORE] = state.counts[SEED] if state.counts[BEFORE] == NONE else NONE
    state.counts[GROUPS] += max(1, state.counts[OPEN] // most)
    state.counts[BUILT] += 1
    state.counts[OPEN] = 0


@kernel
def one_group(state):
    """The records left, if any, are a group."""
    for t in range(len(state.left)):
        if state.left[t] > 0:
            take(state, t, state.left[t], state.left[t])


@kernel
def nearest_groups(state):
    """The records left of each combination join the group with the nearest center; the centers stay as they were."""
    for t in range(len(state.left)):
        if state.left[t] > 0:
            best, who = np.inf, NONE
            for built in range(state.counts[BUILT]):
                distance = apart(state.tuples, t, state.centers[built])
                if distance < best:
                    best, who = distance, built
            take(state, t, state.left[t], state.left[t])
            state.portions[state.counts[PORTIONS] - 1, 1] = state.first[who]

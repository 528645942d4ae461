"""MDAV on tuples of categories: groups are formed one after another, starting with the tuples far from the center.

A group may take some of the records of a tuple and leave the rest. A portion is what it takes: a number of records of
one tuple, for one group or for several that they fill. The work grows with tuples, not with records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatVector, IntMatrix, IntVector, Progress, Records, Tuples
from shoal.kernels.distance import copy
from shoal.kernels.jit import SLICE, inline, kernel
from shoal.kernels.tuples.tuple_distance import add, find_center, tuple_distance, zero_costs

NONE = -1
LEFT, OPEN, SEED, PREVIOUS, GROUPS, CENTERS, PORTIONS = range(7)
"""Places in ``counts``: records left, records of the open group; seed of the open group, and the previous seed that
it was searched from, or NONE; groups, centers and portions so far.
"""


class TupleMdav(NamedTuple):
    """State of a partition in the making: the records left of each tuple, and the open group, if any.

    ``costs`` are those of the records left; ``group_costs`` and ``center`` belong to the open group. A row of
    ``portions`` is a tuple, the first of its groups, its records, and how many of them each group gets. ``centers`` has
    a row for each closed group, or for several of equal records, of which ``first_group`` is the first.
    """

    tuples: Tuples
    weights: IntVector
    left: IntVector
    costs: FloatVector
    group_costs: FloatVector
    center: IntVector
    portions: IntMatrix
    centers: IntMatrix
    first_group: IntVector
    counts: IntVector


def init(tuples: Tuples, weights: IntVector) -> TupleMdav:
    """Return the state where all records are left; the distances of a tuple count by its weight."""
    m, q = tuples.codes.shape
    state = TupleMdav(
        tuples=tuples,
        weights=weights,
        left=tuples.counts.copy(),
        costs=zero_costs(tuples),
        group_costs=zero_costs(tuples),
        center=np.zeros(q, dtype=np.int64),
        # a portion uses up a tuple or fills a group; a group uses up its seed or leaves less than k of it
        portions=np.zeros((3 * m + 2, 4), dtype=np.int64),
        centers=np.zeros((2 * m + 1, q), dtype=np.int64),
        first_group=np.zeros(2 * m + 1, dtype=np.int64),
        counts=np.array([tuples.counts.sum(), 0, NONE, NONE, 0, 0, 0]),
    )
    add_all_costs(tuples, state.costs)
    return state


def run(state: TupleMdav, k: int, *, max_size: int, min_left: int, moving: bool, progress: Progress) -> None:
    """Form groups of k to ``max_size`` records until fewer than ``min_left`` are left; the center moves or is fixed."""
    n, steps = int(state.tuples.counts.sum()), max(1, SLICE // 4 // (state.tuples.codes.size + 3 * len(state.costs)))
    while state.counts[OPEN] > 0 or state.counts[LEFT] >= min_left:
        take_portions(state, k, max_size, min_left, moving, steps)
        progress(n - int(state.counts[LEFT]), n)


def record_labels(state: TupleMdav, records: Records) -> IntVector:
    """Return the group of each record; the records of a tuple go to its portions in row order."""
    portions = state.portions[: state.counts[PORTIONS]]
    _, group, size, each = portions[np.argsort(portions[:, 0], kind="stable")].T
    place = np.arange(records.count) - np.repeat(np.cumsum(size) - size, size)
    labels = np.empty(records.count, dtype=np.int64)
    labels[np.argsort(records.tuple_index, kind="stable")] = np.repeat(group, size) + place // np.repeat(each, size)
    return labels


@kernel
def add_all_costs(tuples, costs):
    for t in range(len(tuples.counts)):
        add(tuples, costs, t, tuples.counts[t])


@kernel
def take_portions(state, k, max_size, min_left, moving, steps):
    """Take ``steps`` portions, or fewer where fewer than ``min_left`` records are left between two groups."""
    for _ in range(steps):
        if state.counts[OPEN] > 0:
            t = closest_tuple(state)
            take_portion(state, t, min(state.left[t], max_size - state.counts[OPEN]), max_size)
        elif state.counts[LEFT] >= min_left:
            open_group(state, max_size, (state.counts[LEFT] - min_left) // k + 1)
        else:
            return
        if moving:
            find_center(state.tuples, state.group_costs, state.center)
        if state.counts[OPEN] >= k:
            close_group(state, max_size)


@inline
def open_group(state, max_size, groups):
    """Open a group with a seed far from the center, or from the previous seed.

    If the records of the seed fill groups, it opens at most ``groups`` of them.
    """
    if state.counts[PREVIOUS] == NONE:
        find_center(state.tuples, state.costs, state.center)
        seed = farthest_tuple(state, state.center)
    else:
        seed = farthest_tuple(state, state.tuples.codes[state.counts[PREVIOUS]])
    state.counts[SEED] = seed
    copy(state.tuples.codes[seed], state.center)
    full = min(state.left[seed] // max_size, groups)
    take_portion(state, seed, full * max_size if full > 0 else state.left[seed], max_size)


@kernel
def farthest_tuple(state, center):
    """Return the remaining tuple farthest from a center by weighted distance; ties go to the first."""
    largest, farthest = -1.0, NONE
    for t in range(len(state.left)):
        if state.left[t] > 0:
            distance = tuple_distance(state.tuples, t, center) * state.weights[t]
            if distance > largest:
                largest, farthest = distance, t
    return farthest


@kernel
def closest_tuple(state):
    """Return the remaining tuple closest to the open group by weighted distance; ties go to the first."""
    smallest, closest = np.inf, NONE
    for t in range(len(state.left)):
        if state.left[t] > 0:
            distance = tuple_distance(state.tuples, t, state.center) * state.weights[t]
            if distance < smallest:
                smallest, closest = distance, t
    return closest


@kernel
def take_portion(state, t, records, each):
    """Move records of a tuple to the open group, ``each`` to each of several groups."""
    portion = state.portions[state.counts[PORTIONS]]
    portion[0], portion[1], portion[2], portion[3] = t, state.counts[GROUPS], records, each
    state.counts[PORTIONS] += 1
    state.counts[OPEN] += records
    state.counts[LEFT] -= records
    state.left[t] -= records
    add(state.tuples, state.group_costs, t, records)
    add(state.tuples, state.costs, t, -records)


@inline
def close_group(state, max_size):
    """Close the open group, or the several groups that the records of its seed filled."""
    find_center(state.tuples, state.group_costs, state.center)
    copy(state.center, state.centers[state.counts[CENTERS]])
    state.first_group[state.counts[CENTERS]] = state.counts[GROUPS]
    state.group_costs[:] = 0.0
    state.counts[PREVIOUS] = state.counts[SEED] if state.counts[PREVIOUS] == NONE else NONE
    state.counts[GROUPS] += max(1, state.counts[OPEN] // max_size)
    state.counts[CENTERS] += 1
    state.counts[OPEN] = 0


@kernel
def group_rest(state):
    """Make the records left, if any, a group."""
    for t in range(len(state.left)):
        if state.left[t] > 0:
            take_portion(state, t, state.left[t], state.left[t])


@kernel
def assign_rest(state):
    """Assign the records left of each tuple to the group with the nearest center; the centers do not move."""
    for t in range(len(state.left)):
        if state.left[t] > 0:
            smallest, nearest = np.inf, NONE
            for number in range(state.counts[CENTERS]):
                distance = tuple_distance(state.tuples, t, state.centers[number])
                if distance < smallest:
                    smallest, nearest = distance, number
            take_portion(state, t, state.left[t], state.left[t])
            state.portions[state.counts[PORTIONS] - 1, 1] = state.first_group[nearest]

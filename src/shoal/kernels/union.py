"""Groups that merge with near ones until each has k records and meets the demands.

A group is a chain of records. The group at work has its tally and its sums at hand, so that a merger costs what the
other group has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels import demands as sensitive
from shoal.kernels.demands import holds, lack
from shoal.kernels.groups import centroids
from shoal.kernels.jit import SLICE, kernel, part
from shoal.kernels.space import add, exact, find_center, no_sums
from shoal.values import Demands, FloatMatrix, FloatVector, IntVector, Progress, Space

LOOK, CELLS = 12, 6_000
"""So many groups are tried as partners at least, and so many that their tallies and records come to so many cells.

The more are tried, the farther a group reaches for one that makes it stand at once; some hundreds lost least on Adult.
"""
PLACE = 20
"""A group takes the time of so many cells besides those of its center: its place in the queue, and trials."""
NONE = -1


class Union(NamedTuple):
    """Groups by number: center, size, first and last record; of those that were merged into others the size is 0.

    ``after`` leads from a record to the next one of its group. ``tally`` and ``sums`` are those of the group at work,
    ``rises`` tells for each other group how much the error grows if they merge, and ``queue`` is a heap of the other
    groups by that.
    """

    space: Space
    demands: Demands
    centers: FloatMatrix
    sizes: IntVector
    first: IntVector
    last: IntVector
    after: IntVector
    tally: IntVector
    sums: FloatVector
    rises: FloatVector
    queue: IntVector
    k: int


def begin(space: Space, labels: IntVector, demands: Demands, *, k: int) -> Union:
    """The groups of these labels, numbered without gaps."""
    groups, n = int(labels.max()) + 1, len(labels)
    state = Union(
        space=space,
        demands=demands,
        centers=centroids(space, labels, groups),
        sizes=np.bincount(labels).astype(np.int64),
        first=np.full(groups, NONE),
        last=np.full(groups, NONE),
        after=np.full(n, NONE),
        tally=sensitive.no_tally(demands),
        sums=no_sums(space),
        rises=np.zeros(groups),
        queue=np.zeros(groups, dtype=np.int64),
        k=k,
    )
    chain(state, labels)
    return state


def unite(state: Union, *, progress: Progress) -> IntVector:
    """Merge groups that do not stand with others until all stand, or all are one; the group of each record."""
    group, groups, n = 0, len(state.sizes), len(state.after)
    while group < groups:
        group = settle(state, group, SLICE // 4)
        progress(n * group // groups, n)
    labels: IntVector = labeled(state)
    return labels


@kernel
def chain(state, labels):
    """Chain the records of each group in the order of the rows."""
    for record in range(len(labels)):
        link(state, labels[record], record, record)


@part
def link(state, group, first, last):
    """Append a chain of records to that of a group."""
    if state.first[group] == NONE:
        state.first[group] = first
    else:
        state.after[state.last[group]] = first
    state.last[group] = last


@kernel
def weigh(state, group):
    """Add the records of a group to the sums of the one at work."""
    record = state.first[group]
    while record != NONE:
        add(state.space, state.sums, state.space.matrix[record], 1.0)
        record = state.after[record]


@kernel
def count(demands, tally, first, after, times):
    """Add a chain of records to a tally, or take it away; with arrays and not the state, which takes long to unpack."""
    record = first
    while record != NONE:
        sensitive.add(demands, tally, record, times)
        record = after[record]


@part
def stands(state, group):
    """Whether the group at work has k records and meets the demands."""
    return state.sizes[group] >= state.k and holds(state.demands, state.tally)


@kernel
def settle(state, group, cells):
    """Merge each group from this one on with others until it stands, or so many cells are looked at; the next group."""
    while group < len(state.sizes) and cells > 0:
        if state.sizes[group] > 0:
            count(state.demands, state.tally, state.first[group], state.after, 1)
            weigh(state, group)
            while state.sizes[group] < len(state.after) and not stands(state, group):
                cells -= len(state.sizes) * (state.centers.shape[1] + PLACE)
                absorb(state, group, partner(state, group))
            count(state.demands, state.tally, state.first[group], state.after, -1)
            state.sums[:] = 0.0
        cells -= len(state.tally) + len(state.sums)
        group += 1
    return group


@kernel
def partner(state, group):
    """The group that makes this one stand with the least rise of the error, or else the one that helps most for it.

    Where none helps, the one with the least rise.
    """
    left = line_up(state, group)
    demands, tally, first, after, queue = state.demands, state.tally, state.first, state.after, state.queue
    best, gain, price, before, cells = queue[0], 0.0, 1.0, lack(demands, tally), CELLS
    while left > 0 and cells > 0:
        other = queue[0]
        left -= 1
        queue[0] = queue[left]
        sink(queue, state.rises, 0, left)
        count(demands, tally, first[other], after, 1)
        lacking = lack(demands, tally)
        count(demands, tally, first[other], after, -1)
        if lacking == 0.0 and state.sizes[group] + state.sizes[other] >= state.k:
            return other
        if (before - lacking) * price > gain * state.rises[other]:
            best, gain, price = other, before - lacking, state.rises[other]
        cells -= min(len(tally) + state.sizes[other], CELLS // LOOK)
    return best


@kernel
def line_up(state, group):
    """Queue the other groups by the rise of the error if they were merged with this one; how many there are."""
    measure(state, group)
    rises, sizes, queue, size, left = state.rises, state.sizes, state.queue, state.sizes[group], 0
    for other in range(len(rises)):
        if sizes[other] > 0 and other != group:
            rises[other] *= size * sizes[other] / (size + sizes[other])
            queue[left] = other
            left += 1
    for place in range(left // 2 - 1, -1, -1):
        sink(queue, rises, place, left)
    return left


@kernel
def sink(queue, rises, place, length):
    """Let what stands at a place of a heap sink to where nothing below it comes first; of equals the lowest does."""
    moved = queue[place]
    below = 2 * place + 1
    while below < length:
        if below + 1 < length and earlier(rises, queue[below + 1], queue[below]):
            below += 1
        if not earlier(rises, queue[below], moved):
            break
        queue[place] = queue[below]
        place, below = below, 2 * below + 1
    queue[place] = moved


@part
def earlier(rises, one, other):
    """Whether one group comes before another."""
    return rises[one] < rises[other] or (rises[one] == rises[other] and one < other)


@kernel
def measure(state, group):
    """Write the distances between the center of a group and those of all groups where the rises will be."""
    gaps, centers, space = state.rises, state.centers, state.space
    for other in range(len(gaps)):
        gaps[other] = exact(space, centers[group], centers[other])


@kernel
def absorb(state, group, other):
    """Merge a group into the one at work."""
    count(state.demands, state.tally, state.first[other], state.after, 1)
    weigh(state, other)
    link(state, group, state.first[other], state.last[other])
    state.sizes[group] += state.sizes[other]
    state.sizes[other] = 0
    find_center(state.space, state.sums, state.sizes[group], state.centers[group])


@kernel
def labeled(state):
    """The group of each record."""
    labels = np.zeros(len(state.after), dtype=np.int64)
    for group in range(len(state.sizes)):
        record = state.first[group] if state.sizes[group] > 0 else NONE
        while record != NONE:
            labels[record] = group
            record = state.after[record]
    return labels

"""Merge groups with nearby ones until each has k records and satisfies the privacy models.

A group is a linked list of records. The current group has its value counts and sums at hand, so a merger costs only
what the other group has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatMatrix, FloatVector, IntVector, ModelConstraints, Progress, Space
from shoal.kernels import constraint_counts as privacy_models
from shoal.kernels.centroids import centroids
from shoal.kernels.constraint_counts import satisfied, shortfall
from shoal.kernels.distance import add, find_center, squared_distance, zero_sums
from shoal.kernels.jit import SLICE, inline, kernel

MIN_PARTNERS, PARTNER_BUDGET = 12, 6_000
"""Minimum number of groups tried as partners, and cells of value counts and records that may be read for more of them.

The more are tried, the farther a group reaches for one that completes it at once; some hundreds lost least on Adult.
"""
GROUP_COST = 20
"""Cells per group besides those of its center: its place in the queue, and trials."""
NONE = -1


class MergingGroups(NamedTuple):
    """Groups by number: center, size, first and last record; merged ones have size 0.

    ``after`` leads from a record to the next one of its group. ``counts`` and ``sums`` belong to the current group;
    ``increases`` is the growth of the SSE by a merger with each other group, and ``queue`` a heap of these groups.
    """

    space: Space
    constraints: ModelConstraints
    centers: FloatMatrix
    sizes: IntVector
    first: IntVector
    last: IntVector
    after: IntVector
    counts: IntVector
    sums: FloatVector
    increases: FloatVector
    queue: IntVector
    k: int


def init(space: Space, labels: IntVector, constraints: ModelConstraints, *, k: int) -> MergingGroups:
    """Return the state for these labels, which are numbered without gaps."""
    groups, n = int(labels.max()) + 1, len(labels)
    state = MergingGroups(
        space=space,
        constraints=constraints,
        centers=centroids(space, labels, groups),
        sizes=np.bincount(labels).astype(np.int64),
        first=np.full(groups, NONE),
        last=np.full(groups, NONE),
        after=np.full(n, NONE),
        counts=privacy_models.zero_counts(constraints),
        sums=zero_sums(space),
        increases=np.zeros(groups),
        queue=np.zeros(groups, dtype=np.int64),
        k=k,
    )
    link_records(state, labels)
    return state


def run(state: MergingGroups, *, progress: Progress) -> IntVector:
    """Merge incomplete groups with others until all are complete, or one is left; return the group of each record."""
    group, groups, n = 0, len(state.sizes), len(state.after)
    while group < groups:
        group = merge_undersized(state, group, SLICE // 4)
        progress(n * group // groups, n)
    return group_labels(state)


@kernel
def link_records(state, labels):
    """Link the records of each group in row order."""
    for record in range(len(labels)):
        append(state, labels[record], record, record)


@inline
def append(state, group, first, last):
    """Append a list of records to that of a group."""
    if state.first[group] == NONE:
        state.first[group] = first
    else:
        state.after[state.last[group]] = first
    state.last[group] = last


@kernel
def add_to_sums(state, group):
    """Add the records of a group to the sums of the current one."""
    record = state.first[group]
    while record != NONE:
        add(state.space, state.sums, state.space.matrix[record], 1.0)
        record = state.after[record]


@kernel
def count_records(constraints, counts, first, after, times):
    """Add a list of records to the value counts, or remove it; takes arrays, since a state is slow to unpack."""
    record = first
    while record != NONE:
        privacy_models.add(constraints, counts, record, times)
        record = after[record]


@kernel
def merge_undersized(state, group, cells):
    """Complete each group from this one on, until the cell limit; return the next group."""
    while group < len(state.sizes) and cells > 0:
        if state.sizes[group] > 0:
            count_records(state.constraints, state.counts, state.first[group], state.after, 1)
            add_to_sums(state, group)
            while state.sizes[group] < len(state.after):
                if state.sizes[group] >= state.k and satisfied(state.constraints, state.counts):
                    break
                cells -= len(state.sizes) * (state.centers.shape[1] + GROUP_COST)
                absorb(state, group, best_partner(state, group))
            count_records(state.constraints, state.counts, state.first[group], state.after, -1)
            state.sums[:] = 0.0
        cells -= len(state.counts) + len(state.sums)
        group += 1
    return group


@kernel
def best_partner(state, group):
    """Return the group that completes this one with the least growth of the SSE.

    If none does, return the one that helps most per growth, or else the one with the least growth.
    """
    left = build_queue(state, group)
    constraints, counts, first, after, queue = state.constraints, state.counts, state.first, state.after, state.queue
    best, progress, increase, before, cells = queue[0], 0.0, 1.0, shortfall(constraints, counts), PARTNER_BUDGET
    while left > 0 and cells > 0:
        other = queue[0]
        left -= 1
        queue[0] = queue[left]
        sift_down(queue, state.increases, 0, left)
        count_records(constraints, counts, first[other], after, 1)
        missing = shortfall(constraints, counts)
        count_records(constraints, counts, first[other], after, -1)
        if missing == 0.0 and state.sizes[group] + state.sizes[other] >= state.k:
            return other
        if (before - missing) * increase > progress * state.increases[other]:
            best, progress, increase = other, before - missing, state.increases[other]
        cells -= min(len(counts) + state.sizes[other], PARTNER_BUDGET // MIN_PARTNERS)
    return best


@kernel
def build_queue(state, group):
    """Queue the other groups by the growth of the SSE if they were merged with this one; return their number."""
    increases, sizes, queue, size, left = state.increases, state.sizes, state.queue, state.sizes[group], 0
    centers, space = state.centers, state.space
    for other in range(len(increases)):
        if sizes[other] > 0 and other != group:
            distance = squared_distance(space, centers[group], centers[other])
            increases[other] = distance * (size * sizes[other] / (size + sizes[other]))
            queue[left] = other
            left += 1
    for place in range(left // 2 - 1, -1, -1):
        sift_down(queue, increases, place, left)
    return left


@kernel
def sift_down(queue, increases, place, length):
    """Sift down the entry at a position of a heap; ties go to the lowest group."""
    moved = queue[place]
    child = 2 * place + 1
    while child < length:
        if child + 1 < length and precedes(increases, queue[child + 1], queue[child]):
            child += 1
        if not precedes(increases, queue[child], moved):
            break
        queue[place] = queue[child]
        place, child = child, 2 * child + 1
    queue[place] = moved


@inline
def precedes(increases, one, other):
    """Whether one group comes before another."""
    return increases[one] < increases[other] or (increases[one] == increases[other] and one < other)


@kernel
def absorb(state, group, other):
    """Merge a group into the current one."""
    count_records(state.constraints, state.counts, state.first[other], state.after, 1)
    add_to_sums(state, other)
    append(state, group, state.first[other], state.last[other])
    state.sizes[group] += state.sizes[other]
    state.sizes[other] = 0
    find_center(state.space, state.sums, state.sizes[group], state.centers[group])


@kernel
def group_labels(state):
    """Return the group of each record."""
    labels = np.zeros(len(state.after), dtype=np.int64)
    for group in range(len(state.sizes)):
        record = state.first[group] if state.sizes[group] > 0 else NONE
        while record != NONE:
            labels[record] = group
            record = state.after[record]
    return labels

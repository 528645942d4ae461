"""Move tuples to a nearby group where that lowers the total extent of all groups.

Each group has a box: for an ordered column its lowest and highest rank, for another one a bit per value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import BoolVector, FloatVector, IntMatrix, IntVector, Progress
from shoal.kernels.constraint_counts import add, satisfied, zero_counts
from shoal.kernels.jit import SLICE, kernel
from shoal.kernels.linked_lists import insert_first, unlink
from shoal.kernels.splits.extent_cuts import BITS, MAX_RANK, ExtentUnits, popcount
from shoal.kernels.splits.rank_cuts import RankGrid, Ranks, has_constraints

MAX_DISTANCE = 64
"""Groups are near each other if their numbers differ by at most this: neighbors are cut side by side."""
MAX_TUPLES = 64
"""Larger groups keep their tuples: removing one changes little, and refitting the box is slow."""

MAX_ROUNDS = 3
"""After this many rounds, hardly any tuple still moves."""


class ExtentBoxes(NamedTuple):
    """The columns and the box of each group, column j from ``start[j]`` on; the last box is a buffer."""

    ranks: Ranks
    values: FloatVector
    first: IntVector
    ordered: BoolVector
    unit: FloatVector
    start: IntVector
    box: IntMatrix


class ExtentGroups(NamedTuple):
    """Number of records, of tuples, and extent of each group; the tuples of a group are a linked list."""

    labels: IntVector
    records: IntVector
    tuples: IntVector
    extent: FloatVector
    head: IntVector
    after: IntVector
    before: IntVector


def init(grid: RankGrid, units: ExtentUnits, labels: IntVector) -> tuple[ExtentBoxes, ExtentGroups]:
    """Return the boxes and the groups of these labels."""
    count, n = int(labels.max()) + 1, len(labels)
    start = np.cumsum([0, *np.where(units.ordered, 2, -(-np.diff(grid.first) // BITS))])
    box = np.zeros((count + 1, start[-1]), dtype=np.int64)
    boxes = ExtentBoxes(grid.ranks, grid.values, grid.first, units.ordered, units.unit, start, box)
    none, zeros = np.full(count, -1), np.zeros(count, dtype=np.int64)
    groups = ExtentGroups(labels.copy(), zeros, zeros.copy(), np.zeros(count), none, np.full(n, -1), np.full(n, -1))
    fill_groups(boxes, groups, grid.counts)
    return boxes, groups


def run(grid: RankGrid, units: ExtentUnits, labels: IntVector, k: int, *, progress: Progress) -> IntVector:
    """Move tuples until none moves or all rounds are over; return the new labels."""
    boxes, groups = init(grid, units, labels)
    n, columns = grid.ranks.shape
    step = max(1, SLICE // (columns * (2 * MAX_DISTANCE + MAX_TUPLES)))
    for round_number in range(MAX_ROUNDS):
        moved = 0
        for start in range(0, n, step):
            moved += move_tuples(grid, boxes, groups, k, start, min(n, start + step))
            progress(round_number * n + min(n, start + step), MAX_ROUNDS * n)
        if moved == 0:
            break
    progress(n, n)
    return groups.labels


@kernel
def fill_groups(boxes, groups, counts):
    """Add every tuple to its group, and fit the boxes."""
    for t in range(len(counts)):
        add_tuple(groups, t, groups.labels[t], counts[t])
    for g in range(len(groups.head)):
        groups.extent[g] = fit_box(boxes, groups, g, -1, boxes.box[g])


@kernel
def add_tuple(groups, t, g, count):
    groups.labels[t] = g
    insert_first(groups.head, groups.after, groups.before, g, t)
    groups.tuples[g] += 1
    groups.records[g] += count


@kernel
def remove_tuple(groups, t, count):
    g = groups.labels[t]
    unlink(groups.head, groups.after, groups.before, g, t)
    groups.tuples[g] -= 1
    groups.records[g] -= count


@kernel
def fit_box(boxes, groups, g, without, box):
    """Fit the box of a group without one tuple; return its extent."""
    extent = 0.0
    for j in range(len(boxes.ordered)):
        start = boxes.start[j]
        if boxes.ordered[j]:
            low, high = MAX_RANK, -1
            t = groups.head[g]
            while t >= 0:
                if t != without:
                    low, high = min(low, boxes.ranks[t, j]), max(high, boxes.ranks[t, j])
                t = groups.after[t]
            box[start], box[start + 1] = low, high
            extent += boxes.unit[j] * (boxes.values[boxes.first[j] + high] - boxes.values[boxes.first[j] + low])
        else:
            extent += boxes.unit[j] * (set_bits(boxes, groups, g, without, j, box) - 1)
    return extent


@kernel
def set_bits(boxes, groups, g, without, j, box):
    """Set the bits of a box in an unordered column; return the number of its values."""
    start, values = boxes.start[j], 0
    for word in range(start, boxes.start[j + 1]):
        box[word] = 0
    t = groups.head[g]
    while t >= 0:
        if t != without:
            box[start + boxes.ranks[t, j] // BITS] |= np.int64(1) << np.int64(boxes.ranks[t, j] % BITS)
        t = groups.after[t]
    for word in range(start, boxes.start[j + 1]):
        values += popcount(box[word])
    return values


@kernel
def move_tuples(grid, boxes, groups, k, first_tuple, stop):
    """Move each of these tuples to the nearby group that lowers the extent most, if any; return the number of moves."""
    moved, spare = 0, boxes.box[len(groups.head)]
    for t in range(first_tuple, stop):
        g, count = groups.labels[t], grid.counts[t]
        if groups.records[g] - count >= k and groups.tuples[g] <= MAX_TUPLES:
            reduced = fit_box(boxes, groups, g, t, spare)
            limit = groups.records[g] * groups.extent[g] - (groups.records[g] - count) * reduced
            h = best_group(boxes, groups, t, count, limit)
            if h >= 0 and (not has_constraints(grid) or move_allowed(grid, groups, t, h)):
                remove_tuple(groups, t, count)
                add_tuple(groups, t, h, count)
                groups.extent[g] = fit_box(boxes, groups, g, -1, boxes.box[g])
                groups.extent[h] = fit_box(boxes, groups, h, -1, boxes.box[h])
                moved += 1
    return moved


@kernel
def best_group(boxes, groups, t, count, limit):
    """Return the nearby group whose extent grows least with a tuple, by less than a limit; -1 if there is none."""
    g, best = groups.labels[t], -1
    for h in range(max(0, g - MAX_DISTANCE), min(len(groups.head), g + MAX_DISTANCE + 1)):
        increase = count * groups.extent[h] if h != g and groups.tuples[h] <= MAX_TUPLES else limit
        j = 0
        while increase < limit and j < len(boxes.ordered):
            increase += (groups.records[h] + count) * growth(boxes, j, h, boxes.ranks[t, j])
            j += 1
        if increase < limit:
            best, limit = h, increase
    return best


@kernel
def growth(boxes, j, h, rank):
    """Return by how much one more rank of column j extends a group."""
    start, first = boxes.start[j], boxes.first[j]
    if not boxes.ordered[j]:
        return boxes.unit[j] * (1 - (boxes.box[h, start + rank // BITS] >> np.int64(rank % BITS) & 1))
    if rank < boxes.box[h, start]:
        return boxes.unit[j] * (boxes.values[first + boxes.box[h, start]] - boxes.values[first + rank])
    if rank > boxes.box[h, start + 1]:
        return boxes.unit[j] * (boxes.values[first + rank] - boxes.values[first + boxes.box[h, start + 1]])
    return 0.0


@kernel
def move_allowed(grid, groups, t, h):
    """Whether both groups satisfy the constraints besides k after a tuple moves to group h."""
    source, target = zero_counts(grid.constraints), zero_counts(grid.constraints)
    other = groups.head[groups.labels[t]]
    while other >= 0:
        if other != t:
            add(grid.constraints, source, grid.record[other], grid.counts[other])
        other = groups.after[other]
    other = groups.head[h]
    while other >= 0:
        add(grid.constraints, target, grid.record[other], grid.counts[other])
        other = groups.after[other]
    add(grid.constraints, target, grid.record[t], grid.counts[t])
    return satisfied(grid.constraints, source) and satisfied(grid.constraints, target)

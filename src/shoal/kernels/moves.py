"""Combinations that move to a group near by, where that lowers the extent of all groups.

Each group has a box: for a column with an order its lowest and highest rank, for another one a bit for each value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.demands import add, holds, no_tally
from shoal.kernels.extent import BITS, MANY, Shares, ones
from shoal.kernels.grid import Grid, Ranks, asks
from shoal.kernels.jit import SLICE, kernel
from shoal.values import BoolVector, FloatVector, IntMatrix, IntVector, Progress

REACH = 64
"""How far in number a group may be to be near: groups are numbered as they were cut, neighbors side by side."""
LARGE = 64
"""Groups of more different combinations keep theirs: one less changes little, and to see what is left takes long."""

ROUNDS = 3
"""After so many, hardly any combination still moves."""


class Boxes(NamedTuple):
    """The columns as boxes see them: those of column j are at ``at[j]`` and on; the last box is for trying out."""

    ranks: Ranks
    values: FloatVector
    first: IntVector
    ordered: BoolVector
    share: FloatVector
    at: IntVector
    box: IntMatrix


class Homes(NamedTuple):
    """The groups: their records, different combinations and extents; each one leads to one of its combinations.

    ``behind`` and ``ahead`` lead from a combination to the others of its group; -1 is the end.
    """

    labels: IntVector
    records: IntVector
    members: IntVector
    extent: FloatVector
    head: IntVector
    behind: IntVector
    ahead: IntVector


def begin(grid: Grid, shares: Shares, labels: IntVector) -> tuple[Boxes, Homes]:
    """The groups of these labels."""
    groups, n = int(labels.max()) + 1, len(labels)
    at = np.cumsum([0, *np.where(shares.ordered, 2, -(-np.diff(grid.first) // BITS))])
    box = np.zeros((groups + 1, at[-1]), dtype=np.int64)
    boxes = Boxes(grid.ranks, grid.values, grid.first, shares.ordered, shares.share, at, box)
    nobody, number = np.full(groups, -1), np.zeros(groups, dtype=np.int64)
    homes = Homes(labels.copy(), number, number.copy(), np.zeros(groups), nobody, np.full(n, -1), np.full(n, -1))
    settle(boxes, homes, grid.counts)
    return boxes, homes


def carry_on(grid: Grid, shares: Shares, labels: IntVector, k: int, *, progress: Progress) -> IntVector:
    """Move combinations until none moves or all rounds are over; the new labels."""
    boxes, homes = begin(grid, shares, labels)
    n, columns = grid.ranks.shape
    at_once = max(1, SLICE // (columns * (2 * REACH + LARGE)))
    for done in range(ROUNDS):
        moved = 0
        for start in range(0, n, at_once):
            moved += move(grid, boxes, homes, k, start, min(n, start + at_once))
            progress(done * n + min(n, start + at_once), ROUNDS * n)
        if moved == 0:
            break
    progress(n, n)
    return homes.labels


@kernel
def settle(boxes, homes, counts):
    """Bring every combination into its group."""
    for t in range(len(counts)):
        enter(homes, t, homes.labels[t], counts[t])
    for g in range(len(homes.head)):
        homes.extent[g] = enclose(boxes, homes, g, -1, boxes.box[g])


@kernel
def enter(homes, t, g, count):
    """Let a combination join a group."""
    homes.labels[t] = g
    homes.behind[t], homes.ahead[t] = homes.head[g], -1
    if homes.head[g] >= 0:
        homes.ahead[homes.head[g]] = t
    homes.head[g] = t
    homes.members[g] += 1
    homes.records[g] += count


@kernel
def leave(homes, t, count):
    """Take a combination out of its group."""
    g, behind, ahead = homes.labels[t], homes.behind[t], homes.ahead[t]
    if ahead >= 0:
        homes.behind[ahead] = behind
    else:
        homes.head[g] = behind
    if behind >= 0:
        homes.ahead[behind] = ahead
    homes.members[g] -= 1
    homes.records[g] -= count


@kernel
def enclose(boxes, homes, g, but, box):
    """Draw the box of a group, but for one combination; its extent."""
    extent = 0.0
    for j in range(len(boxes.ordered)):
        at = boxes.at[j]
        if boxes.ordered[j]:
            low, high = MANY, -1
            t = homes.head[g]
            while t >= 0:
                if t != but:
                    low, high = min(low, boxes.ranks[t, j]), max(high, boxes.ranks[t, j])
                t = homes.behind[t]
            box[at], box[at + 1] = low, high
            extent += boxes.share[j] * (boxes.values[boxes.first[j] + high] - boxes.values[boxes.first[j] + low])
        else:
            extent += boxes.share[j] * (hold(boxes, homes, g, but, j, box) - 1)
    return extent


@kernel
def hold(boxes, homes, g, but, j, box):
    """Set the bits of a box in a column without an order; the number of values held."""
    at, held = boxes.at[j], 0
    for word in range(at, boxes.at[j + 1]):
        box[word] = 0
    t = homes.head[g]
    while t >= 0:
        if t != but:
            box[at + boxes.ranks[t, j] // BITS] |= np.int64(1) << np.int64(boxes.ranks[t, j] % BITS)
        t = homes.behind[t]
    for word in range(at, boxes.at[j + 1]):
        held += ones(box[word])
    return held


@kernel
def move(grid, boxes, homes, k, start, stop):
    """Move each of these combinations to the group near by where the extent falls most, if it falls; how many moved."""
    moved, spare = 0, boxes.box[len(homes.head)]
    for t in range(start, stop):
        g, count = homes.labels[t], grid.counts[t]
        if homes.records[g] - count >= k and homes.members[g] <= LARGE:
            less = enclose(boxes, homes, g, t, spare)
            gain = homes.records[g] * homes.extent[g] - (homes.records[g] - count) * less
            h = nearest(boxes, homes, t, count, gain)
            if h >= 0 and (not asks(grid) or may_move(grid, homes, t, h)):
                leave(homes, t, count)
                enter(homes, t, h, count)
                homes.extent[g] = enclose(boxes, homes, g, -1, boxes.box[g])
                homes.extent[h] = enclose(boxes, homes, h, -1, boxes.box[h])
                moved += 1
    return moved


@kernel
def nearest(boxes, homes, t, count, gain):
    """The group near by whose extent grows least if a combination joins, and by less than the gain; -1 if none does."""
    g, home = homes.labels[t], -1
    for h in range(max(0, g - REACH), min(len(homes.head), g + REACH + 1)):
        grows = count * homes.extent[h] if h != g and homes.members[h] <= LARGE else gain
        j = 0
        while grows < gain and j < len(boxes.ordered):
            grows += (homes.records[h] + count) * growth(boxes, j, h, boxes.ranks[t, j])
            j += 1
        if grows < gain:
            home, gain = h, grows
    return home


@kernel
def growth(boxes, j, h, rank):
    """What one more rank of column j adds to the extent of a group."""
    at, first = boxes.at[j], boxes.first[j]
    if not boxes.ordered[j]:
        return boxes.share[j] * (1 - (boxes.box[h, at + rank // BITS] >> np.int64(rank % BITS) & 1))
    if rank < boxes.box[h, at]:
        return boxes.share[j] * (boxes.values[first + boxes.box[h, at]] - boxes.values[first + rank])
    if rank > boxes.box[h, at + 1]:
        return boxes.share[j] * (boxes.values[first + rank] - boxes.values[first + boxes.box[h, at + 1]])
    return 0.0


@kernel
def may_move(grid, homes, t, h):
    """Whether both groups still have what every group must have if a combination moves to group h."""
    here, there = no_tally(grid.demands), no_tally(grid.demands)
    other = homes.head[homes.labels[t]]
    while other >= 0:
        if other != t:
            add(grid.demands, here, grid.record[other], grid.counts[other])
        other = homes.behind[other]
    other = homes.head[h]
    while other >= 0:
        add(grid.demands, there, grid.record[other], grid.counts[other])
        other = homes.behind[other]
    add(grid.demands, there, grid.record[t], grid.counts[t])
    return holds(grid.demands, here) and holds(grid.demands, there)

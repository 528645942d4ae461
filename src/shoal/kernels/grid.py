"""Records by the ranks of their values: combinations, how far a part of them reaches, and cuts between ranks.

A median is found by counting, not by sorting: ranks are counted in buckets, then those of one bucket in smaller ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.demands import add, holds, no_tally
from shoal.kernels.jit import kernel, part
from shoal.kernels.parts import top
from shoal.values import Demands, FloatVector, IntVector

BUCKETS = 256
"""Enough for most columns to be counted at once, few enough to be cleared for a part of ten records."""
Ranks = NDArray[np.int32]


class Grid(NamedTuple):
    """The different combinations of ranks, with the number of records of each and its first record.

    The values behind the ranks of column j begin at ``first[j]``, in ascending order. ``spans`` has the range of each
    column over the table, larger where a column has less weight.
    """

    ranks: Ranks
    counts: IntVector
    record: IntVector
    values: FloatVector
    first: IntVector
    spans: FloatVector
    demands: Demands


class View(NamedTuple):
    """The part on top: the lowest and highest rank of each column, its range as a share of its span; and buckets."""

    low: IntVector
    high: IntVector
    wide: FloatVector
    bucket: IntVector


def begin(grid: Grid) -> View:
    """A view of nothing yet."""
    columns = len(grid.spans)
    low, high = np.zeros(columns, dtype=np.int64), np.zeros(columns, dtype=np.int64)
    return View(low, high, np.zeros(columns), np.zeros(BUCKETS, dtype=np.int64))


@kernel
def look(parts, grid, view):
    """Fill the view of the part on top; the number of its records."""
    start, stop = top(parts)
    size = 0
    view.low[:] = len(grid.values)
    view.high[:] = -1
    for i in range(start, stop):
        t = parts.rows[i]
        size += grid.counts[t]
        for j in range(len(view.low)):
            rank = grid.ranks[t, j]
            view.low[j], view.high[j] = min(view.low[j], rank), max(view.high[j], rank)
    for j in range(len(view.low)):
        reach = grid.values[grid.first[j] + view.high[j]] - grid.values[grid.first[j] + view.low[j]]
        view.wide[j] = reach / grid.spans[j] if grid.spans[j] > 0.0 else 0.0
    return size


@kernel
def middle(parts, grid, view, j, place):
    """The rank at this place, from 0, in the order of column j over the part on top; records below it, and at it."""
    start, stop = top(parts)
    low, high, below = view.low[j], view.high[j], 0
    while True:
        shift = 0
        while (high - low) >> shift >= BUCKETS:
            shift += 1
        view.bucket[: ((high - low) >> shift) + 1] = 0
        for i in range(start, stop):
            rank = grid.ranks[parts.rows[i], j]
            if low <= rank and rank <= high:
                view.bucket[(rank - low) >> shift] += grid.counts[parts.rows[i]]
        at = 0
        while below + view.bucket[at] <= place:
            below += view.bucket[at]
            at += 1
        low, high = low + (at << shift), min(high, low + ((at + 1) << shift) - 1)
        if shift == 0:
            return low, below, view.bucket[at]


@kernel
def mark(parts, grid, j, rank):
    """To the right goes what has at least this rank in column j."""
    start, stop = top(parts)
    for i in range(start, stop):
        parts.right[i] = grid.ranks[parts.rows[i], j] >= rank


@part
def asks(grid):
    """Whether a group must have more than k records."""
    return len(grid.demands.rule) > 0


@kernel
def allowed(parts, grid):
    """Whether both sides of the part on top, as they are marked, have what every group must have besides k records."""
    if not asks(grid):
        return True
    start, stop = top(parts)
    left, right = no_tally(grid.demands), no_tally(grid.demands)
    for i in range(start, stop):
        t = parts.rows[i]
        add(grid.demands, right if parts.right[i] else left, grid.record[t], grid.counts[t])
    return holds(grid.demands, left) and holds(grid.demands, right)

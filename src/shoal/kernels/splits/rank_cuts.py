"""Records as ranks of their values, and median cuts of the Mondrian methods between ranks.

A median is found by counting, not by sorting: ranks are counted in buckets, then those of one bucket in smaller ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.domain import FloatVector, IntVector, ModelConstraints
from shoal.kernels.box_tree.box_tree import widest_column
from shoal.kernels.constraint_counts import add, satisfied, zero_counts
from shoal.kernels.jit import inline, kernel
from shoal.kernels.splits.recursion import OPEN, close, divide, top

BUCKETS = 256
"""Enough to count most columns in one pass, few enough to clear for a part of ten records."""
Ranks = NDArray[np.int32]


class RankGrid(NamedTuple):
    """Distinct tuples of ranks, with the number of records of each and its first record.

    The values behind the ranks of column j start at ``values[first[j]]``, in ascending order. ``spans`` is the range of
    each column over the table, larger for columns of lower weight.
    """

    ranks: Ranks
    counts: IntVector
    record: IntVector
    values: FloatVector
    first: IntVector
    spans: FloatVector
    constraints: ModelConstraints


class RankRanges(NamedTuple):
    """Lowest and highest rank of each column in the part on top, its width relative to ``spans``, and a buffer."""

    low: IntVector
    high: IntVector
    width: FloatVector
    histogram: IntVector


def init(grid: RankGrid) -> RankRanges:
    """Return empty ranges."""
    columns = len(grid.spans)
    low, high = np.zeros(columns, dtype=np.int64), np.zeros(columns, dtype=np.int64)
    return RankRanges(low, high, np.zeros(columns), np.zeros(BUCKETS, dtype=np.int64))


@kernel
def update_ranges(parts, grid, ranges):
    """Compute the ranges of the part on top; return its number of records."""
    start, stop = top(parts)
    size = 0
    ranges.low[:] = len(grid.values)
    ranges.high[:] = -1
    for i in range(start, stop):
        t = parts.rows[i]
        size += grid.counts[t]
        for j in range(len(ranges.low)):
            rank = grid.ranks[t, j]
            ranges.low[j], ranges.high[j] = min(ranges.low[j], rank), max(ranges.high[j], rank)
    for j in range(len(ranges.low)):
        extent = grid.values[grid.first[j] + ranges.high[j]] - grid.values[grid.first[j] + ranges.low[j]]
        ranges.width[j] = extent / grid.spans[j] if grid.spans[j] > 0.0 else 0.0
    return size


@kernel
def select_rank(parts, grid, ranges, j, position):
    """Return the rank at a position (from 0) of column j in the part on top, the records below it, and at it."""
    start, stop = top(parts)
    low, high, below = ranges.low[j], ranges.high[j], 0
    while True:
        shift = 0
        while (high - low) >> shift >= BUCKETS:
            shift += 1
        ranges.histogram[: ((high - low) >> shift) + 1] = 0
        for i in range(start, stop):
            rank = grid.ranks[parts.rows[i], j]
            if low <= rank and rank <= high:
                ranges.histogram[(rank - low) >> shift] += grid.counts[parts.rows[i]]
        bucket = 0
        while below + ranges.histogram[bucket] <= position:
            below += ranges.histogram[bucket]
            bucket += 1
        low, high = low + (bucket << shift), min(high, low + ((bucket + 1) << shift) - 1)
        if shift == 0:
            return low, below, ranges.histogram[bucket]


@kernel
def mark_right(parts, grid, j, rank):
    """Mark for the right side what has at least this rank in column j."""
    start, stop = top(parts)
    for i in range(start, stop):
        parts.right[i] = grid.ranks[parts.rows[i], j] >= rank


@inline
def has_constraints(grid):
    return len(grid.constraints.rule) > 0


@kernel
def split_allowed(parts, grid):
    """Whether both marked sides of the part on top satisfy the constraints besides k."""
    if not has_constraints(grid):
        return True
    start, stop = top(parts)
    left, right = zero_counts(grid.constraints), zero_counts(grid.constraints)
    for i in range(start, stop):
        t = parts.rows[i]
        add(grid.constraints, right if parts.right[i] else left, grid.record[t], grid.counts[t])
    return satisfied(grid.constraints, left) and satisfied(grid.constraints, right)


@kernel
def split_strict(parts, grid, ranges, k, cells):
    """Split parts at the first column with an allowed cut, keeping equal values together."""
    while cells > 0 and parts.counts[OPEN] > 0:
        start, stop = top(parts)
        cells -= len(grid.spans) * (stop - start)
        size = update_ranges(parts, grid, ranges)
        if size >= 2 * k and strict_cut(parts, grid, ranges, k, size):
            divide(parts)
        else:
            close(parts)


@kernel
def split_relaxed(parts, grid, ranges, k, cells):
    """Halve parts at the widest column, where equal values may go to either side; each tuple is one record."""
    while cells > 0 and parts.counts[OPEN] > 0:
        start, stop = top(parts)
        cells -= len(grid.spans) * (stop - start)
        size = update_ranges(parts, grid, ranges)
        if size >= 2 * k and relaxed_cut(parts, grid, ranges, size):
            divide(parts)
        else:
            close(parts)


@kernel
def strict_cut(parts, grid, ranges, k, size):
    """Mark an allowed cut of the widest column, else of the next; return whether there is one."""
    for _ in range(len(ranges.width)):
        j = widest_column(ranges.width)
        if ranges.width[j] <= 0.0:
            return False
        if median_cut(parts, grid, ranges, j, k, size):
            return True
        ranges.width[j] = 0.0
    return False


@kernel
def median_cut(parts, grid, ranges, j, k, size):
    """Mark the cut above the median of column j, else the one below it; return whether one is allowed.

    If both leave fewer than k records on a side, fewer than k are below the median and fewer than k above it. Then no
    other cut of this column leaves k on both sides.
    """
    rank, below, equal = select_rank(parts, grid, ranges, j, (size - 1) // 2)
    if size - below - equal >= k:
        mark_right(parts, grid, j, rank + 1)
        if split_allowed(parts, grid):
            return True
    if below >= k:
        mark_right(parts, grid, j, rank)
        return split_allowed(parts, grid)
    return False


@kernel
def relaxed_cut(parts, grid, ranges, size):
    """Mark half of the records by the widest column, else by the next; return whether the cut is allowed."""
    for _ in range(len(ranges.width)):
        j = widest_column(ranges.width)
        rank, below, _ = select_rank(parts, grid, ranges, j, size // 2)
        mark_first(parts, grid, j, rank, size // 2 - below)
        if split_allowed(parts, grid):
            return True
        ranges.width[j] = -1.0
    return False


@kernel
def mark_first(parts, grid, j, rank, equal):
    """Mark for the right side what is above a rank of column j, and all at that rank but the first ``equal``."""
    start, stop = top(parts)
    for i in range(start, stop):
        own = grid.ranks[parts.rows[i], j]
        parts.right[i] = own > rank or (own == rank and equal <= 0)
        equal -= own == rank

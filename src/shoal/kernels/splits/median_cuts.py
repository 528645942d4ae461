"""Median cuts of the Mondrian methods: choose a column, find a cut, mark its right side."""

from __future__ import annotations

from shoal.kernels.box_tree.box_tree import widest_column
from shoal.kernels.jit import kernel
from shoal.kernels.splits.rank_cuts import mark_right, select_rank, split_allowed, update_ranges
from shoal.kernels.splits.recursion import OPEN, close, divide, top


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

"""Cuts at the median of one column: choose a column, find a cut, mark what goes to the right of it."""

from __future__ import annotations

from shoal.kernels.grid import allowed, look, mark, middle
from shoal.kernels.jit import kernel
from shoal.kernels.parts import OPEN, close, divide, top
from shoal.kernels.tree import widest


@kernel
def strict(parts, grid, view, k, cells):
    """Cut parts where equal values stay together, at the first column that has an allowed cut."""
    while cells > 0 and parts.counts[OPEN] > 0:
        start, stop = top(parts)
        cells -= len(grid.spans) * (stop - start)
        size = look(parts, grid, view)
        if size >= 2 * k and strict_cut(parts, grid, view, k, size):
            divide(parts)
        else:
            close(parts)


@kernel
def relaxed(parts, grid, view, k, cells):
    """Cut parts in the middle of the widest column, where equal values go either way; each combination is a record."""
    while cells > 0 and parts.counts[OPEN] > 0:
        start, stop = top(parts)
        cells -= len(grid.spans) * (stop - start)
        size = look(parts, grid, view)
        if size >= 2 * k and relaxed_cut(parts, grid, view, size):
            divide(parts)
        else:
            close(parts)


@kernel
def strict_cut(parts, grid, view, k, size):
    """Mark an allowed cut of the widest column, else of the next; whether there is one."""
    for _ in range(len(view.wide)):
        j = widest(view.wide)
        if view.wide[j] <= 0.0:
            return False
        if median_cut(parts, grid, view, j, k, size):
            return True
        view.wide[j] = 0.0
    return False


@kernel
def median_cut(parts, grid, view, j, k, size):
    """Mark the cut above the median of column j, else that below it; whether one is allowed.

    If both leave fewer than k records on a side, fewer than k lie below the median and fewer than k above it: then no
    other cut of this column leaves k on both.
    """
    rank, below, equal = middle(parts, grid, view, j, (size - 1) // 2)
    if size - below - equal >= k:
        mark(parts, grid, j, rank + 1)
        if allowed(parts, grid):
            return True
    if below >= k:
        mark(parts, grid, j, rank)
        return allowed(parts, grid)
    return False


@kernel
def relaxed_cut(parts, grid, view, size):
    """Mark half of the records by the widest column, else by the next; whether such a cut is allowed."""
    for _ in range(len(view.wide)):
        j = widest(view.wide)
        rank, below, _ = middle(parts, grid, view, j, size // 2)
        mark_first(parts, grid, j, rank, size // 2 - below)
        if allowed(parts, grid):
            return True
        view.wide[j] = -1.0
    return False


@kernel
def mark_first(parts, grid, j, rank, equal):
    """To the right goes what lies above a rank of column j, and what is at it but for the first so many."""
    start, stop = top(parts)
    for i in range(start, stop):
        found = grid.ranks[parts.rows[i], j]
        parts.right[i] = found > rank or (found == rank and equal <= 0)
        equal -= found == rank

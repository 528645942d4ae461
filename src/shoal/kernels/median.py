"""Cuts at the median of one column: choose a column, find a cut, mark what goes to the right of it."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import kernel, part
from shoal.kernels.parts import OPEN, close, divide, top
from shoal.kernels.tree import ranges, select, widest


@kernel
def strict(parts, k, spans, cells):
    """Cut parts where equal values stay together, at the first column that leaves k records on both sides."""
    while cells > 0 and parts.counts[OPEN] > 0:
        start, stop = top(parts)
        cells -= len(spans) * (stop - start)
        if stop - start >= 2 * k and strict_cut(parts, k, widths(parts, spans)):
            divide(parts)
        else:
            close(parts)


@kernel
def relaxed(parts, k, spans, cells):
    """Cut parts in the middle of the widest column, where equal values go either way."""
    while cells > 0 and parts.counts[OPEN] > 0:
        start, stop = top(parts)
        cells -= len(spans) * (stop - start)
        if stop - start >= 2 * k:
            left = (stop - start) // 2
            j = widest(widths(parts, spans))
            value = value_at(parts, j, left)
            mark(parts, j, value, left - sides(parts, j, value)[0])
            divide(parts)
        else:
            close(parts)


@kernel
def strict_cut(parts, k, wide):
    """Mark a cut above the median, else below it, of the widest column, else the next; whether there is one.

    If neither cut is allowed, fewer than k values lie below the median and fewer than k above it: then no other
    cut of this column is allowed either.
    """
    start, stop = top(parts)
    for _ in range(len(wide)):
        j = widest(wide)
        if wide[j] <= 0.0:
            return False
        value = value_at(parts, j, (stop - start - 1) // 2)
        below, above = sides(parts, j, value)
        if above >= k:
            mark(parts, j, value, stop - start)
            return True
        if below >= k:
            mark(parts, j, value, 0)
            return True
        wide[j] = 0.0
    return False


@part
def widths(parts, spans):
    """The range of every column in the part on top, as a share of its span; 0 where the span is 0."""
    start, stop = top(parts)
    wide = np.empty(len(spans))
    ranges(parts.matrix, parts.rows, start, stop, wide)
    for j in range(len(spans)):
        wide[j] = wide[j] / spans[j] if spans[j] > 0.0 else 0.0
    return wide


@part
def value_at(parts, j, place):
    """The value at this place, from 0, in the ascending order of column j over the part on top."""
    start, stop = top(parts)
    size = stop - start
    for i in range(size):
        parts.spare[i] = parts.rows[start + i]
    select(parts.matrix, j, parts.spare, 0, size, place)
    return parts.matrix[parts.spare[place], j]


@part
def sides(parts, j, value):
    """How many records of the part on top lie below a value of column j, and how many above."""
    below, above = 0, 0
    start, stop = top(parts)
    for i in range(start, stop):
        below += parts.matrix[parts.rows[i], j] < value
        above += parts.matrix[parts.rows[i], j] > value
    return below, above


@kernel
def mark(parts, j, value, equal):
    """To the right goes what lies above a value of column j, and what is equal to it but for the first so many."""
    start, stop = top(parts)
    for i in range(start, stop):
        found = parts.matrix[parts.rows[i], j]
        parts.right[i] = found > value or (found == value and equal <= 0)
        equal -= found == value

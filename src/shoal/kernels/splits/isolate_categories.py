"""Cuts that isolate each frequent category of a column and keep the other categories together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.domain import FloatMatrix, FloatVector, IntVector
from shoal.kernels.box_tree.box_tree import widest_column
from shoal.kernels.constraint_counts import add, satisfied, zero_counts
from shoal.kernels.jit import kernel
from shoal.kernels.splits.rank_cuts import RankGrid, has_constraints, median_cut, update_ranges
from shoal.kernels.splits.recursion import OPEN, close, divide, top

REST = -1
"""Side of the values that are not isolated."""


class CategoryIsolation(NamedTuple):
    """State of the part on top, by the values of one column.

    ``records`` and ``side`` are by value, and ``next_place`` is a buffer by side. ``distance`` holds the distance
    tables of the categories row by row; that of column j starts at ``start[j]``, which is -1 for numbers.
    """

    distance: FloatVector
    start: IntVector
    records: IntVector
    side: IntVector
    next_place: IntVector


def init(grid: RankGrid, numbers: int, tables: Sequence[FloatMatrix]) -> CategoryIsolation:
    """Return an empty state: columns of numbers first, then categories with their distance tables."""
    sizes = np.array([0, *(table.size for table in tables)])
    start = np.concatenate([np.full(numbers, -1), np.cumsum(sizes)[: len(tables)]])
    width = int(np.diff(grid.first).max()) + 1
    distance = np.concatenate([np.zeros(0), *(table.ravel() for table in tables)])
    buffers = np.zeros((3, width), dtype=np.int64)
    return CategoryIsolation(distance, start, buffers[0], buffers[1], buffers[2])


@kernel
def split_categories(parts, grid, ranges, state, k, cells):
    """Split parts at the widest column: numbers at the median, categories by isolating values."""
    while cells > 0 and parts.counts[OPEN] > 0:
        start, stop = top(parts)
        cells -= len(grid.spans) * (stop - start)
        size = update_ranges(parts, grid, ranges)
        if size < 2 * k or not mark_any_cut(parts, grid, ranges, state, k, size):
            close(parts)


@kernel
def mark_any_cut(parts, grid, ranges, state, k, size):
    """Divide the part on top at the widest column, else at the next; return whether that was possible."""
    for _ in range(len(ranges.width)):
        j = widest_column(ranges.width)
        if ranges.width[j] <= 0.0:
            return False
        if state.start[j] < 0:
            if median_cut(parts, grid, ranges, j, k, size):
                divide(parts)
                return True
        else:
            sides = choose_sides(parts, grid, ranges, state, j, k)
            if sides > 1:
                distribute(parts, grid, state, j, sides)
                return True
        ranges.width[j] = 0.0
    return False


@kernel
def choose_sides(parts, grid, ranges, state, j, k):
    """Choose a side for each value of column j that may be a part, and one for the rest; return their number.

    While the rest is not an allowed part, it takes in the nearest value.
    """
    low, high = ranges.low[j], ranges.high[j]
    rest = isolate_frequent(parts, grid, state, j, low, high, k)
    while rest > 0 and (rest < k or not side_allowed(parts, grid, state, j, REST)):
        value = nearest_value(grid, state, j, low, high)
        if value == REST:
            return 1
        state.side[value] = REST
        rest += state.records[value]
    sides = 1 if rest > 0 else 0
    for value in range(low, high + 1):
        if state.side[value] != REST:
            state.side[value] = sides
            sides += 1
        else:
            state.side[value] = 0
    return sides


@kernel
def isolate_frequent(parts, grid, state, j, low, high, k):
    """Give a side to each value of column j that may be a part; return the number of the other records."""
    start, stop = top(parts)
    state.records[low : high + 1] = 0
    for i in range(start, stop):
        state.records[grid.ranks[parts.rows[i], j]] += grid.counts[parts.rows[i]]
    rest = 0
    for value in range(low, high + 1):
        state.side[value] = value
    for value in range(low, high + 1):
        if state.records[value] < k or not side_allowed(parts, grid, state, j, value):
            state.side[value] = REST
            rest += state.records[value]
    return rest


@kernel
def side_allowed(parts, grid, state, j, side):
    """Whether the records of one side satisfy the constraints besides k."""
    if not has_constraints(grid):
        return True
    start, stop = top(parts)
    counts = zero_counts(grid.constraints)
    for i in range(start, stop):
        t = parts.rows[i]
        if state.side[grid.ranks[t, j]] == side:
            add(grid.constraints, counts, grid.record[t], grid.counts[t])
    return satisfied(grid.constraints, counts)


@kernel
def nearest_value(grid, state, j, low, high):
    """Return the isolated value nearest to the records of the rest; ties go to the rarest, then the first."""
    best, lowest = REST, np.inf
    width = grid.first[j + 1] - grid.first[j]
    for value in range(low, high + 1):
        if state.side[value] != REST:
            total = 0.0
            for other in range(low, high + 1):
                if state.side[other] == REST:
                    total += state.records[other] * state.distance[state.start[j] + value * width + other]
            if total < lowest or (total == lowest and state.records[value] < state.records[best]):
                best, lowest = value, total
    return best


@kernel
def distribute(parts, grid, state, j, sides):
    """Replace the part on top by its sides."""
    start, stop = top(parts)
    state.next_place[: sides + 1] = 0
    for i in range(start, stop):
        parts.buffer[i] = parts.rows[i]
        state.next_place[state.side[grid.ranks[parts.rows[i], j]] + 1] += 1
    state.next_place[0] = start
    first = parts.counts[OPEN] - 1
    for side in range(sides):
        state.next_place[side + 1] += state.next_place[side]
        parts.ends[first + side, 0], parts.ends[first + side, 1] = state.next_place[side], state.next_place[side + 1]
    for i in range(start, stop):
        side = state.side[grid.ranks[parts.buffer[i], j]]
        parts.rows[state.next_place[side]] = parts.buffer[i]
        state.next_place[side] += 1
    parts.counts[OPEN] += sides - 1

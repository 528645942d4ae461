"""Cuts that set every category of a column apart that is frequent enough; the others stay together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.kernels.demands import add, holds, no_tally
from shoal.kernels.grid import Grid, asks, look
from shoal.kernels.jit import kernel
from shoal.kernels.median import median_cut
from shoal.kernels.parts import OPEN, close, divide, top
from shoal.kernels.tree import widest
from shoal.values import FloatMatrix, FloatVector, IntVector

REST = -1
"""The side of the values that are not set apart."""


class Apart(NamedTuple):
    """The part on top by the values of a column: the records of each, its side, and room for the sides.

    ``distance`` holds the tables of the columns of categories one after another, row by row; that of column j begins
    at ``start[j]``, which is -1 for numbers.
    """

    distance: FloatVector
    start: IntVector
    records: IntVector
    side: IntVector
    place: IntVector


def begin(grid: Grid, numbers: int, tables: Sequence[FloatMatrix]) -> Apart:
    """Nothing seen yet: so many columns of numbers, then categories with their tables of distances."""
    sizes = np.array([0, *(table.size for table in tables)])
    start = np.concatenate([np.full(numbers, -1), np.cumsum(sizes)[: len(tables)]])
    most = int(np.diff(grid.first).max()) + 1
    distance = np.concatenate([np.zeros(0), *(table.ravel() for table in tables)])
    room = np.zeros((3, most), dtype=np.int64)
    return Apart(distance, start, room[0], room[1], room[2])


@kernel
def apart(parts, grid, view, state, k, cells):
    """Cut parts at the widest column: numbers at the median, categories one by one."""
    while cells > 0 and parts.counts[OPEN] > 0:
        start, stop = top(parts)
        cells -= len(grid.spans) * (stop - start)
        size = look(parts, grid, view)
        if size < 2 * k or not any_cut(parts, grid, view, state, k, size):
            close(parts)


@kernel
def any_cut(parts, grid, view, state, k, size):
    """Cut the part on top at the widest column, else at the next; whether there is a cut."""
    for _ in range(len(view.wide)):
        j = widest(view.wide)
        if view.wide[j] <= 0.0:
            return False
        if state.start[j] < 0:
            if median_cut(parts, grid, view, j, k, size):
                divide(parts)
                return True
        else:
            sides = choose_sides(parts, grid, view, state, j, k)
            if sides > 1:
                share_out(parts, grid, state, j, sides)
                return True
        view.wide[j] = 0.0
    return False


@kernel
def choose_sides(parts, grid, view, state, j, k):
    """A side for each value of column j that may be a part of its own, and one for the rest; how many sides.

    A rest that may not be a part takes in the nearest value, again and again.
    """
    low, high = view.low[j], view.high[j]
    rest = split(parts, grid, state, j, low, high, k)
    while rest > 0 and (rest < k or not keeps(parts, grid, state, j, REST)):
        value = nearest(grid, state, j, low, high)
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
def split(parts, grid, state, j, low, high, k):
    """Count the records of each value of column j; those that may be parts are sides. The records of the rest."""
    start, stop = top(parts)
    state.records[low : high + 1] = 0
    for i in range(start, stop):
        state.records[grid.ranks[parts.rows[i], j]] += grid.counts[parts.rows[i]]
    rest = 0
    for value in range(low, high + 1):
        state.side[value] = value
    for value in range(low, high + 1):
        if state.records[value] < k or not keeps(parts, grid, state, j, value):
            state.side[value] = REST
            rest += state.records[value]
    return rest


@kernel
def keeps(parts, grid, state, j, side):
    """Whether the records of one side have what every group must have besides k records."""
    if not asks(grid):
        return True
    start, stop = top(parts)
    tally = no_tally(grid.demands)
    for i in range(start, stop):
        t = parts.rows[i]
        if state.side[grid.ranks[t, j]] == side:
            add(grid.demands, tally, grid.record[t], grid.counts[t])
    return holds(grid.demands, tally)


@kernel
def nearest(grid, state, j, low, high):
    """The value set apart that is nearest to the records of the rest; of several the rarest, then the first."""
    best, least = REST, np.inf
    width = grid.first[j + 1] - grid.first[j]
    for value in range(low, high + 1):
        if state.side[value] != REST:
            total = 0.0
            for other in range(low, high + 1):
                if state.side[other] == REST:
                    total += state.records[other] * state.distance[state.start[j] + value * width + other]
            if total < least or (total == least and state.records[value] < state.records[best]):
                best, least = value, total
    return best


@kernel
def share_out(parts, grid, state, j, sides):
    """Cut the part on top into its sides."""
    start, stop = top(parts)
    state.place[: sides + 1] = 0
    for i in range(start, stop):
        parts.spare[i] = parts.rows[i]
        state.place[state.side[grid.ranks[parts.rows[i], j]] + 1] += 1
    state.place[0] = start
    first = parts.counts[OPEN] - 1
    for side in range(sides):
        state.place[side + 1] += state.place[side]
        parts.ends[first + side, 0], parts.ends[first + side, 1] = state.place[side], state.place[side + 1]
    for i in range(start, stop):
        side = state.side[grid.ranks[parts.spare[i], j]]
        parts.rows[state.place[side]] = parts.spare[i]
        state.place[side] += 1
    parts.counts[OPEN] += sides - 1

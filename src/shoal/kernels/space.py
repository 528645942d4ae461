"""Points of numbers and categories: how far they are apart, and the center of several.

The sums of a group are one row: the sum of each number, then, for every node of every category, the sum of its
distances to the records of the group. The squares of a group are those of the categories alone, by node: the sum of
the squared distances that the node would have as the center.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import kernel, part
from shoal.values import FloatVector, Space


def no_sums(space: Space) -> FloatVector:
    """The sums of a group without records."""
    return np.zeros(space.numbers + len(space.sketch))


@part
def copy(row, to):
    """Copy a row into one that is no shorter; an assignment of Numba compiles ten times as long for its error text."""
    for j in range(len(row)):
        to[j] = row[j]


@part
def exact(space, record, point):
    """The squared distance between a record and a point."""
    total = 0.0
    for j in range(space.numbers):
        difference = record[j] - point[j]
        total += difference * difference
    for j in range(len(space.widths)):
        row = space.starts[j] + space.widths[j] * int(point[space.numbers + j])
        total += space.square[row + int(record[space.numbers + j])]
    return total


@part
def add(space, sums, record, times):
    """Add a record so many times to the sums of a group; take it away where that is negative."""
    for j in range(space.numbers):
        sums[j] += times * record[j]
    if len(space.widths) > 0:
        add_costs(space, sums[space.numbers :], record, times)


@part
def add_row(table, row, times, sums, first, width):
    """Add a row of a table so many times to the sums of the nodes of a category."""
    for node in range(width):
        sums[first + node] += times * table[row + node]


@kernel
def add_costs(space, costs, record, times):
    """Add a record so many times to what the nodes of the categories would cost as the center of a group."""
    for j in range(len(space.widths)):
        row = space.starts[j] + space.widths[j] * int(record[space.numbers + j])
        add_row(space.distance, row, times, costs, space.first[j], space.widths[j])


@part
def find_center(space, sums, size, center):
    """Write the center of a group of this size: means, and the nodes of least cost; of several, the first."""
    for j in range(space.numbers):
        center[j] = sums[j] / size
    for j in range(len(space.widths)):
        place, best = space.numbers + space.first[j], 0
        for node in range(1, space.widths[j]):
            if sums[place + node] < sums[place + best]:
                best = node
        center[space.numbers + j] = best


@kernel
def add_squares(space, squares, record, times):
    """Add a record so many times to the squares of a group."""
    for j in range(len(space.widths)):
        row = space.starts[j] + space.widths[j] * int(record[space.numbers + j])
        add_row(space.square, row, times, squares, space.first[j], space.widths[j])


@kernel
def category_error(space, sums, squares):
    """The squared distances of the categories of a group to its center."""
    total = 0.0
    for j in range(len(space.widths)):
        place, best = space.numbers + space.first[j], 0
        for node in range(1, space.widths[j]):
            if sums[place + node] < sums[place + best]:
                best = node
        total += squares[space.first[j] + best]
    return total

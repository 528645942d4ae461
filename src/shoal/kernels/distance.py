"""Squared distances between records of numbers and categories, and group centers.

A row of sums describes a group: the sum of each number, then, for each node of each category, the sum of its
distances to the records. A row of squares is for categories only: for each node, the sum of its squared distances.
"""

from __future__ import annotations

import numpy as np

from shoal.domain import FloatVector, Space
from shoal.kernels.jit import inline, kernel


def zero_sums(space: Space) -> FloatVector:
    """Return the sums of an empty group."""
    return np.zeros(space.n_numeric + len(space.sketch))


@inline
def copy(row, to):
    """Copy a row into one that is no shorter; slice assignment compiles ten times as long in Numba."""
    for j in range(len(row)):
        to[j] = row[j]


@inline
def squared_distance(space, record, point):
    """Return the squared distance between a record and a point."""
    total = 0.0
    for j in range(space.n_numeric):
        difference = record[j] - point[j]
        total += difference * difference
    for j in range(len(space.widths)):
        row = space.table_offsets[j] + space.widths[j] * int(point[space.n_numeric + j])
        total += space.squared_distances[row + int(record[space.n_numeric + j])]
    return total


@inline
def add(space, sums, record, times):
    """Add a record ``times`` times to the sums of a group; a negative number removes it."""
    for j in range(space.n_numeric):
        sums[j] += times * record[j]
    if len(space.widths) > 0:
        add_costs(space, sums[space.n_numeric :], record, times)


@inline
def add_row(table, row, times, sums, first, width):
    """Add a row of a distance table, ``times`` times, to the sums of the nodes of a category."""
    for node in range(width):
        sums[first + node] += times * table[row + node]


@kernel
def add_costs(space, costs, record, times):
    """Add a record ``times`` times to the cost of each category node as the center of a group."""
    for j in range(len(space.widths)):
        row = space.table_offsets[j] + space.widths[j] * int(record[space.n_numeric + j])
        add_row(space.distance, row, times, costs, space.node_offsets[j], space.widths[j])


@inline
def find_center(space, sums, size, center):
    """Write the center of a group: means, and the nodes of least cost (the first of equal ones)."""
    for j in range(space.n_numeric):
        center[j] = sums[j] / size
    for j in range(len(space.widths)):
        place, best = space.n_numeric + space.node_offsets[j], 0
        for node in range(1, space.widths[j]):
            if sums[place + node] < sums[place + best]:
                best = node
        center[space.n_numeric + j] = best


@kernel
def add_squares(space, squares, record, times):
    """Add a record ``times`` times to the squares of a group."""
    for j in range(len(space.widths)):
        row = space.table_offsets[j] + space.widths[j] * int(record[space.n_numeric + j])
        add_row(space.squared_distances, row, times, squares, space.node_offsets[j], space.widths[j])


@kernel
def category_error(space, sums, squares):
    """Return the sum of squared distances of the categories of a group to its center."""
    total = 0.0
    for j in range(len(space.widths)):
        place, best = space.n_numeric + space.node_offsets[j], 0
        for node in range(1, space.widths[j]):
            if sums[place + node] < sums[place + best]:
                best = node
        total += squares[space.node_offsets[j] + best]
    return total

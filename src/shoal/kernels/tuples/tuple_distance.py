"""Distances between tuples of categories, read from tables, and centers of groups of tuples.

A center is one node per column. The costs of a group hold, for each node of each column, the sum of its distances to
the records of the group; the center has the nodes of least cost. Distances are multiples of a power of two, so adding
and subtracting them is exact.
"""

from __future__ import annotations

import numpy as np

from shoal.domain import FloatVector, Tuples
from shoal.kernels.jit import inline, kernel


def zero_costs(tuples: Tuples) -> FloatVector:
    """Return the costs of an empty group."""
    return np.zeros(int(tuples.widths.sum()))


@inline
def tuple_distance(tuples, t, center):
    """Return the distance between a tuple and a center, or the codes of another tuple.

    The table is symmetric; reading the row of the center keeps it in the CPU cache while other tuples are compared.
    """
    total = 0.0
    for j in range(len(center)):
        total += tuples.distance[tuples.table_offsets[j] + center[j] * tuples.widths[j] + tuples.codes[t, j]]
    return total


@kernel
def add(tuples, costs, t, records):
    """Add ``records`` records of a tuple to the costs of a group; a negative number removes them."""
    place = 0
    for j in range(len(tuples.widths)):
        row = tuples.table_offsets[j] + tuples.codes[t, j] * tuples.widths[j]
        for node in range(tuples.widths[j]):
            costs[place + node] += records * tuples.distance[row + node]
        place += tuples.widths[j]


@kernel
def find_center(tuples, costs, center):
    """Write the node of least cost of each column to the center; ties go to the lowest node."""
    place = 0
    for j in range(len(tuples.widths)):
        best = 0
        for node in range(1, tuples.widths[j]):
            if costs[place + node] < costs[place + best]:
                best = node
        center[j] = best
        place += tuples.widths[j]

"""Meaning: distances between combinations of categories, read from tables, and the centers of groups.

A center is a node for each column. The costs of a group hold, for every node of every column one after another, the
sum of its distances to the records of the group: the center is where they are least. Distances are multiples of a
power of two, so what is added and taken away again leaves no trace.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import kernel, part
from shoal.values import FloatVector, Tuples


def no_costs(tuples: Tuples) -> FloatVector:
    """The costs of a group without records."""
    return np.zeros(int(tuples.widths.sum()))


@part
def apart(tuples, t, center):
    """How far a combination is from a center, or from the codes of another combination.

    Read from the row of the center, the same as that of the combination: it stays at hand while others are compared.
    """
    total = 0.0
    for j in range(len(center)):
        total += tuples.distance[tuples.starts[j] + center[j] * tuples.widths[j] + tuples.codes[t, j]]
    return total


@kernel
def add(tuples, costs, t, records):
    """Add so many records of a combination to a group, or take them away where the number is negative."""
    place = 0
    for j in range(len(tuples.widths)):
        row = tuples.starts[j] + tuples.codes[t, j] * tuples.widths[j]
        for node in range(tuples.widths[j]):
            costs[place + node] += records * tuples.distance[row + node]
        place += tuples.widths[j]


@kernel
def find_center(tuples, costs, center):
    """Write the node of least cost of every column to the center; of several, the first."""
    place = 0
    for j in range(len(tuples.widths)):
        best = 0
        for node in range(1, tuples.widths[j]):
            if costs[place + node] < costs[place + best]:
                best = node
        center[j] = best
        place += tuples.widths[j]

"""Links between original records and released points: whether a record's own point is the nearest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import kernel
from shoal.values import FloatMatrix, FloatVector, IntVector

TIED = 1.0 + 1e-9
"""Squared distances that differ by no more than this factor are equal."""


class Squares(NamedTuple):
    """How rows are compared: ``numbers`` first, then codes by the tables of weight · d², one after another in
    ``square``; that of category j begins at ``starts[j]`` and has rows of ``widths[j]``."""

    numbers: int
    square: FloatVector
    starts: IntVector
    widths: IntVector


@kernel
def apart(squares, record, point, limit):
    """The squared distance of two rows; where it exceeds the limit, any number beyond that. NaN is not compared."""
    total = 0.0
    for j in range(squares.numbers):
        difference = record[j] - point[j]
        if not np.isnan(difference):
            total += difference * difference
        if total > limit:
            return total
    for j in range(len(squares.widths)):
        row = squares.starts[j] + squares.widths[j] * int(record[squares.numbers + j])
        total += squares.square[row + int(point[squares.numbers + j])]
        if total > limit:
            return total
    return total


@kernel
def credit(
    squares: Squares, records: FloatMatrix, points: FloatMatrix, sizes: FloatVector, own: IntVector
) -> FloatVector:
    """For each record 1 / the number of released records that are as near as its own point; 0 where some are nearer."""
    found = np.zeros(len(records))
    for i in range(len(records)):
        limit, alike = apart(squares, records[i], points[own[i]], np.inf) * TIED, 0.0
        for c in range(len(points)):
            distance = apart(squares, records[i], points[c], limit)
            if distance * TIED * TIED < limit:
                alike = np.inf
                break
            if distance <= limit:
                alike += sizes[c]
        found[i] = 1.0 / alike
    return found

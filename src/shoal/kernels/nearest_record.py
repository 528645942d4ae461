"""Record linkage: whether the nearest released point of an original record is its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatMatrix, FloatVector, IntVector
from shoal.kernels.jit import kernel

TIE_FACTOR = 1.0 + 1e-9
"""Squared distances that differ by no more than this factor are tied."""


class RowDistance(NamedTuple):
    """Distance of two rows: ``numbers`` first, then category codes.

    The tables of weight · d² of the categories follow one another in ``square``: table j starts at ``starts[j]`` and
    has rows of ``widths[j]``.
    """

    numbers: int
    square: FloatVector
    starts: IntVector
    widths: IntVector


@kernel
def squared_distance(metric, record, point, limit):
    """The squared distance of two rows, skipping NaN; beyond the limit, any number above it."""
    total = 0.0
    for j in range(metric.numbers):
        difference = record[j] - point[j]
        if not np.isnan(difference):
            total += difference * difference
        if total > limit:
            return total
    for j in range(len(metric.widths)):
        row = metric.starts[j] + metric.widths[j] * int(record[metric.numbers + j])
        total += metric.square[row + int(point[metric.numbers + j])]
        if total > limit:
            return total
    return total


@kernel
def linkage_credit(
    metric: RowDistance, records: FloatMatrix, released: FloatMatrix, class_sizes: FloatVector, class_of: IntVector
) -> FloatVector:
    """For each record 1 / the number of released records as near as its own point; 0 if some are nearer."""
    result = np.zeros(len(records))
    for i in range(len(records)):
        limit, n_tied = squared_distance(metric, records[i], released[class_of[i]], np.inf) * TIE_FACTOR, 0.0
        for c in range(len(released)):
            distance = squared_distance(metric, records[i], released[c], limit)
            if distance * TIE_FACTOR * TIE_FACTOR < limit:
                n_tied = np.inf
                break
            if distance <= limit:
                n_tied += class_sizes[c]
        result[i] = 1.0 / n_tied
    return result

"""Distinct released records: one per equivalence class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import BoolVector, FloatVector, IntMatrix, IntVector
from shoal.domain.arrays import dense_ranks
from shoal.metrics.inputs import MetricInputs
from shoal.metrics.partial_sums import KeyedCounts


class ReleasedPoints(NamedTuple):
    """The distinct records of a release.

    A value that was missing before the release is ignored, whatever was released in its place. Each column of a point
    therefore comes from records that had a value: the first of them for numbers, the majority for categories.
    """

    labels: IntVector
    source_rows: IntMatrix
    """For each point and numeric column, the record from which to take the number."""
    codes: IntMatrix

    @property
    def n_points(self) -> int:
        return len(self.source_rows)


def compares_all_columns(inputs: MetricInputs) -> bool:
    """Whether every quasi-identifier can be compared."""
    return 0 < len(inputs.numeric) + len(inputs.categories) == len(inputs.quasi_identifiers)


def released_points(inputs: MetricInputs) -> ReleasedPoints:
    """Compute the distinct records; with wildcards, records with equal cells, missing being a value."""
    labels = inputs.released_classes.labels
    if labels is None:
        labels = number_rows(
            [*(released_number_codes(inputs, j) for j in range(len(inputs.numeric))), *inputs.released_codes.T],
            inputs.records,
        )
    count = int(labels.max()) + 1
    rows = [_first_known_row(labels, ~inputs.is_original_missing(j), count) for j in range(len(inputs.numeric))]
    codes = [
        _most_frequent_code(labels, inputs.released_codes[:, j], len(column.distance))
        for j, column in enumerate(inputs.categories)
    ]
    no_columns = np.empty((count, 0), dtype=np.int64)
    return ReleasedPoints(labels, np.column_stack([no_columns, *rows]), np.column_stack([no_columns, *codes]))


def original_number_codes(inputs: MetricInputs, j: int) -> IntVector:
    """Number the distinct original numbers of a column; missing is one of them."""
    return _dense_codes(inputs.original_values[j], blank=inputs.is_original_missing(j))


def released_number_codes(inputs: MetricInputs, j: int) -> IntVector:
    """Number the distinct released numbers or intervals of a column; missing is one of them."""
    interval = inputs.released_intervals.get(inputs.numeric[j], (inputs.released_values[j],))
    return number_rows([_dense_codes(end, blank=inputs.is_released_missing(j)) for end in interval], inputs.records)


def number_rows(columns: list[IntVector], records: int) -> IntVector:
    """Number the records so that those equal in all columns have the same number."""
    key = np.zeros(records, dtype=np.int64)
    for column in columns:
        key = dense_ranks(key * (int(column.max()) + 1) + column)
    return key


def _dense_codes(numbers: FloatVector, *, blank: BoolVector) -> IntVector:
    codes = np.unique(numbers, return_inverse=True)[1].astype(np.int64) + 1
    return np.where(blank, 0, codes)


def _first_known_row(labels: IntVector, known: BoolVector, count: int) -> IntVector:
    """For each point, the first record with a known value, or else the first record."""
    first = np.empty(count, dtype=np.int64)
    for rows in (np.arange(len(labels)), np.flatnonzero(known)):
        first[labels[rows[::-1]]] = rows[::-1]  # the last write wins, so the first row is kept
    return first


def _most_frequent_code(labels: IntVector, nodes: IntVector, width: int) -> IntVector:
    """For each point, the most frequent node; ties go to the smallest."""
    counts = KeyedCounts.of(labels * width + nodes)
    points = counts.keys // width
    order = np.lexsort((-counts.counts, points))
    most_frequent: IntVector = counts.keys[order][np.flatnonzero(np.diff(points[order], prepend=-1))] % width
    return most_frequent

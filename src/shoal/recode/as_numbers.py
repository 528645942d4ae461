"""Released values as numbers and nodes, as a reader would understand them, to measure their information loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from shoal.domain import (
    BoolMatrix,
    BoolVector,
    DateColumn,
    FloatMatrix,
    FloatVector,
    IntegerColumn,
    IntMatrix,
    Partition,
    Records,
    RoundedColumn,
    TextColumn,
    stable_mean,
)
from shoal.recode.number_aggregates import group_bounds
from shoal.recode.recode import ReleasedColumn


class ReleasedNumbers(NamedTuple):
    """Released numbers and dates as a reader would understand them."""

    values: FloatMatrix
    """The released value, or the middle of a released interval; the middle of the column where nothing is released."""
    missing: BoolMatrix | None
    """Mask of values that are not released; None if all are."""


def interval_bounds(
    records: Records, partition: Partition, columns: Mapping[str, ReleasedColumn]
) -> dict[str, tuple[FloatVector, FloatVector]]:
    """Return the bounds of the released intervals by column; NaN where nothing is released."""
    return {
        name: _column_bounds(column, records.values[:, j], records.is_missing(name), partition)
        for j, name in enumerate(records.numeric)
        if isinstance(column := columns[name], TextColumn)
    }


def _column_bounds(
    column: TextColumn, values: FloatVector, original_missing: BoolVector, partition: Partition
) -> tuple[FloatVector, FloatVector]:
    labels = partition.labels
    low, high = group_bounds(values[~original_missing], labels[~original_missing], partition.count)
    missing = (column.codes < 0) | ~np.isfinite(low)[labels]
    if partition.suppressed is not None:
        missing |= partition.suppressed
    return np.where(missing, np.nan, low[labels]), np.where(missing, np.nan, high[labels])


def as_numbers(
    records: Records,
    columns: Mapping[str, ReleasedColumn],
    bounds: Mapping[str, tuple[FloatVector, FloatVector]],
    means: Mapping[str, float] | None = None,
) -> ReleasedNumbers:
    """Return the released numbers and dates; an originally missing value keeps its number, at no loss.

    The number of an interval is its midpoint. That of a value that is not released is the mean of its column, one of
    ``means`` or by default that of these records.
    """
    numbers, missing = np.empty_like(records.values), np.zeros(records.values.shape, dtype=np.bool_)
    for j, name in enumerate(records.numeric):
        values, original_missing, column = records.values[:, j], records.is_missing(name), columns[name]
        if name in bounds:
            released = bounds[name][0] / 2 + bounds[name][1] / 2
        elif isinstance(column, DateColumn):
            released = column.days
        else:
            released = column.numbers if isinstance(column, RoundedColumn | IntegerColumn) else np.asarray(column)
        missing[:, j] = np.isnan(released)
        fill = 0.0
        if missing[:, j].any():
            fill = stable_mean(values[~original_missing]) if means is None else means[name]
        numbers[:, j] = np.where(original_missing, values, np.where(missing[:, j], fill, released))
    return ReleasedNumbers(numbers, missing if missing.any() else None)


def as_nodes(records: Records, columns: Mapping[str, ReleasedColumn]) -> IntMatrix:
    """Return the released node of each categorical value; the missing node or the root where nothing is released."""
    nodes = np.empty_like(records.codes)
    for j, column in enumerate(records.categories):
        released_column, root = columns[column.name], len(column.hierarchy) - 1
        places = released_column.codes if isinstance(released_column, TextColumn) else records.codes[:, j]
        fill = root if column.missing_code is None else column.missing_code
        released = np.where(places < 0, fill, np.minimum(places, root))
        if column.missing_code is None:  # an originally missing value loses nothing
            released = np.where(records.is_missing(column.name), records.codes[:, j], released)
        nodes[:, j] = released
    return nodes

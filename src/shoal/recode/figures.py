"""Released values as figures again: what a reader would take them for, so that their loss can be measured."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.recode.recode import Released
from shoal.values import (
    BoolVector,
    Days,
    FloatMatrix,
    FloatVector,
    IntMatrix,
    Partition,
    Records,
    Whole,
    Worded,
    middle,
)


def as_numbers(records: Records, partition: Partition, columns: Mapping[str, Released]) -> FloatMatrix:
    """The released numbers and dates; the middle of an interval, and the mean of the column where nothing is shown.

    A cell that was missing before has nothing to lose and counts as it is.
    """
    found = np.empty_like(records.values)
    for j, name in enumerate(records.numeric):
        values, gone = records.values[:, j], records.gone(name)
        shown = _shown(columns[name], values, gone, partition)
        blank = np.isnan(shown)
        if blank.any():
            shown = np.where(blank, middle(values[~gone]), shown)
        found[:, j] = np.where(gone, values, shown)
    return found


def _shown(column: Released, values: FloatVector, gone: BoolVector, partition: Partition) -> FloatVector:
    if isinstance(column, Whole):
        return column.numbers
    if isinstance(column, Days):
        return column.days
    if not isinstance(column, Worded):
        return column.astype(np.float64)
    labels, groups = partition.labels, partition.count
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, labels[~gone], values[~gone])
    np.maximum.at(high, labels[~gone], values[~gone])
    hidden = np.zeros(len(values), dtype=np.bool_) if partition.suppressed is None else partition.suppressed
    known = np.isfinite(low)
    middle = np.where(known, np.where(known, low, 0.0) / 2 + np.where(known, high, 0.0) / 2, np.nan)
    return np.where((column.places < 0) | hidden, np.nan, middle[labels])


def as_nodes(records: Records, columns: Mapping[str, Released]) -> IntMatrix:
    """The nodes that stand for the categories of each record; the root where nothing is shown."""
    found = np.empty_like(records.codes)
    for j, meaning in enumerate(records.categories):
        column, root = columns[meaning.name], len(meaning.hierarchy) - 1
        places = column.places if isinstance(column, Worded) else records.codes[:, j]
        blank = root if meaning.gap is None else meaning.gap
        shown = np.where(places < 0, blank, np.minimum(places, root))
        # without a node for it, what was missing before has nothing to lose
        found[:, j] = (
            shown if meaning.gap is not None else np.where(records.gone(meaning.name), records.codes[:, j], shown)
        )
    return found

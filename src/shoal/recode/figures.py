"""Released values as figures again: what a reader would take them for, so that their loss can be measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from shoal.recode.recode import Released
from shoal.values import (
    BoolMatrix,
    BoolVector,
    Days,
    FloatMatrix,
    FloatVector,
    IntMatrix,
    Partition,
    Records,
    Rounded,
    Whole,
    Worded,
    middle,
)


class Numbers(NamedTuple):
    """What the numbers and dates of a release mean to a reader."""

    shown: FloatMatrix
    """Of an interval the middle, and the mean of the column where nothing is shown."""
    blank: BoolMatrix | None
    """Where nothing is shown; None where everything is."""
    bounds: dict[str, tuple[FloatVector, FloatVector]]
    """The ends of intervals, for the columns that show such."""


def as_numbers(records: Records, partition: Partition, columns: Mapping[str, Released]) -> Numbers:
    """The released numbers and dates. A cell that was missing before has nothing to lose and counts as it is."""
    found, blank, bounds = np.empty_like(records.values), np.zeros(records.values.shape, dtype=np.bool_), {}
    for j, name in enumerate(records.numeric):
        values, gone, column = records.values[:, j], records.gone(name), columns[name]
        if isinstance(column, Worded):
            bounds[name] = _ends(column, values, gone, partition)
            shown = bounds[name][0] / 2 + bounds[name][1] / 2
        else:
            shown = column.days if isinstance(column, Days) else _plain(column)
        blank[:, j] = np.isnan(shown)
        stand_in = middle(values[~gone]) if blank[:, j].any() else 0.0
        found[:, j] = np.where(gone, values, np.where(blank[:, j], stand_in, shown))
    return Numbers(found, blank if blank.any() else None, bounds)


def _plain(column: FloatVector | Rounded | Whole) -> FloatVector:
    return column.numbers if isinstance(column, Rounded | Whole) else column


def _ends(
    column: Worded, values: FloatVector, gone: BoolVector, partition: Partition
) -> tuple[FloatVector, FloatVector]:
    """The ends of the interval of each record's group; NaN where nothing is shown."""
    labels, groups = partition.labels, partition.count
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, labels[~gone], values[~gone])
    np.maximum.at(high, labels[~gone], values[~gone])
    nothing = (column.places < 0) | ~np.isfinite(low)[labels]
    if partition.suppressed is not None:
        nothing |= partition.suppressed
    return np.where(nothing, np.nan, low[labels]), np.where(nothing, np.nan, high[labels])


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

"""Extent: how much of each column the original values inside a class cover."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.measure.registry import Comparison, loss
from shoal.schema.columns import Kind
from shoal.values import FloatMatrix, FloatVector, IntMatrix, IntVector
from shoal.values.arrays import dense


def extent(values: FloatMatrix, codes: IntMatrix, ordinal: Sequence[bool], labels: IntVector) -> float:
    """The mean over all cells of the extent of their class in their column, from 0 to 1.

    Of numbers it is their range in the class divided by that in the table; of ordinal codes likewise, in places among
    the levels that occur; of other codes the number of different ones less 1, divided by that of the table less 1.
    A column of one value has no extent, and neither has a class in which all are missing (NaN).
    """
    classes = dense(labels)
    order = np.argsort(classes, kind="stable")
    starts = np.flatnonzero(np.diff(classes[order], prepend=-1))
    sizes = np.bincount(classes)
    covered = [_reach(column[order], starts) for column in np.asarray(values).T]
    for column, ordered in zip(np.asarray(codes).T, ordinal, strict=True):
        places = dense(column)
        covered.append(_reach(places[order].astype(np.float64), starts) if ordered else _variety(places, classes))
    if not covered:
        return 0.0
    return float(sum(sizes @ column for column in covered) / (len(labels) * len(covered)))


def _reach(column: FloatVector, starts: IntVector) -> FloatVector:
    """The range of each class, which begin at the starts, as a share of the whole."""
    half = column / 2  # the range of finite numbers may not be finite
    span = np.fmax.reduce(half) - np.fmin.reduce(half)
    reach: FloatVector = np.nan_to_num(np.fmax.reduceat(half, starts) - np.fmin.reduceat(half, starts))
    return reach / span if span > 0 else np.zeros_like(reach)


def _variety(places: IntVector, classes: IntVector) -> FloatVector:
    """The different values of each class less 1, as a share of those of the whole."""
    values = int(places.max()) + 1
    held = np.bincount(np.unique(classes * values + places) // values)
    return (held - 1.0) / max(values - 1, 1)


@loss(
    name="extent",
    formula="mean over cells of the range of the class / that of the column; categories: (values − 1) / (all − 1)",
    range="0 to 1",
    good="low",
    reference="Xu, Wang, Pei, Wang, Shi and Fu (2006), Utility-based anonymization using local recoding, KDD",
)
def class_extent(comparison: Comparison) -> float | None:
    """The share of its column that the original values of a class cover."""
    labels, meaning = comparison.classes.numbers, comparison.meaning
    if labels is None or (comparison.original is None and meaning is None):
        return None
    values = np.empty((len(labels), 0)) if comparison.original is None else comparison.original
    if comparison.gaps is not None and comparison.original is not None:
        values = np.where(comparison.gaps, np.nan, values)
    codes = np.empty((len(labels), 0), dtype=np.int64) if meaning is None else meaning.original
    ordinal = [] if meaning is None else [column.kind is Kind.ORDINAL for column in meaning.categories]
    return extent(values, codes, ordinal, labels)

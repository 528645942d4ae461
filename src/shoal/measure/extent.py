"""Extent: how much of each column the original values inside a class cover."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from shoal.measure.pair import Pair
from shoal.measure.registry import loss
from shoal.schema.columns import Kind
from shoal.threads import share
from shoal.values import FloatVector, IntVector
from shoal.values.arrays import dense


def extent(
    values: Iterable[FloatVector], codes: Iterable[IntVector], ordinal: Sequence[bool], labels: IntVector
) -> float:
    """The mean over all cells of the extent of their class in their column, from 0 to 1; column by column.

    Of numbers it is their range in the class divided by that in the table; of ordinal codes likewise, in places among
    the levels that occur; of other codes the number of different ones less 1, divided by that of the table less 1.
    A column of one value has no extent, and neither has a class in which all are missing (NaN).
    """
    classes = dense(labels)
    order = np.argsort(classes)
    starts = np.flatnonzero(np.diff(classes[order], prepend=-1))
    sizes = np.bincount(classes)

    def cover(column: tuple[IntVector, bool]) -> FloatVector:
        places, ordered = dense(column[0]), column[1]
        return _reach(places[order].astype(np.float64), starts) if ordered else _variety(places, classes)

    covered = list(share(lambda column: _reach(column[order], starts), values, records=len(labels)))
    covered += share(cover, zip(codes, ordinal, strict=True), records=len(labels))
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
    keys = np.sort(classes * values + places)
    held = np.bincount(keys[np.flatnonzero(np.diff(keys, prepend=-1))] // values)
    return (held - 1.0) / max(values - 1, 1)


@loss(
    name="extent",
    label="mean extent of a class",
    formula="mean over cells of the range of the class / that of the column; categories: (values − 1) / (all − 1)",
    range="0 to 1",
    good="low",
    reference="Xu, Wang, Pei, Wang, Shi and Fu (2006), Utility-based anonymization using local recoding, KDD",
    sentence="The original values of a class cover a share of {figure} of their column on average.",
    headline=True,
)
def class_extent(pair: Pair) -> float | None:
    """The share of its column that the original values of a class cover."""
    labels = pair.after.numbers
    if labels is None or not (pair.numeric or pair.categories):
        return None
    values = (
        column if pair.gaps is None else np.where(pair.gone(j), np.nan, column) for j, column in enumerate(pair.values)
    )
    codes = pair.codes.T if pair.categories else ()
    return extent(values, codes, [column.kind is Kind.ORDINAL for column in pair.categories], labels)

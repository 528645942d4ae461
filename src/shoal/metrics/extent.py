"""Extent: how much of each column the original values of a class cover."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from shoal.domain import FloatVector, IntVector
from shoal.domain.arrays import dense_ranks
from shoal.domain.columns import Kind
from shoal.metrics.inputs import MetricInputs
from shoal.metrics.registry import loss
from shoal.system.threads import parallel_map


def extent(
    values: Iterable[FloatVector], codes: Iterable[IntVector], ordinal: Sequence[bool], labels: IntVector
) -> float:
    """The mean over all cells of the extent of their class in their column, from 0 to 1; column by column.

    For numbers it is their range in the class divided by that in the table; for ordinal codes the same by rank among
    the levels that occur; for other codes the number of distinct codes minus 1, divided by that of the table minus 1.
    Constant columns and classes in which all values are missing (NaN) have extent 0.
    """
    classes = dense_ranks(labels)
    order = np.argsort(classes)
    starts = np.flatnonzero(np.diff(classes[order], prepend=-1))
    sizes = np.bincount(classes)

    def code_extent(column: tuple[IntVector, bool]) -> FloatVector:
        ranks, ordered = dense_ranks(column[0]), column[1]
        return (
            _relative_range(ranks[order].astype(np.float64), starts) if ordered else _relative_variety(ranks, classes)
        )

    extents = list(parallel_map(lambda column: _relative_range(column[order], starts), values, records=len(labels)))
    extents += parallel_map(code_extent, zip(codes, ordinal, strict=True), records=len(labels))
    if not extents:
        return 0.0
    return float(sum(sizes @ column for column in extents) / (len(labels) * len(extents)))


def _relative_range(column: FloatVector, starts: IntVector) -> FloatVector:
    """The range of each class as a fraction of the whole range; classes begin at the starts."""
    half = column / 2  # the range of finite numbers may overflow
    span = np.fmax.reduce(half) - np.fmin.reduce(half)
    ranges: FloatVector = np.nan_to_num(np.fmax.reduceat(half, starts) - np.fmin.reduceat(half, starts))
    return ranges / span if span > 0 else np.zeros_like(ranges)


def _relative_variety(codes: IntVector, classes: IntVector) -> FloatVector:
    """The number of distinct values of each class minus 1, as a fraction of that of the table."""
    n_values = int(codes.max()) + 1
    keys = np.sort(classes * n_values + codes)
    distinct = np.bincount(keys[np.flatnonzero(np.diff(keys, prepend=-1))] // n_values)
    return (distinct - 1.0) / max(n_values - 1, 1)


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
def class_extent(inputs: MetricInputs) -> float | None:
    """Mean fraction of its column that the original values of a class cover."""
    labels = inputs.released_classes.labels
    if labels is None or not (inputs.numeric or inputs.categories):
        return None
    values = (
        column if inputs.original_missing is None else np.where(inputs.is_original_missing(j), np.nan, column)
        for j, column in enumerate(inputs.original_values)
    )
    codes = inputs.original_codes.T if inputs.categories else ()
    return extent(values, codes, [column.kind is Kind.ORDINAL for column in inputs.categories], labels)

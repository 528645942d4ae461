"""Suppression of outliers: records whose removal saves more loss than their suppression costs.

The loss of a record is the extent of its group in each column: the range as a fraction of the range in the table; for
categories, the distinct values minus 1 as a fraction of those in the table minus 1. A suppressed record loses 1 in
every column.
"""

from __future__ import annotations

import numpy as np

from shoal.domain import FloatVector, IntVector, Records


class GroupExtents:
    """Extents of groups by column, with and without each record."""

    def __init__(self, records: Records) -> None:
        halves = records.values / 2  # the range of finite numbers can overflow
        self._numbers = [(halves[:, j], float(np.ptp(halves[:, j]))) for j in range(len(records.numeric))]
        self._codes = [records.codes[:, j] for j in range(len(records.categories))]
        self.n_columns = len(self._numbers) + len(self._codes)

    def losses(self, rows: IntVector, labels: IntVector) -> tuple[float, FloatVector]:
        """Return the total loss of these records, and the loss that suppressing each record would save."""
        groups = int(labels.max()) + 1
        sizes = np.bincount(labels, minlength=groups)
        extent, without = np.zeros(len(rows)), np.zeros(len(rows))
        for values, span in self._numbers:
            if span > 0:
                with_all, with_less = _ranges(values[rows] / span, labels)
                extent += with_all
                without += with_less
        for codes in self._codes:
            distinct = len(np.unique(codes))
            if distinct > 1:
                with_all, with_less = _varieties(codes[rows], labels)
                extent += with_all / (distinct - 1)
                without += with_less / (distinct - 1)
        size = sizes[labels]
        return float(extent.sum()), size * extent - (size - 1) * without - self.n_columns


def _ranges(values: FloatVector, labels: IntVector) -> tuple[FloatVector, FloatVector]:
    """Return for each record the range of its group with and without the record."""
    order = np.lexsort((values, labels))
    ordered, groups = values[order], labels[order]
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    stops = np.append(starts[1:], len(values)) - 1
    number = np.repeat(np.arange(len(starts)), stops - starts + 1)
    low, high = ordered[starts][number], ordered[stops][number]
    next_low, next_high = ordered[np.minimum(starts + 1, stops)][number], ordered[np.maximum(stops - 1, starts)][number]
    position = np.arange(len(values))
    least = np.where(position == starts[number], next_low, low)
    most = np.where(position == stops[number], next_high, high)
    extent, without = np.empty_like(values), np.empty_like(values)
    extent[order], without[order] = high - low, np.maximum(most - least, 0.0)
    return extent, without


def _varieties(codes: IntVector, labels: IntVector) -> tuple[FloatVector, FloatVector]:
    """Return for each record the distinct values of its group minus 1, with and without the record."""
    width = int(codes.max()) + 1
    pairs, pair, count = np.unique(labels * width + codes, return_inverse=True, return_counts=True)
    varieties: FloatVector = np.bincount(pairs // width, minlength=int(labels.max()) + 1)[labels].astype(np.float64) - 1
    return varieties, np.maximum(varieties - (count[pair] == 1), 0.0)


def suppression_candidates(saved: FloatVector, labels: IntVector, *, min_count: int, max_count: int) -> IntVector:
    """Return the records to suppress next: from each group the record that saves most, if it saves anything.

    If any record saves something, at least ``min_count`` are returned, and at most ``max_count``.
    """
    order = np.lexsort((np.arange(len(saved)), -saved, labels))
    best = order[np.flatnonzero(np.diff(labels[order], prepend=-1))]
    best = best[np.lexsort((best, -saved[best]))]
    n_saving = int((saved[best] > 0).sum())
    return best[: min(max(n_saving, min_count), max_count)] if n_saving else best[:0]

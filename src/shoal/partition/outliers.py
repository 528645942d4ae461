"""Outliers: records that cost their groups more than they are worth, and are suppressed for that.

The yardstick is the extent of a group: in each column the range of its values as a share of that in the table, or
of categories the share of the different values that it has beyond one. Each of its records loses as much, and a
suppressed record loses all: 1 in every column.
"""

from __future__ import annotations

import numpy as np

from shoal.values import FloatVector, IntVector, Records


class Extents:
    """The extents of the groups, column by column, and what they would be without one record."""

    def __init__(self, records: Records) -> None:
        halves = records.values / 2  # the range of finite numbers may not be finite
        self._numbers = [(halves[:, j], float(np.ptp(halves[:, j]))) for j in range(len(records.numeric))]
        self._codes = [records.codes[:, j] for j in range(len(records.categories))]
        self.columns = len(self._numbers) + len(self._codes)

    def losses(self, rows: IntVector, labels: IntVector) -> tuple[float, FloatVector]:
        """The sum of the extents over these records in their groups, and how much of it each record would save."""
        groups = int(labels.max()) + 1
        sizes = np.bincount(labels, minlength=groups)
        whole, without = np.zeros(len(rows)), np.zeros(len(rows))
        for values, span in self._numbers:
            if span > 0:
                with_all, with_less = _ranges(values[rows] / span, labels)
                whole += with_all
                without += with_less
        for codes in self._codes:
            distinct = len(np.unique(codes))
            if distinct > 1:
                with_all, with_less = _varieties(codes[rows], labels)
                whole += with_all / (distinct - 1)
                without += with_less / (distinct - 1)
        size = sizes[labels]
        return float(whole.sum()), size * whole - (size - 1) * without - self.columns


def _ranges(values: FloatVector, labels: IntVector) -> tuple[FloatVector, FloatVector]:
    """For each record the range of its group, and what it would be without the record."""
    order = np.lexsort((values, labels))
    ordered, groups = values[order], labels[order]
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    stops = np.append(starts[1:], len(values)) - 1
    number = np.repeat(np.arange(len(starts)), stops - starts + 1)
    low, high = ordered[starts][number], ordered[stops][number]
    next_low, next_high = ordered[np.minimum(starts + 1, stops)][number], ordered[np.maximum(stops - 1, starts)][number]
    place = np.arange(len(values))
    least = np.where(place == starts[number], next_low, low)
    most = np.where(place == stops[number], next_high, high)
    whole, without = np.empty_like(values), np.empty_like(values)
    whole[order], without[order] = high - low, np.maximum(most - least, 0.0)
    return whole, without


def _varieties(codes: IntVector, labels: IntVector) -> tuple[FloatVector, FloatVector]:
    """For each record the different values of its group beyond one, and what they would be without the record."""
    width = int(codes.max()) + 1
    pairs, place, count = np.unique(labels * width + codes, return_inverse=True, return_counts=True)
    varieties: FloatVector = np.bincount(pairs // width, minlength=int(labels.max()) + 1)[labels].astype(np.float64) - 1
    return varieties, np.maximum(varieties - (count[place] == 1), 0.0)


def candidates(saved: FloatVector, labels: IntVector, *, least: int, most: int) -> IntVector:
    """The records to suppress next: of each group the one that saves most, those that save anything at all.

    At least so many, although some of them save nothing by themselves, and at most so many.
    """
    order = np.lexsort((np.arange(len(saved)), -saved, labels))
    best = order[np.flatnonzero(np.diff(labels[order], prepend=-1))]
    best = best[np.lexsort((best, -saved[best]))]
    worth = int((saved[best] > 0).sum())
    return best[: min(max(worth, least), most)] if worth else best[:0]

"""Points: what the release shows, once for each class of alike records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.measure.pair import Pair
from shoal.measure.sums import Tally
from shoal.values import BoolVector, FloatVector, IntMatrix, IntVector
from shoal.values.arrays import dense


class Points(NamedTuple):
    """The different records of a release.

    What was missing counts as it is in a pair, whatever was released in its place. So each column of a point is told by
    records that had a value there: numbers by the first of them, categories by the most.
    """

    labels: IntVector
    """The point of each record."""
    tellers: IntMatrix
    """For each point and numeric column the record that tells its number."""
    nodes: IntMatrix
    """The categories of each point."""

    @property
    def number(self) -> int:
        return len(self.tellers)


def complete(pair: Pair) -> bool:
    """Whether every quasi-identifier is there to be compared."""
    return 0 < len(pair.numeric) + len(pair.categories) == len(pair.names)


def released_points(pair: Pair) -> Points:
    """The points of a release; where wildcards make no classes, those that look the same, missing as a value."""
    labels = pair.after.numbers
    if labels is None:
        labels = numbered([*(shown_codes(pair, j) for j in range(len(pair.numeric))), *pair.nodes.T], pair.records)
    count = int(labels.max()) + 1
    tellers = [_teller(labels, ~pair.gone(j), count) for j in range(len(pair.numeric))]
    nodes = [_usual(labels, pair.nodes[:, j], len(column.distance)) for j, column in enumerate(pair.categories)]
    nothing = np.empty((count, 0), dtype=np.int64)
    return Points(labels, np.column_stack([nothing, *tellers]), np.column_stack([nothing, *nodes]))


def original_codes(pair: Pair, j: int) -> IntVector:
    """The different original numbers of a column, numbered; missing is one of them."""
    return _codes(pair.values[j], blank=pair.gone(j))


def shown_codes(pair: Pair, j: int) -> IntVector:
    """The different released numbers or intervals of a column, numbered; nothing shown is one of them."""
    ends = pair.bounds.get(pair.numeric[j], (pair.shown[j],))
    return numbered([_codes(end, blank=pair.empty(j)) for end in ends], pair.records)


def numbered(columns: list[IntVector], records: int) -> IntVector:
    """A number for each record, the same for those that are equal in all columns."""
    key = np.zeros(records, dtype=np.int64)
    for column in columns:
        key = dense(key * (int(column.max()) + 1) + column)
    return key


def _codes(numbers: FloatVector, *, blank: BoolVector) -> IntVector:
    place = np.unique(numbers, return_inverse=True)[1].astype(np.int64) + 1
    return np.where(blank, 0, place)


def _teller(labels: IntVector, known: BoolVector, count: int) -> IntVector:
    """For each point the first record that is known, or else the first."""
    found = np.empty(count, dtype=np.int64)
    for rows in (np.arange(len(labels)), np.flatnonzero(known)):
        found[labels[rows[::-1]]] = rows[::-1]  # what is written last stays: the first row
    return found


def _usual(labels: IntVector, nodes: IntVector, width: int) -> IntVector:
    """For each point the most frequent node, of several the lowest."""
    tally = Tally.of(labels * width + nodes)
    points = tally.keys // width
    order = np.lexsort((-tally.counts, points))
    usual: IntVector = tally.keys[order][np.flatnonzero(np.diff(points[order], prepend=-1))] % width
    return usual

"""The sensitive values of every class: what the disclosures count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from shoal.measure.pair import Facts, Pair
from shoal.measure.sums import Tally
from shoal.tables.diversity import Occurrences
from shoal.values import FloatVector, Sensitive


class Values(NamedTuple):
    """For each sensitive column the records of each class with each value, by class · values + value."""

    columns: tuple[Tally, ...]


class Cells(NamedTuple):
    """One sensitive column: its values in each class, and their shares in the table."""

    column: Sensitive
    classes: Occurrences
    shares: FloatVector

    @property
    def most(self) -> FloatVector:
        """The records of the most frequent value of each class."""
        return np.maximum.reduceat(self.classes.records, self.classes.starts).astype(np.float64)


def values(block: Pair) -> Values | None:
    """Of a block; None where wildcards make no classes, or nothing is sensitive. Missing is a value."""
    classes = block.after.numbers
    if classes is None or not block.sensitive:
        return None
    return Values(tuple(Tally.of(classes * column.count + column.codes) for column in block.sensitive))


def by_column(sums: Values, facts: Facts, figure: Callable[[Cells], float]) -> dict[str, float | None]:
    """A figure for each sensitive column."""
    return {cells.column.name: figure(cells) for cells in _columns(sums, facts)}


def _columns(sums: Values, facts: Facts) -> Iterator[Cells]:
    for column, tally in zip(facts.sensitive, sums.columns, strict=True):
        classes = Occurrences.of(tally.keys, tally.counts, column.count)
        shares = np.bincount(classes.value, classes.records, minlength=column.count) / facts.records
        yield Cells(column, classes, shares)

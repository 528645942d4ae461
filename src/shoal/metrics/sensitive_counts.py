"""Counts of the sensitive values in each equivalence class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from shoal.data.model_checks import ClassValueCounts
from shoal.domain import FloatVector, SensitiveColumn
from shoal.metrics.inputs import MetricInputs, TableFacts
from shoal.metrics.partial_sums import KeyedCounts


class SensitiveCounts(NamedTuple):
    """For each sensitive column, the number of records by class · values + value."""

    columns: tuple[KeyedCounts, ...]


class ClassDistribution(NamedTuple):
    """One sensitive column: its value counts per class and its distribution in the whole table."""

    column: SensitiveColumn
    classes: ClassValueCounts
    frequencies: FloatVector

    @property
    def most_frequent(self) -> FloatVector:
        """The number of records with the most frequent value of each class."""
        return np.maximum.reduceat(self.classes.records, self.classes.starts).astype(np.float64)


def count_values(block: MetricInputs) -> SensitiveCounts | None:
    """Count the values in a block, missing being one; None with wildcards or without sensitive columns."""
    classes = block.released_classes.labels
    if classes is None or not block.sensitive:
        return None
    return SensitiveCounts(
        tuple(KeyedCounts.of(classes * column.n_values + column.codes) for column in block.sensitive)
    )


def metric_by_column(
    sums: SensitiveCounts, facts: TableFacts, metric: Callable[[ClassDistribution], float]
) -> dict[str, float | None]:
    """Compute a metric for each sensitive column."""
    return {cells.column.name: metric(cells) for cells in _columns(sums, facts)}


def _columns(sums: SensitiveCounts, facts: TableFacts) -> Iterator[ClassDistribution]:
    for column, tally in zip(facts.sensitive, sums.columns, strict=True):
        classes = ClassValueCounts.from_keys(tally.keys, tally.counts, column.n_values)
        shares = np.bincount(classes.value, classes.records, minlength=column.n_values) / facts.records
        yield ClassDistribution(column, classes, shares)

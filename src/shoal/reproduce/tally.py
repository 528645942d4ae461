"""Counts of the original data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal import tables
from shoal.reproduce.readings import CountReading
from shoal.tables import Table


@dataclass(frozen=True)
class CountResult:
    """A count of records or values, and the number of all records."""

    count: int
    records: int
    seconds: None = None
    """Counts are not timed."""

    @property
    def percent(self) -> float:
        return 100.0 * self.count / self.records


def count_data(table: Table, count: CountReading, k: int | None) -> CountResult:
    """Count records or values; with k, only records in classes of fewer than k."""
    if count.values_of:
        return CountResult(len(tables.value_counts(table, count.values_of)), table.height)
    sizes = tables.class_sizes(table, table.names)
    if count.n_most_frequent:
        size, records = np.unique(sizes, return_counts=True)
        classes = np.repeat(size, records // size)
        return CountResult(int(classes[-count.n_most_frequent :].sum()), table.height)
    counted = np.full(table.height, fill_value=True) if k is None else sizes < k
    for name, value in count.where.items():
        counted &= (table.cells.content(name).text_values == value).to_numpy()
    return CountResult(int(counted.sum()), table.height)

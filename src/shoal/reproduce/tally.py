"""Counts of a data set as it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal import tables
from shoal.reproduce.readings import Count
from shoal.tables import Table


@dataclass(frozen=True)
class Tally:
    """Records, or values, that were counted, and the number of all records."""

    count: int
    records: int
    seconds: None = None
    """Counting is not timed."""

    @property
    def percent(self) -> float:
        return 100.0 * self.count / self.records


def tally(table: Table, count: Count, k: int | None) -> Tally:
    """Count what is asked for; with k, only records in classes below it."""
    if count.values_of:
        return Tally(len(tables.value_counts(table, count.values_of)), table.height)
    sizes = tables.class_sizes(table, table.names)
    if count.most:
        size, records = np.unique(sizes, return_counts=True)
        classes = np.repeat(size, records // size)
        return Tally(int(classes[-count.most :].sum()), table.height)
    counted = np.full(table.height, fill_value=True) if k is None else sizes < k
    for name, value in count.where.items():
        counted &= (table.cells.content(name).words == value).to_numpy()
    return Tally(int(counted.sum()), table.height)

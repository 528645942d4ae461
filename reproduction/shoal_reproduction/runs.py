"""Timed and cached runs of methods on the datasets."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal import data, kernels
from shoal.data import Table
from shoal.domain import Partition, Records, TextColumn
from shoal.metrics import CategoryCodes, semantic_loss, total_sum_of_squares
from shoal.microaggregation import registry
from shoal.recode import recode
from shoal.release.partition import partition
from shoal_reproduction.as_printed import loss_as_printed, sizes_as_printed
from shoal_reproduction.datasets import DATASETS, build_hierarchies, encode_table, has_hierarchies, load
from shoal_reproduction.hierarchies import WORDNET
from shoal_reproduction.readings import CountReading, MethodReading

REPEATS = 5
"""Number of runs on a small table, which takes less than a millisecond; the minimum time counts."""


@dataclass(frozen=True)
class RunResult:
    """Result of a run: loss, risk and time; None if not applicable."""

    information_loss: float | None
    sse: float | None
    seconds: float | None
    semantic_loss: float | None = None
    global_risk: float | None = None
    classes: int | None = None
    c_avg: float | None = None
    below_k: int | None = None
    """Number of records in classes of fewer than k."""


class RunCache:
    """Cache of runs, tables and records."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tables: dict[str, Table | None] = {}
        self.records: dict[str, Records] = {}
        self.results: dict[tuple[Any, ...], RunResult] = {}
        self.missing_files: dict[str, None] = {}
        """Files that were needed and are not in the folder, in order."""

    def table(self, name: str) -> Table | None:
        if name not in self.tables:
            self.tables[name] = load(DATASETS[name], self.folder)
            if self.tables[name] is None:
                self.missing_files[DATASETS[name].file] = None
        return self.tables[name]

    def evaluate(
        self, reading: MethodReading | CountReading, dataset: str, k: int | None
    ) -> RunResult | CountResult | None:
        """Evaluate a reading: a run or a count."""
        if isinstance(reading, MethodReading):
            return self.run(reading, dataset, k)
        table = self.table(reading.dataset or dataset)
        return None if table is None else count_data(table, reading, k)

    def run(self, reading: MethodReading, dataset: str, k: int | None) -> RunResult | None:
        name = reading.dataset or dataset
        table = self.table(name)
        if table is None:
            return None
        if not has_hierarchies(DATASETS[name], self.folder):
            self.missing_files[WORDNET] = None
            return None
        key = (reading.method, tuple(reading.options.items()), reading.standardize, reading.as_printed, name, k)
        if key not in self.results:
            self.results[key] = self._run(reading, name, table, k)
        return self.results[key]

    def _run(self, reading: MethodReading, name: str, table: Table, k: int | None) -> RunResult:
        if DATASETS[name].categories:
            return _run_on_categories(reading, self._encoded(name, table), k)
        if DATASETS[name].mixed:
            return run_on_mixed(reading, encode_table(table), k or 0)
        return _on_numbers(reading, table, k or 0)

    def _encoded(self, name: str, table: Table) -> Records:
        """Encode a categorical dataset, once."""
        if name not in self.records:
            self.records[name] = encode_table(table, hierarchies=build_hierarchies(DATASETS[name], table, self.folder))
        return self.records[name]


def _now() -> float:
    """Return a time in seconds that excludes compiling and loading of kernels."""
    return time.perf_counter() - kernels.jit.compile_seconds()


def _on_numbers(reading: MethodReading, table: Table, k: int) -> RunResult:
    options: dict[str, Any] = dict(reading.options)
    records = encode_table(table, standardize=reading.standardize)
    start = _now()
    if reading.as_printed:
        loss = loss_as_printed(records, k)
    else:
        groups = partition(table, k=k, method=reading.method, standardize=reading.standardize, **options)
        loss = groups.information_loss or 0.0
    seconds = _now() - start
    return RunResult(loss, loss / 100.0 * total_sum_of_squares(records.matrix), seconds)


def run_on_mixed(reading: MethodReading, records: Records, k: int) -> RunResult:
    """Return the classes, c_avg and the records in classes below k; the time is that of the method only."""
    seconds = []
    for _ in range(REPEATS):
        start = _now()
        if reading.as_printed:
            sizes = sizes_as_printed(records, k)
        else:
            sizes = registry.run(records, k=k, method=reading.method, options=reading.options).sizes
        seconds.append(_now() - start)
    return RunResult(
        None,
        None,
        min(seconds),
        classes=len(sizes),
        c_avg=records.count / (len(sizes) * k),
        below_k=int(sizes[sizes < k].sum()),
    )


def _run_on_categories(reading: MethodReading, records: Records, k: int | None) -> RunResult:
    """Return loss and risk of the released semantic centroids; the time is that of the method only."""
    if k is None:
        return _evaluate_release(records, Partition(records.tuple_index, k=1, method=reading.method), seconds=None)
    start = _now()
    groups = registry.run(records, k=k, method=reading.method, options=reading.options)
    return _evaluate_release(records, groups, seconds=_now() - start)


def _evaluate_release(records: Records, groups: Partition, *, seconds: float | None) -> RunResult:
    columns = recode(records, groups, recodings=dict.fromkeys(records.names, "centroid")).values()
    released = np.column_stack([column.codes for column in columns if isinstance(column, TextColumn)])
    _, first = np.unique(groups.labels, return_index=True)
    classes = len(np.unique(released[first], axis=0))  # groups with the same centroids form one class
    loss = semantic_loss(CategoryCodes(records.categories, records.codes, released))
    return RunResult(None, None, seconds, semantic_loss=loss, global_risk=100.0 * classes / records.count)


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
        return CountResult(len(data.value_counts(table, count.values_of)), table.height)
    sizes = data.class_sizes(table, table.names)
    if count.n_most_frequent:
        size, records = np.unique(sizes, return_counts=True)
        classes = np.repeat(size, records // size)
        return CountResult(int(classes[-count.n_most_frequent :].sum()), table.height)
    counted = np.full(table.height, fill_value=True) if k is None else sizes < k
    for name, value in count.where.items():
        counted &= (table.cells.content(name).text_values == value).to_numpy()
    return CountResult(int(counted.sum()), table.height)

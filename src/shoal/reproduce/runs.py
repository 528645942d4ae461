"""Runs of methods on the data sets, each done once and timed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal import kernels
from shoal.measure import Meaning, semantic_loss, variation
from shoal.partition import registry
from shoal.partitions import partition
from shoal.recode import recode
from shoal.reproduce.datasets import DATASETS, encoded, has_trees, hierarchies, load
from shoal.reproduce.leftover import loss_as_printed
from shoal.reproduce.readings import Count, Reading
from shoal.reproduce.tally import Tally, tally
from shoal.reproduce.trees import WORDNET
from shoal.reproduce.xmondrian import sizes_as_printed
from shoal.tables import Table
from shoal.values import Partition, Records, Worded

TIMES = 5
"""How often a method is run on a small table: one run is over in less than a millisecond, and the least time counts."""


@dataclass(frozen=True)
class Run:
    """One run of a method: what it lost and how long it took; what does not apply is None."""

    information_loss: float | None
    sse: float | None
    seconds: float | None
    semantic_loss: float | None = None
    global_risk: float | None = None
    classes: int | None = None
    c_avg: float | None = None
    below_k: int | None = None
    """The records in classes of fewer than k."""


class Runs:
    """Runs of methods, each done once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tables: dict[str, Table | None] = {}
        self.records: dict[str, Records] = {}
        self.done: dict[tuple[Any, ...], Run] = {}
        self.missing: dict[str, None] = {}
        """What was asked for and does not lie in the folder."""

    def table(self, name: str) -> Table | None:
        if name not in self.tables:
            self.tables[name] = load(DATASETS[name], self.folder)
            if self.tables[name] is None:
                self.missing[DATASETS[name].file] = None
        return self.tables[name]

    def figure(self, reading: Reading | Count, dataset: str, k: int | None) -> Run | Tally | None:
        """What a reading comes to: a run, or a count."""
        if isinstance(reading, Reading):
            return self.run(reading, dataset, k)
        table = self.table(reading.dataset or dataset)
        return None if table is None else tally(table, reading, k)

    def run(self, reading: Reading, dataset: str, k: int | None) -> Run | None:
        name = reading.dataset or dataset
        table = self.table(name)
        if table is None:
            return None
        if not has_trees(DATASETS[name], self.folder):
            self.missing[WORDNET] = None
            return None
        key = (reading.method, tuple(reading.options.items()), reading.standardize, reading.as_printed, name, k)
        if key not in self.done:
            self.done[key] = self._run(reading, name, table, k)
        return self.done[key]

    def _run(self, reading: Reading, name: str, table: Table, k: int | None) -> Run:
        if DATASETS[name].categories:
            return _on_categories(reading, self._encoded(name, table), k)
        if DATASETS[name].mixed:
            return on_mixed(reading, encoded(table), k or 0)
        return _on_numbers(reading, table, k or 0)

    def _encoded(self, name: str, table: Table) -> Records:
        """The categories of a data set as records, once."""
        if name not in self.records:
            self.records[name] = encoded(table, hierarchies=hierarchies(DATASETS[name], table, self.folder))
        return self.records[name]


def _now() -> float:
    """Seconds on a clock that stops while kernels are compiled or loaded."""
    return time.perf_counter() - kernels.jit.compile_seconds()


def _on_numbers(reading: Reading, table: Table, k: int) -> Run:
    options: dict[str, Any] = dict(reading.options)
    records = encoded(table, standardize=reading.standardize)
    start = _now()
    if reading.as_printed:
        loss = loss_as_printed(records, k)
    else:
        made = partition(table, k=k, method=reading.method, standardize=reading.standardize, **options)
        loss = made.information_loss or 0.0
    seconds = _now() - start
    return Run(loss, loss / 100.0 * variation(records.matrix), seconds)


def on_mixed(reading: Reading, records: Records, k: int) -> Run:
    """The classes, their mean size and the records in small ones; the seconds are those of the method alone."""
    seconds = []
    for _ in range(TIMES):
        start = _now()
        if reading.as_printed:
            sizes = sizes_as_printed(records, k)
        else:
            sizes = registry.run(records, k=k, method=reading.method, options=reading.options).sizes
        seconds.append(_now() - start)
    return Run(
        None,
        None,
        min(seconds),
        classes=len(sizes),
        c_avg=records.count / (len(sizes) * k),
        below_k=int(sizes[sizes < k].sum()),
    )


def _on_categories(reading: Reading, records: Records, k: int | None) -> Run:
    """Loss and risk on the semantic centroids, as they would be released; the seconds are those of the method alone."""
    if k is None:
        return _released(records, Partition(records.tuple_of, k=1, method=reading.method), seconds=None)
    start = _now()
    made = registry.run(records, k=k, method=reading.method, options=reading.options)
    return _released(records, made, seconds=_now() - start)


def _released(records: Records, made: Partition, *, seconds: float | None) -> Run:
    columns = recode(records, made, ways=dict.fromkeys(records.names, "centroid")).values()
    released = np.column_stack([column.places for column in columns if isinstance(column, Worded)])
    _, first = np.unique(made.labels, return_index=True)
    classes = len(np.unique(released[first], axis=0))  # groups with the same centroids are one class
    loss = semantic_loss(Meaning(records.categories, records.codes, released))
    return Run(None, None, seconds, semantic_loss=loss, global_risk=100.0 * classes / records.count)

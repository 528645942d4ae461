"""Runs of methods on the data sets, each done once and timed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal import kernels
from shoal.anonymize import partition
from shoal.measure import variation
from shoal.reproduce.datasets import DATASETS, encoded, load
from shoal.reproduce.leftover import loss_as_printed
from shoal.reproduce.readings import Reading
from shoal.tables import Table


@dataclass(frozen=True)
class Run:
    """One run of a method: what it lost and how long it took."""

    information_loss: float
    sse: float
    seconds: float


class Runs:
    """Runs of methods, each done once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tables: dict[str, Table | None] = {}
        self.done: dict[tuple[Any, ...], Run] = {}
        self.warm: set[str] = set()

    def table(self, name: str) -> Table | None:
        if name not in self.tables:
            self.tables[name] = load(DATASETS[name], self.folder)
        return self.tables[name]

    def run(self, reading: Reading, dataset: str, k: int) -> Run | None:
        name = reading.dataset or dataset
        table = self.table(name)
        if table is None:
            return None
        key = (reading.method, tuple(reading.options.items()), reading.standardize, reading.as_printed, name, k)
        if key not in self.done:
            compiled: list[bool] = []
            with kernels.jit.compiling(lambda: compiled.append(True)):
                run = self._run(reading, table, k)
            if compiled or reading.method not in self.warm:
                self.warm.add(reading.method)
                run = self._run(reading, table, k)  # compiling, or loading what was compiled, is no part of the seconds
            self.done[key] = run
        return self.done[key]

    def _run(self, reading: Reading, table: Table, k: int) -> Run:
        options: dict[str, Any] = dict(reading.options)
        records = encoded(table, standardize=reading.standardize)
        start = time.perf_counter()
        if reading.as_printed:
            loss = loss_as_printed(records, k)
        else:
            made = partition(table, k=k, method=reading.method, standardize=reading.standardize, **options)
            loss = made.information_loss or 0.0
        seconds = time.perf_counter() - start
        return Run(loss, loss / 100.0 * variation(records.matrix), seconds)

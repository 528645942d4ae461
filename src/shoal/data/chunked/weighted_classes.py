"""Classes of a table with sampling weights, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from shoal.data.chunked.class_counter import plain_cells
from shoal.data.chunked.column_sketch import visible_cells
from shoal.data.chunked.distinct_rows import RECORDS, WEIGHTS, DistinctRows
from shoal.data.table import Table
from shoal.domain import FloatVector, IntVector


class WeightedClasses:
    """Adds up the records and the sampling weights of each class, chunk by chunk."""

    def __init__(self, folder: Path, names: Sequence[str], *, max_bytes: int) -> None:
        self._names = tuple(names)
        self._rows = DistinctRows(folder, [str(j) for j in range(len(names))], parts=64, max_bytes=max_bytes)

    def add(self, chunk: Table, weights: FloatVector) -> None:
        """Add the records of a chunk."""
        cells = [plain_cells(visible_cells(chunk, name)).alias(str(j)) for j, name in enumerate(self._names)]
        counts = [pl.repeat(1, chunk.height, dtype=pl.Int64, eager=True).alias(RECORDS), pl.Series(WEIGHTS, weights)]
        self._rows.add(pl.DataFrame([*cells, *counts]))

    def sums(self) -> Iterator[tuple[IntVector, FloatVector]]:
        """Yield the sizes and the sums of weights of the classes, and remove the files."""
        for rows in self._rows.partitions():
            yield rows[RECORDS].to_numpy(), rows[WEIGHTS].to_numpy()
        self._rows.close()

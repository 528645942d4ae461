"""Distinct rows and sums over them, in bounded memory."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from shoal.data.library_errors import translate_errors
from shoal.errors import OutputError

RECORDS, UNITS, WEIGHTS = "records", "units", "weights"
"""The columns of a frame that are summed; all others are keys."""


def sum_by_keys(rows: pl.DataFrame) -> pl.DataFrame:
    """Group equal rows and sum their records, units and weights."""
    keys = [name for name in rows.columns if name not in (RECORDS, UNITS, WEIGHTS)]
    ordered = WEIGHTS in rows.columns  # so that the sums of floats are always the same
    grouped = rows.group_by(keys, maintain_order=ordered)
    return grouped.agg(pl.col(name).sum() for name in rows.columns if name not in keys)


class DistinctRows:
    """Distinct rows stay in memory while they fit. Above that they are hash-partitioned into files of a folder."""

    def __init__(self, folder: Path, partition_by: Sequence[str], *, parts: int, max_bytes: int) -> None:
        """Keep about ``max_bytes`` bytes in memory; rows that agree in ``partition_by`` are in one partition."""
        self._folder, self._partition_by, self._parts, self._max_bytes = folder, partition_by, parts, max_bytes
        self._buffered: list[pl.DataFrame] = []
        self._run_id = secrets.token_hex(4)
        self._spills = 0

    def add(self, rows: pl.DataFrame) -> None:
        """Add rows of the same columns as all before."""
        self._buffered.append(sum_by_keys(rows))
        if self._size() > self._max_bytes:
            self._buffered = [sum_by_keys(pl.concat(self._buffered))]
            # at half of the limit, so that the next chunks are not merged one by one
            if self._size() > self._max_bytes // 2:
                self._spill()

    def _size(self) -> int:
        return sum(int(frame.estimated_size()) for frame in self._buffered)

    def _spill(self) -> None:
        """Partition the rows in memory into the files by hash."""
        (rows,) = self._buffered
        part = rows.select(self._partition_by).hash_rows(seed=0).to_numpy() % np.uint64(self._parts)
        with translate_errors(
            lambda: OutputError.not_representable(self._folder),
            system=lambda why: OutputError.unwritable(self._folder, why),
        ):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for number in range(self._parts):
                rows_of_partition = rows.filter(pl.Series(part == number))
                if rows_of_partition.height:
                    path = self._file(number, self._spills)
                    path.touch(mode=0o600)
                    rows_of_partition.write_ipc(path)
        self._buffered, self._spills = [], self._spills + 1

    def _file(self, part: int, spill: int) -> Path:
        return self._folder / f"classes-{self._run_id}-{part:05d}-{spill:05d}.arrow"

    def partitions(self) -> Iterator[pl.DataFrame]:
        """Yield the distinct rows with their sums, partition by partition."""
        if self._spills and self._buffered:
            self._buffered = [sum_by_keys(pl.concat(self._buffered))]
            self._spill()
        if not self._spills:
            if self._buffered:
                yield sum_by_keys(pl.concat(self._buffered))
            return
        for number in range(self._parts):
            files = [path for spill in range(self._spills) if (path := self._file(number, spill)).exists()]
            if files:
                yield sum_by_keys(pl.concat([pl.read_ipc(path) for path in files]))

    def close(self) -> None:
        """Remove the files."""
        for path in self._folder.glob(f"classes-{self._run_id}-*.arrow"):
            path.unlink(missing_ok=True)

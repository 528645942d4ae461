"""A file that can be read in chunks repeatedly."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from polars import selectors

from shoal.data.csv.text_chunks import delimited_chunks, open_delimited
from shoal.data.frames.polars_frames import PolarsCells
from shoal.data.library_errors import translate_read_errors
from shoal.data.read import file_kind, file_sha256, file_state
from shoal.data.table import ReadOptions, Settings, Table, TableCells, check_table
from shoal.errors import ColumnError, FileError, OptionError
from shoal.system.threads import threads

T = TypeVar("T")
Reader = Callable[..., Iterator[TableCells]]
"""Yields the cells of the selected columns in chunks of at most ``rows`` records and about ``size`` bytes."""


@dataclass(frozen=True, eq=False)
class ChunkedFile:
    """A csv, tsv, Parquet or Arrow file that can be read in chunks repeatedly.

    Every pass checks that the size, the times and the identity of the file have not changed (`FileError.changed`).
    """

    path: Path
    kind: str
    names: tuple[str, ...]
    settings: Settings
    """As the settings of a `Table`."""
    sha256: str
    rows: int
    """Maximum number of records of a chunk."""
    size: int
    """Approximate size of a chunk in bytes."""
    _state: tuple[int, ...]
    _reader: Reader

    @property
    def bytes(self) -> int:
        return self._state[0]

    def resized(self, *, rows: int, size: int) -> ChunkedFile:
        """Return the same file in chunks of another size."""
        return replace(self, rows=rows, size=size)

    def chunks(self, *, columns: Sequence[str] | None = None) -> Iterator[Table]:
        """Yield the records in order, each chunk a table as `data.read_table` returns it, with the given columns.

        The next chunk is prefetched. Column kinds are those of the chunk; `with_column_types` sets those of the whole
        table.
        """
        for name in columns or ():
            if name not in self.names:
                raise ColumnError.unknown(name, self.names)
        selected = self.names if columns is None else tuple(name for name in self.names if name in columns)
        self._check()
        for cells in _prefetched(self._reader(selected, rows=self.rows, size=self.size)):
            yield Table(self.kind, cells, self.path, self.settings, self.sha256)
        self._check()

    def numbered_chunks(self, *, columns: Sequence[str] | None = None) -> Iterator[tuple[int, Table]]:
        """Yield the chunks, each with the row of its first record."""
        start = 0
        for chunk in self.chunks(columns=columns):
            yield start, chunk
            start += chunk.height

    def _check(self) -> None:
        if file_state(self.path) != self._state:
            raise FileError.changed(self.path)


def open_chunked(
    path: str | os.PathLike[str],
    *,
    options: ReadOptions | None = None,
    rows: int = 250_000,
    size: int = 32 << 20,
) -> ChunkedFile:
    """Open a file to be read in chunks. One pass over its bytes computes its hash and detects its encoding."""
    if options is not None and not isinstance(options, ReadOptions):
        raise OptionError.invalid_value("options", "ReadOptions")
    path, options = Path(os.fsdecode(path)), options or ReadOptions()
    kind = file_kind(path, options)
    if kind not in ("csv", "tsv", "parquet", "arrow"):
        raise FileError.not_streamed(path, kind)
    state = file_state(path)
    if state[0] == 0:
        raise FileError.empty(path)
    settings: dict[str, Any] = {"format": kind}
    with ThreadPoolExecutor(1) as pool:  # hash and encoding detection share the page cache
        digest = pool.submit(file_sha256, path)
        if kind in ("csv", "tsv"):
            lines = open_delimited(path, options=options, tabs=kind == "tsv")
            names, settings = lines.names, settings | dict(lines.settings)
            reader: Reader = partial(delimited_chunks, lines)
        else:
            names, reader = column_names(path, kind), partial(column_chunks, path, kind)
        return ChunkedFile(path, kind, names, settings, digest.result(), rows, size, state, reader)


def _prefetched(items: Iterator[T]) -> Iterator[T]:
    """Prefetch the next item of an iterator in a thread."""
    if threads() == 1:
        yield from items
        return
    with ThreadPoolExecutor(1, thread_name_prefix="shoal") as pool:
        next_item = pool.submit(next, items, None)
        while (item := next_item.result()) is not None:
            next_item = pool.submit(next, items, None)
            yield item
            del item


def paired_chunks(
    first: ChunkedFile, second: ChunkedFile, *, columns: tuple[Sequence[str], Sequence[str]]
) -> Iterator[tuple[Table, Table]]:
    """Yield the same rows of two files with the same number of records, with the given columns of each."""
    streams = [source.chunks(columns=names) for source, names in zip((first, second), columns, strict=True)]
    parts: list[Table | None] = [None, None]
    while True:
        parts = [next(stream, None) if part is None else part for part, stream in zip(parts, streams, strict=True)]
        left, right = parts
        if left is None or right is None:
            return
        rows = min(left.height, right.height)
        yield _rows(left, 0, rows), _rows(right, 0, rows)
        parts = [None if part.height == rows else _rows(part, rows, part.height) for part in (left, right)]


def _rows(table: Table, start: int, stop: int) -> Table:
    whole = start == 0 and stop == table.height
    return table if whole else replace(table, cells=table.cells.take(np.arange(start, stop)))


_FIRST_ROWS = 4_096
"""Records of the first chunk, from which the width of a record is estimated."""


def column_names(path: Path, kind: str) -> tuple[str, ...]:
    """Return the column names of a file; raise if it has none."""
    with translate_read_errors(path, kind):
        frame = _scan(path, kind).head(1).collect()
    return check_table(Table(kind, PolarsCells(frame), path)).names


def column_chunks(path: Path, kind: str, columns: Sequence[str], *, rows: int, size: int) -> Iterator[TableCells]:
    """Yield the records of the file as frames of the selected columns."""
    with translate_read_errors(path, kind):
        total = int(_scan(path, kind).select(pl.len()).collect().item())
    start, step = 0, min(rows, _FIRST_ROWS)
    while start < total:
        with translate_read_errors(path, kind):
            # a selector does not interpret a name as a pattern
            lazy = _scan(path, kind).select(selectors.by_name(*columns))
            frame = lazy.slice(start, step).collect()
        if frame.height != min(step, total - start):
            raise FileError.changed(path)
        yield PolarsCells(frame)
        start += frame.height
        width = max(1, int(frame.estimated_size()) // frame.height)
        step = min(rows, max(1, size // width))


def _scan(path: Path, kind: str) -> pl.LazyFrame:
    # as one file: a path may look like a glob or like a partition folder
    if kind == "parquet":
        return pl.scan_parquet(path, glob=False, hive_partitioning=False)
    return pl.scan_ipc(path, glob=False, hive_partitioning=False)

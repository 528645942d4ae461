"""Parquet and Arrow files in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
from polars import selectors

from shoal.errors import FileError
from shoal.tables.foreign import translate_errors
from shoal.tables.frames import PolarsCells, check_table
from shoal.tables.table import Table, TableCells

_FIRST_ROWS = 4_096
"""Records of the first chunk, from which the width of a record is estimated."""


def column_names(path: Path, kind: str) -> tuple[str, ...]:
    """Return the column names of a file; raise if it has none."""
    with _reading(path, kind):
        frame = _scan(path, kind).head(1).collect()
    return check_table(Table(kind, PolarsCells(frame), path)).names


def column_chunks(path: Path, kind: str, columns: Sequence[str], *, rows: int, size: int) -> Iterator[TableCells]:
    """Yield the records of the file as frames of the selected columns."""
    start, step, total = 0, min(rows, _FIRST_ROWS), _height(path, kind)
    while start < total:
        with _reading(path, kind):
            # a selector does not interpret a name as a pattern
            lazy = _scan(path, kind).select(selectors.by_name(*columns))
            frame = lazy.slice(start, step).collect()
        if frame.height != min(step, total - start):
            raise FileError.changed(path)
        yield PolarsCells(frame)
        start += frame.height
        width = max(1, int(frame.estimated_size()) // frame.height)
        step = min(rows, max(1, size // width))


def _height(path: Path, kind: str) -> int:
    with _reading(path, kind):
        return int(_scan(path, kind).select(pl.len()).collect().item())


def _scan(path: Path, kind: str) -> pl.LazyFrame:
    # as one file: a path may look like a glob or like a partition folder
    if kind == "parquet":
        return pl.scan_parquet(path, glob=False, hive_partitioning=False)
    return pl.scan_ipc(path, glob=False, hive_partitioning=False)


def _reading(path: Path, kind: str) -> translate_errors:
    return translate_errors(lambda: FileError.damaged(path, kind), system=lambda why: FileError.unreadable(path, why))

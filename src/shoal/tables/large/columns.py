"""Files of columns, Parquet and Arrow, in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
from polars import selectors

from shoal.errors import FileError
from shoal.tables.foreign import replaced_by
from shoal.tables.frames import PolarsCells, checked
from shoal.tables.table import Cells, Table

_TRIED = 4_096
"""The records of the first chunk, which tells how wide they are."""


def column_names(path: Path, kind: str) -> tuple[str, ...]:
    """The names of the columns of a file that has some."""
    with _reading(path, kind):
        frame = _scan(path, kind).head(1).collect()
    return checked(Table(kind, PolarsCells(frame), path)).names


def column_chunks(path: Path, kind: str, kept: Sequence[str], *, rows: int, size: int) -> Iterator[Cells]:
    """The records of the file in frames of the kept columns."""
    start, step, total = 0, min(rows, _TRIED), _height(path, kind)
    while start < total:
        with _reading(path, kind):
            # a selector takes no name for a pattern
            lazy = _scan(path, kind).select(selectors.by_name(*kept))
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
    # as one file: a path may look like a pattern or like parts of a table
    if kind == "parquet":
        return pl.scan_parquet(path, glob=False, hive_partitioning=False)
    return pl.scan_ipc(path, glob=False, hive_partitioning=False)


def _reading(path: Path, kind: str) -> replaced_by:
    return replaced_by(lambda: FileError.damaged(path, kind), system=lambda why: FileError.unreadable(path, why))

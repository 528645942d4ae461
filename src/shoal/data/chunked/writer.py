"""Write a release file chunk by chunk, and shuffle one that does not fit in memory."""

from __future__ import annotations

import io
import math
import os
import re
import secrets
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import polars as pl
from polars import selectors
from polars.exceptions import PolarsError

from shoal.data.chunked.source import ChunkedFile
from shoal.data.csv.formulas import NEUTRALIZE, count_formulas, is_formula, neutralize_table
from shoal.data.file_formats import extension, full_extension, writable_format
from shoal.data.frames.polars_frames import series_content
from shoal.data.library_errors import translate_errors, translate_write_errors
from shoal.data.read import read_table
from shoal.data.row_order import row_hashes, shuffled_order, take
from shoal.data.table import ReadOptions, Table
from shoal.data.write import DelimitedWriter, ipc_compression
from shoal.errors import DataError, OutputError

CHUNKED_FORMATS = ("csv", "tsv", "parquet", "arrow")
ROW_GROUP = 131_072
"""Records per row group of Parquet, whatever the size of the chunks."""
_MAX_FILES = 400
_DROPPED_BITS = np.uint64(40)
"""Low bits of a row hash that do not matter for the file of the row."""


class ChunkWriter:
    """Writes the chunks of a release to one path; the file extension determines the format.

    Delimited text keeps its dialect and its bytes as in `data.write_table`. The bytes do not depend on the chunks.
    """

    def __init__(self, path: str | os.PathLike[str], *, folder: Path, formulas: str | None = None) -> None:
        """Open a hidden path of the caller; ``folder`` is for scratch files.

        If ``formulas`` is given, text is searched for spreadsheet formulas.
        """
        path = Path(path)
        kind = writable_format(path)
        if kind not in CHUNKED_FORMATS:
            raise OutputError.not_streamed(path, kind)
        self._path, self._formula_policy = path, formulas if kind in ("csv", "tsv") else None
        self.formulas: dict[str, int] = {}
        """Number of cells of each column that a spreadsheet would evaluate."""
        self._output: DelimitedWriter | ColumnarWriter
        if kind in ("csv", "tsv"):
            with translate_write_errors(path), path.open("wb"):  # before any work
                self._output = DelimitedWriter(path, kind)
        else:
            self._output = ColumnarWriter(path, kind, folder)

    def write(self, chunk: Table) -> None:
        with translate_write_errors(self._path):
            if self._formula_policy is not None:
                self._count(chunk)
            self._output.write(neutralize_table(chunk) if self._formula_policy == NEUTRALIZE else chunk)

    def _count(self, chunk: Table) -> None:
        """Add the formulas of a chunk; a column name counts once."""
        for name, cells in count_formulas(chunk).items():
            if name in self.formulas:
                cells -= is_formula(name)
            self.formulas[name] = self.formulas.get(name, 0) + cells

    def close(self) -> None:
        """Finish the file; without it the file is invalid."""
        with translate_write_errors(self._path):
            self._output.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        self._output.discard()


class ColumnarWriter:
    """Parquet and Arrow: chunks go to scratch files first, then all of them into the file."""

    def __init__(self, path: Path, kind: str, folder: Path) -> None:
        self._path, self._kind, self._folder = path, kind, folder
        self._mark = secrets.token_hex(4)
        self._files: list[Path] = []
        self._types: dict[str, list[pl.DataType]] = {}
        self._used_values: dict[str, set[str]] = {}
        """Values in use of columns whose type lists their values."""

    def write(self, chunk: Table) -> None:
        with translate_errors(lambda: OutputError.not_representable(self._path)):
            frame = chunk.cells.frame()
        for name in frame.columns:
            known = self._types.setdefault(name, [])
            if frame.schema[name] not in known:
                known.append(frame.schema[name])
            if isinstance(frame.schema[name], pl.Enum):
                self._used_values.setdefault(name, set()).update(
                    frame[name].drop_nulls().unique().cast(pl.String).to_list()
                )
        frame.write_ipc(self._scratch(), compression="lz4")

    def close(self) -> None:
        if not self._files:
            raise DataError.no_records()
        # A column that is text in one chunk is text in all.
        texts = [name for name, types in self._types.items() if len(types) > 1 and pl.String in types]
        lazy = pl.scan_ipc(
            self._files if not texts else [self._as_texts(path, texts) for path in self._files], glob=False
        )
        for name, values in self._used_values.items():
            dtype = self._types[name][0]
            if name not in texts and isinstance(dtype, pl.Enum):
                used = pl.Enum([word for word in dtype.categories.to_list() if word in values])
                lazy = lazy.with_columns(selectors.by_name(name).cast(pl.String).cast(used))
        try:
            self._sink(lazy)
        except PolarsError as error:
            # polars reports only the error number of a full disk
            if match := re.search(r"os error (\d+)", str(error)):
                raise OSError(int(match[1]), os.strerror(int(match[1]))) from None
            raise
        finally:
            self.discard()

    def _sink(self, lazy: pl.LazyFrame) -> None:
        if self._kind == "parquet":
            lazy.sink_parquet(self._path, row_group_size=ROW_GROUP, maintain_order=True)
            return
        # Via Parquet: Arrow buffers have padding and values under nulls that depend on the chunks and would be written.
        scratch = self._scratch()
        lazy.sink_parquet(scratch, row_group_size=ROW_GROUP, maintain_order=True)
        rows = pl.scan_parquet(scratch, glob=False, hive_partitioning=False)
        rows.sink_ipc(self._path, record_batch_size=ROW_GROUP, **ipc_compression(extension(self._path)))

    def _scratch(self) -> Path:
        """Create a file readable by its owner only."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"written-{self._mark}-{len(self._files):06d}.part"
        path.touch(mode=0o600)
        self._files.append(path)
        return path

    def _as_texts(self, path: Path, names: list[str]) -> Path:
        frame = pl.read_ipc(io.BytesIO(path.read_bytes()))  # in memory, since the file is overwritten
        texts = {name: series_content(frame[name]).text_values.alias(name) for name in names}
        pl.DataFrame([texts.get(name, frame[name]) for name in frame.columns]).write_ipc(path, compression="lz4")
        return path

    def discard(self) -> None:
        """Remove the scratch files."""
        for path in self._files:
            path.unlink(missing_ok=True)


def external_shuffle(
    source: ChunkedFile, writer: ChunkWriter, *, seed: int, folder: Path, options: ReadOptions, chunk: int
) -> None:
    """Write the records of a file in the order of `data.shuffled_order`.

    The first bits of their hashes partition the records into files of about ``chunk`` bytes, each sorted in memory.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    count = min(_MAX_FILES, max(1, math.ceil(2 * source.bytes / chunk)))
    paths = [folder / f"rows-{number:04d}{full_extension(source.path)}" for number in range(count)]
    writers: dict[int, ChunkWriter] = {}
    with ExitStack() as stack:
        for chunk_table in source.chunks():
            keys = row_hashes(chunk_table, seed=seed) >> _DROPPED_BITS
            partitions = (keys * np.uint64(count) >> np.uint64(64) - _DROPPED_BITS).astype(np.int64)
            for number in np.unique(partitions).tolist():
                if number not in writers:
                    paths[number].touch(mode=0o600)
                    writers[number] = stack.enter_context(ChunkWriter(paths[number], folder=folder))
                writers[number].write(take(chunk_table, np.flatnonzero(partitions == number)))
        for each in writers.values():
            each.close()
    for number in sorted(writers):
        rows = read_table(paths[number], options=options)
        writer.write(take(rows, shuffled_order(rows, seed=seed)))
        paths[number].unlink()

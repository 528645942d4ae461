"""Build the released table and write it to a file."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from functools import cached_property
from pathlib import Path
from typing import IO, Any, cast

import polars as pl

from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.csv.formulas import NEUTRALIZE, neutralize_table
from shoal.data.excel import write_excel
from shoal.data.file_formats import extension, is_compressed, writable_format
from shoal.data.frames.polars_frames import with_own_buffers
from shoal.data.library_errors import translate_errors, translate_write_errors
from shoal.data.statistics_files import write_statistics
from shoal.data.table import NewColumns, Table
from shoal.domain.columns import Schema
from shoal.errors import OutputError

_ROWS_PER_BLOCK = 100_000


def replace_columns(table: Table, schema: Schema, columns: NewColumns) -> Table:
    """Return the released table: without identifiers, with new quasi-identifiers, other columns unchanged."""
    kept = [name for name in table.names if name in schema.released]
    return Table(table.kind, table.cells.replace_columns(kept, columns), table.path, table.settings, table.sha256)


def write_table(table: Table, path: str | os.PathLike[str], *, formulas: str = "keep") -> None:
    """Write the table to exactly this path; the file extension determines the format.

    With ``formulas="neutralize"``, no cell of a text file runs as a formula when a spreadsheet opens it.
    """
    path = Path(path)
    kind = writable_format(path)
    if kind in ("csv", "tsv"):
        with translate_errors(lambda: OutputError.not_representable(path)):
            table = neutralize_table(table) if formulas == NEUTRALIZE else table
        with translate_write_errors(path), closing(DelimitedWriter(path, kind)) as writer:
            writer.write(table)
    elif kind == "excel":
        # same sheet name and header as the source, so that the same settings read it again
        sheet, header = str(table.settings.get("sheet", "Sheet1")), bool(table.settings.get("header", True))
        write_excel(_frame(table, path), path, sheet=sheet, header=header)
    elif kind in ("parquet", "arrow"):
        _write_columns(_frame(table, path), path, kind)
    else:
        write_statistics(table, path, kind)


def _frame(table: Table, path: Path) -> pl.DataFrame:
    with translate_errors(lambda: OutputError.not_representable(path)):
        return table.cells.frame()


class DelimitedWriter:
    """Writes delimited text, compressed or not; a delimited table keeps its dialect and bytes in the same format."""

    def __init__(self, path: Path, kind: str) -> None:
        self._path, self._kind, self._has_header = path, kind, False
        self._files = ExitStack()

    @cached_property
    def _out(self) -> IO[bytes]:
        """The output, opened when the first records are encoded, so that an error leaves no partial file."""
        file = self._files.enter_context(self._path.open("wb"))
        if not is_compressed(self._path):
            return file
        # no name and no time in the gzip header, so that equal releases have equal bytes
        packed = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
        return cast("IO[bytes]", self._files.enter_context(packed))

    def write(self, chunk: Table) -> None:
        """Write the next records; only the first ones have a header."""
        cells, skip = chunk.cells, 0
        if isinstance(cells, DelimitedCells) and chunk.kind == self._kind:
            skip = len(cells.text_start()) if self._has_header else 0
            blocks = cells.splice()
        else:
            blocks = self._delimited(cells.text_frame() if isinstance(cells, DelimitedCells) else cells.frame())
        for block in blocks:
            self._out.write(block[skip:])
            skip -= min(skip, len(block))
        self._has_header = True

    def _delimited(self, frame: pl.DataFrame) -> Iterator[bytes]:
        for number, rows in enumerate(frame.iter_slices(_ROWS_PER_BLOCK)):
            yield rows.write_csv(
                separator="\t" if self._kind == "tsv" else ",",
                include_header=number == 0 and not self._has_header,
                line_terminator="\n",
                # quote a missing cell that is its whole record: readers ignore blank lines at the end of a file
                null_value='""' if frame.width == 1 else "",
            ).encode()

    def close(self) -> None:
        self._files.close()

    def discard(self) -> None:
        with suppress(OSError, ValueError):
            self.close()


def _write_columns(frame: pl.DataFrame, path: Path, kind: str) -> None:
    with translate_write_errors(path):
        try:
            with translate_errors(lambda: OutputError.not_representable(path)), path.open("wb") as file:
                _write_to(frame, file, kind, path)
        except OutputError:
            # retry through memory: on a full disk, polars does not report the cause
            buffer = io.BytesIO()
            _write_to(frame, buffer, kind, path)
            path.write_bytes(buffer.getbuffer())


def _write_to(frame: pl.DataFrame, file: IO[bytes], kind: str, path: Path) -> None:
    if kind == "parquet":
        frame.write_parquet(file)
    else:
        with_own_buffers(frame).write_ipc(file, **ipc_compression(extension(path)))


def ipc_compression(suffix: str) -> dict[str, Any]:
    """Return IPC options: Feather files are compressed, as their readers expect; Arrow files can be memory-mapped."""
    return {"compression": "lz4" if suffix == ".feather" else "uncompressed"}

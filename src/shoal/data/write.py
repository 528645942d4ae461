"""Build the released table and write it to a file."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

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
        _write_text(table, path, kind)
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


def _write_text(table: Table, path: Path, kind: str) -> None:
    with translate_write_errors(path):
        blocks = _text_blocks(table, kind)
        with path.open("wb") as file:
            if not is_compressed(path):
                file.writelines(blocks)
                return
            # no name and no time in the gzip header, so that equal releases have equal bytes
            with gzip.GzipFile(filename="", mode="wb", fileobj=cast("BinaryIO", file), mtime=0) as compressed:
                for block in blocks:
                    compressed.write(block)


def _text_blocks(table: Table, kind: str) -> Iterator[bytes]:
    """Return blocks of text; a delimited file keeps its dialect and bytes unless the format changes."""
    cells = table.cells
    if isinstance(cells, DelimitedCells) and table.kind == kind:
        return cells.splice()
    frame = cells.text_frame() if isinstance(cells, DelimitedCells) else cells.frame()
    return _delimited(frame, delimiter="\t" if kind == "tsv" else ",")


def _delimited(frame: pl.DataFrame, *, delimiter: str) -> Iterator[bytes]:
    # quote a missing cell that is its whole record: readers ignore blank lines at the end of a file
    missing = '""' if frame.width == 1 else ""
    for number, rows in enumerate(frame.iter_slices(_ROWS_PER_BLOCK)):
        header = number == 0
        text = rows.write_csv(separator=delimiter, include_header=header, line_terminator="\n", null_value=missing)
        yield text.encode()


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

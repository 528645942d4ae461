"""Tables out: the release of a table, and its file."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import polars as pl

from shoal.errors import OutputError
from shoal.schema.columns import Schema
from shoal.tables.delimited import DelimitedCells
from shoal.tables.excel import write_excel
from shoal.tables.foreign import replaced_by, writing
from shoal.tables.formats import ending, is_packed, writable
from shoal.tables.formulas import NEUTRALIZE, neutralized
from shoal.tables.settled import settled
from shoal.tables.statistics import write_statistics
from shoal.tables.table import NewColumns, Table

_ROWS_AT_A_TIME = 100_000


def released(table: Table, schema: Schema, columns: NewColumns) -> Table:
    """A new table of the same kind: identifiers gone, quasi-identifiers replaced, all else as it was."""
    kept = [name for name in table.names if name in schema.released]
    return Table(table.kind, table.cells.replaced(kept, columns), table.path, table.settings, table.sha256)


def write(table: Table, path: str | os.PathLike[str], *, formulas: str = "keep") -> None:
    """Write the table to exactly this path; its ending decides the format.

    In text files, ``formulas`` may be ``neutralize``: then a spreadsheet that opens one runs none of its cells.
    """
    path = Path(path)
    kind = writable(path)
    if kind in ("csv", "tsv"):
        with replaced_by(lambda: OutputError.does_not_fit(path)):
            table = neutralized(table) if formulas == NEUTRALIZE else table
        _write_text(table, path, kind)
    elif kind == "excel":
        # Under the name and with the header it was read by, so that the same settings read it again.
        sheet, header = str(table.settings.get("sheet", "Sheet1")), bool(table.settings.get("header", True))
        write_excel(_frame(table, path), path, sheet=sheet, header=header)
    elif kind in ("parquet", "arrow"):
        _write_columns(_frame(table, path), path, kind)
    else:
        write_statistics(table, path, kind)


def _frame(table: Table, path: Path) -> pl.DataFrame:
    with replaced_by(lambda: OutputError.does_not_fit(path)):
        return table.cells.frame()


def _write_text(table: Table, path: Path, kind: str) -> None:
    with writing(path):
        blocks = _text(table, kind)
        with path.open("wb") as file:
            if not is_packed(path):
                file.writelines(blocks)
                return
            # No name and no time in the header: the same release has the same bytes.
            with gzip.GzipFile(filename="", mode="wb", fileobj=cast("BinaryIO", file), mtime=0) as packed:
                for block in blocks:
                    packed.write(block)


def _text(table: Table, kind: str) -> Iterator[bytes]:
    """A delimited file keeps its dialect and its bytes unless another format is asked for."""
    cells = table.cells
    if isinstance(cells, DelimitedCells) and table.kind == kind:
        return cells.spliced()
    frame = cells.text_frame() if isinstance(cells, DelimitedCells) else cells.frame()
    return _delimited(frame, delimiter="\t" if kind == "tsv" else ",")


def _delimited(frame: pl.DataFrame, *, delimiter: str) -> Iterator[bytes]:
    # A missing cell that is all of its record is not left blank: blank lines at the end of a file hold nobody.
    missing = '""' if frame.width == 1 else ""
    for number, rows in enumerate(frame.iter_slices(_ROWS_AT_A_TIME)):
        header = number == 0
        text = rows.write_csv(separator=delimiter, include_header=header, line_terminator="\n", null_value=missing)
        yield text.encode()


def _write_columns(frame: pl.DataFrame, path: Path, kind: str) -> None:
    with writing(path):
        try:
            with replaced_by(lambda: OutputError.does_not_fit(path)), path.open("wb") as file:
                _put(frame, file, kind, path)
        except OutputError:
            # By way of memory once more: of a full disk polars says only that it could not write.
            buffer = io.BytesIO()
            _put(frame, buffer, kind, path)
            path.write_bytes(buffer.getbuffer())


def _put(frame: pl.DataFrame, file: IO[bytes], kind: str, path: Path) -> None:
    if kind == "parquet":
        frame.write_parquet(file)
    else:
        settled(frame).write_ipc(file, **ipc_options(ending(path)))


def ipc_options(suffix: str) -> dict[str, Any]:
    """Feather files are packed, as their readers expect; Arrow files can be mapped into memory."""
    return {"compression": "lz4" if suffix == ".feather" else "uncompressed"}

"""The head of a file: its first records, read as the whole file would be, to be looked at before it is read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from shoal.aside import reason
from shoal.errors import FileError
from shoal.tables.delimited import DelimitedCells, read_delimited
from shoal.tables.detection import HEAD, Doubt
from shoal.tables.dialect import wide_encoding
from shoal.tables.excel import SheetCells, sheets
from shoal.tables.files import check_there, read
from shoal.tables.formats import format_of, is_packed
from shoal.tables.packing import unpacked
from shoal.tables.table import ReadOptions, Table

_BYTES = 3 * HEAD
"""Enough for the head that detection looks at, also where letters take two bytes."""
_LOOK = 1 << 16


def read_head(path: str | os.PathLike[str], *, options: ReadOptions | None = None) -> Table:
    """The first records of a delimited file as a table; other formats are read as a whole."""
    path, options = Path(os.fsdecode(path)), options or ReadOptions()
    kind = options.format or format_of(path)
    if kind not in ("csv", "tsv"):
        return read(path, options=options)
    check_there(path)
    raw = _first_bytes(path)
    part = len(raw) == _BYTES
    if part:
        raw, options = _whole_lines(raw, options.encoding), replace(options, skip_footer=0)
    cells, settings = read_delimited(raw, options=options, tabs=kind == "tsv", path=path, part=part)
    return Table(kind, cells, path, {"format": kind, **settings})


def _first_bytes(path: Path) -> bytes:
    try:
        with unpacked(path) if is_packed(path) else path.open("rb") as file:
            return file.read(_BYTES)
    except OSError as error:
        raise FileError.unreadable(path, reason(error)) from None


def _whole_lines(raw: bytes, encoding: str | None) -> bytes:
    """The bytes up to the last end of a line, so that no letter is cut in two."""
    wide = wide_encoding(raw[:1024], encoding)
    if wide is None:
        cut = raw.rfind(b"\n") + 1
        return raw[:cut] if cut else raw
    newline, cut = "\n".encode(wide), len(raw) // 2 * 2
    for at in range(cut - 2, 0, -2):
        if raw[at : at + 2] == newline:
            return raw[: at + 2]
    return raw[:cut]


def first_lines(path: str | os.PathLike[str], *, encoding: str | None = None, lines: int = 8) -> tuple[str, ...]:
    """The first lines of a delimited file as they are, for files that cannot be read yet; none of other formats."""
    found = Path(os.fsdecode(path))
    if format_of(found) not in ("csv", "tsv"):
        return ()
    raw = _first_bytes(found)[:_LOOK]
    known = wide_encoding(raw[:1024], encoding) or encoding or ("utf-8" if _is_utf8(raw) else "cp1252")
    return tuple(raw.decode(known, "replace").lstrip("\ufeff").splitlines()[:lines])


def _is_utf8(raw: bytes) -> bool:
    try:
        raw[: raw.rfind(b"\n") + 1].decode()
    except UnicodeDecodeError:
        return False
    return True


def sheet_names(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """The names of the sheets of a workbook; none for other files."""
    found = Path(os.fsdecode(path))
    return tuple(sheets(found)) if format_of(found) == "excel" else ()


def questions(table: Table) -> Mapping[str, Doubt]:
    """The columns that can be read in several ways."""
    return table.cells.dialect.doubtful if isinstance(table.cells, DelimitedCells | SheetCells) else {}


def column_formats(table: Table) -> Mapping[str, str]:
    """The format of each column that has one."""
    return table.cells.dialect.formats if isinstance(table.cells, DelimitedCells | SheetCells) else {}

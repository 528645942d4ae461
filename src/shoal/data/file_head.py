"""Read only the first records of a file, with the same settings as the whole file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from shoal.data.compression import open_compressed
from shoal.data.csv.delimited_cells import DelimitedCells, read_delimited
from shoal.data.csv.detection import HEAD_BYTES, FormatAmbiguity
from shoal.data.csv.dialect import detect_utf16
from shoal.data.excel import SheetCells, list_sheets
from shoal.data.file_formats import format_of, is_compressed
from shoal.data.read import check_file_exists, read_table
from shoal.data.table import ReadOptions, Table
from shoal.errors import FileError
from shoal.system.atomic import os_error_reason

_BYTES = 3 * HEAD_BYTES
"""Enough bytes for format detection, also in UTF-16."""
_PREVIEW_BYTES = 1 << 16


def read_head(path: str | os.PathLike[str], *, options: ReadOptions | None = None) -> Table:
    """Return the first records of a delimited file; other formats are read completely."""
    path, options = Path(os.fsdecode(path)), options or ReadOptions()
    kind = options.format or format_of(path)
    if kind not in ("csv", "tsv"):
        return read_table(path, options=options)
    check_file_exists(path)
    raw = _first_bytes(path)
    part = len(raw) == _BYTES
    if part:
        raw, options = _complete_lines(raw, options.encoding), replace(options, skip_footer=0)
    cells, settings = read_delimited(raw, options=options, tabs=kind == "tsv", path=path, truncated=part)
    return Table(kind, cells, path, {"format": kind, **settings})


def _first_bytes(path: Path) -> bytes:
    try:
        with open_compressed(path) if is_compressed(path) else path.open("rb") as file:
            return file.read(_BYTES)
    except OSError as error:
        raise FileError.unreadable(path, os_error_reason(error)) from None


def _complete_lines(raw: bytes, encoding: str | None) -> bytes:
    """Return the bytes up to the last line break, so that no character is split."""
    utf16 = detect_utf16(raw[:1024], encoding)
    if utf16 is None:
        cut = raw.rfind(b"\n") + 1
        return raw[:cut] if cut else raw
    newline, cut = "\n".encode(utf16), len(raw) // 2 * 2
    for at in range(cut - 2, 0, -2):
        if raw[at : at + 2] == newline:
            return raw[: at + 2]
    return raw[:cut]


def first_lines(path: str | os.PathLike[str], *, encoding: str | None = None, lines: int = 8) -> tuple[str, ...]:
    """Return the raw first lines of a delimited file, even if it cannot be parsed; none for other formats."""
    file = Path(os.fsdecode(path))
    if format_of(file) not in ("csv", "tsv"):
        return ()
    raw = _first_bytes(file)[:_PREVIEW_BYTES]
    codec = detect_utf16(raw[:1024], encoding) or encoding or ("utf-8" if _is_utf8(raw) else "cp1252")
    return tuple(raw.decode(codec, "replace").lstrip("\ufeff").splitlines()[:lines])


def _is_utf8(raw: bytes) -> bool:
    try:
        raw[: raw.rfind(b"\n") + 1].decode()
    except UnicodeDecodeError:
        return False
    return True


def sheet_names(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook; none for other files."""
    file = Path(os.fsdecode(path))
    return tuple(list_sheets(file)) if format_of(file) == "excel" else ()


def ambiguous_formats(table: Table) -> Mapping[str, FormatAmbiguity]:
    """Return the columns with an ambiguous format."""
    return table.cells.dialect.doubtful if isinstance(table.cells, DelimitedCells | SheetCells) else {}


def column_formats(table: Table) -> Mapping[str, str]:
    """Return the format of each column that has one."""
    return table.cells.dialect.formats if isinstance(table.cells, DelimitedCells | SheetCells) else {}

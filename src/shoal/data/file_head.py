"""Look at the start of a file: first records and lines, number of columns, and sheets."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import polars as pl

from shoal.data.compression import open_compressed
from shoal.data.csv.detection import HEAD_BYTES
from shoal.data.csv.dialect import detect_utf16
from shoal.data.csv.read_delimited import read_delimited
from shoal.data.excel import list_sheets
from shoal.data.file_formats import format_of, is_compressed
from shoal.data.library_errors import translate_read_errors
from shoal.data.read import check_file_exists, read_table
from shoal.data.table import ReadOptions, Table
from shoal.errors import FileError
from shoal.system.atomic import os_error_reason

_BYTES = 3 * HEAD_BYTES
"""Enough bytes for format detection, also in UTF-16."""
_PREVIEW_BYTES = 1 << 16
_HEADER_BYTES = 1 << 20


def read_head(path: str | os.PathLike[str], *, options: ReadOptions | None = None) -> Table:
    """Return the first records of a delimited file; other formats are read completely."""
    path, options = Path(os.fsdecode(path)), options or ReadOptions()
    kind = options.format or format_of(path)
    if kind not in ("csv", "tsv"):
        return read_table(path, options=options)
    check_file_exists(path)
    raw = _first_bytes(path, _BYTES)
    part = len(raw) == _BYTES
    if part:
        raw, options = _complete_lines(raw, options.encoding), replace(options, skip_footer=0)
    cells, settings = read_delimited(raw, options=options, tabs=kind == "tsv", path=path, truncated=part)
    return Table(kind, cells, path, {"format": kind, **settings})


def _first_bytes(path: Path, limit: int) -> bytes:
    try:
        with open_compressed(path) if is_compressed(path) else path.open("rb") as file:
            return file.read(limit)
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
    raw = _first_bytes(file, _BYTES)[:_PREVIEW_BYTES]
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


def estimate_width(path: Path, *, options: ReadOptions | None = None) -> int | None:
    """Estimate the number of columns, possibly too low; None if unknown."""
    options = options or ReadOptions()
    kind = options.format or format_of(path)
    if kind in ("csv", "tsv"):
        return _count_fields(
            _first_bytes(path, _HEADER_BYTES), "\t" if kind == "tsv" else options.delimiter, options.quote or ""
        )
    if kind in ("parquet", "arrow"):
        with translate_read_errors(path, kind):
            return len(pl.read_parquet_schema(path) if kind == "parquet" else pl.read_ipc_schema(path))
    return None


def _count_fields(head: bytes, delimiter: str | None, quote: str) -> int:
    """Count the fields of the first line; without a delimiter, use the most frequent one."""
    outside = b"".join(head.split(quote.encode())[::2]) if quote else head
    line = (outside.splitlines() or [b""])[0]
    return 1 + max(line.count(mark.encode()) for mark in ([delimiter] if delimiter else ",;\t|"))

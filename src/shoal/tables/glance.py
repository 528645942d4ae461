"""A glance at a file before it is read: how wide it is, and how large when it is unpacked. Cheap, whatever it holds."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import polars as pl

from shoal.aside import reason
from shoal.errors import FileError
from shoal.tables.foreign import replaced_by
from shoal.tables.formats import ARCHIVE, format_of, is_packed
from shoal.tables.packing import archived_size, unpacked
from shoal.tables.table import ReadOptions

_HEAD = 1 << 20
"""Bytes in which the header of a text is looked for."""
_PIECE = 1 << 20
_UNTOLD = 64 << 30
"""The memory of a machine that does not tell it."""
_DENSEST = 1032
"""The most bytes that one byte of deflated data can stand for."""


def width(path: Path, *, options: ReadOptions | None = None) -> int | None:
    """The number of columns as far as a glance tells it, which may be fewer than there are; None where it does not."""
    options = options or ReadOptions()
    kind = options.format or format_of(path)
    if kind in ("csv", "tsv"):
        return _fields(_head(path), "\t" if kind == "tsv" else options.delimiter, options.quote or "")
    if kind in ("parquet", "arrow"):
        with replaced_by(lambda: FileError.damaged(path, kind), system=lambda why: FileError.unreadable(path, why)):
            return len(pl.read_parquet_schema(path) if kind == "parquet" else pl.read_ipc_schema(path))
    return None


def _head(path: Path) -> bytes:
    try:
        with unpacked(path) if is_packed(path) else path.open("rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise FileError.unreadable(path, reason(error)) from None


def _fields(head: bytes, delimiter: str | None, quote: str) -> int:
    """The fields of the first line; where no delimiter is named, by the one that it holds most often."""
    outside = b"".join(head.split(quote.encode())[::2]) if quote else head
    line = (outside.splitlines() or [b""])[0]
    return 1 + max(line.count(mark.encode()) for mark in ([delimiter] if delimiter else ",;\t|"))


def unpacked_size(path: Path, *, most: int) -> int:
    """The bytes of a file when it is unpacked; where these are more than ``most``, some number above it.

    Packed text is unpacked for it, piece by piece. The parts of a workbook tell it themselves.
    """
    try:
        size = path.stat().st_size
        if path.suffix.lower() == ARCHIVE:
            return archived_size(path)
        if is_packed(path):
            return _counted(path, most) if size * _DENSEST > most else size
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as book:
                return sum(part.file_size for part in book.infolist())
    except (zipfile.BadZipFile, UnicodeError, NotImplementedError):
        raise FileError.damaged(path, "zip" if is_packed(path) else "workbook") from None
    except OSError as error:
        raise FileError.unreadable(path, reason(error)) from None
    return size


def check_room(path: Path) -> None:
    """Refuse a file that grows beyond the memory of the machine when it is unpacked: a damaged one, or a trap."""
    most = memory(untold=_UNTOLD)
    if unpacked_size(path, most=most) > most:
        raise FileError.too_large(path, most)


def memory(*, untold: int) -> int:
    """The bytes of memory of this machine, or so many where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return untold


def _counted(path: Path, most: int) -> int:
    found = 0
    with unpacked(path) as file:
        while found <= most and (piece := file.read(_PIECE)):
            found += len(piece)
    return found

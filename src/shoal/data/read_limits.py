"""Check width and uncompressed size of a file before reading it, at low cost."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import polars as pl

from shoal.data.compression import open_compressed, uncompressed_zip_size
from shoal.data.file_formats import ZIP_EXTENSION, format_of, is_compressed
from shoal.data.library_errors import translate_errors
from shoal.data.table import ReadOptions
from shoal.errors import FileError
from shoal.system.atomic import os_error_reason

_HEAD = 1 << 20
"""Bytes searched for the header of a text."""
_BLOCK = 1 << 20
_DEFAULT_MEMORY = 64 << 30
"""Assumed memory if the system does not report it."""
_MAX_RATIO = 1032
"""Maximum compression ratio of deflate."""


def estimate_width(path: Path, *, options: ReadOptions | None = None) -> int | None:
    """Estimate the number of columns, possibly too low; None if unknown."""
    options = options or ReadOptions()
    kind = options.format or format_of(path)
    if kind in ("csv", "tsv"):
        return _count_fields(_head(path), "\t" if kind == "tsv" else options.delimiter, options.quote or "")
    if kind in ("parquet", "arrow"):
        with translate_errors(
            lambda: FileError.damaged(path, kind), system=lambda message: FileError.unreadable(path, message)
        ):
            return len(pl.read_parquet_schema(path) if kind == "parquet" else pl.read_ipc_schema(path))
    return None


def _head(path: Path) -> bytes:
    try:
        with open_compressed(path) if is_compressed(path) else path.open("rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise FileError.unreadable(path, os_error_reason(error)) from None


def _count_fields(head: bytes, delimiter: str | None, quote: str) -> int:
    """Count the fields of the first line; without a delimiter, use the most frequent one."""
    outside = b"".join(head.split(quote.encode())[::2]) if quote else head
    line = (outside.splitlines() or [b""])[0]
    return 1 + max(line.count(mark.encode()) for mark in ([delimiter] if delimiter else ",;\t|"))


def uncompressed_size(path: Path, *, limit: int) -> int:
    """Return the uncompressed size of a file; any number above ``most`` if it is larger.

    Compressed text is decompressed block by block. A workbook lists the sizes of its parts.
    """
    try:
        size = path.stat().st_size
        if path.suffix.lower() == ZIP_EXTENSION:
            return uncompressed_zip_size(path)
        if is_compressed(path):
            return _decompressed_size(path, limit) if size * _MAX_RATIO > limit else size
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as book:
                return sum(part.file_size for part in book.infolist())
    except (zipfile.BadZipFile, UnicodeError, NotImplementedError):
        raise FileError.damaged(path, "zip" if is_compressed(path) else "workbook") from None
    except OSError as error:
        raise FileError.unreadable(path, os_error_reason(error)) from None
    return size


def check_memory(path: Path) -> None:
    """Raise an error if the uncompressed file exceeds the memory: it is damaged or a decompression bomb."""
    most = total_memory(default=_DEFAULT_MEMORY)
    if uncompressed_size(path, limit=most) > most:
        raise FileError.too_large(path, most)


def total_memory(*, default: int) -> int:
    """Return the memory of this machine in bytes, or the given default if the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return default


def _decompressed_size(path: Path, most: int) -> int:
    size = 0
    with open_compressed(path) as file:
        while size <= most and (block := file.read(_BLOCK)):
            size += len(block)
    return size

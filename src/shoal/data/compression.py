"""Read compressed files (gzip, or a zip archive with one file), and check their uncompressed size."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from shoal.data.file_formats import ZIP_EXTENSION, is_compressed
from shoal.errors import FileError
from shoal.system.atomic import os_error_reason
from shoal.system.memory import total_memory

_SYSTEM_PREFIXES = ("__MACOSX/", ".")
"""Prefixes of files that operating systems add to archives."""
_BLOCK = 1 << 20
_DEFAULT_MEMORY = 64 << 30
"""Assumed memory if the system does not report it."""
_MAX_RATIO = 1032
"""Maximum compression ratio of deflate."""


@contextmanager
def open_compressed(path: Path, raw: bytes | None = None) -> Iterator[IO[bytes]]:
    """Open the uncompressed stream; a damaged file raises `FileError` on any read.

    ``raw`` are the bytes of the file if they are already in memory.
    """
    source: Any = path if raw is None else io.BytesIO(raw)
    kind = "zip" if path.suffix.lower() == ZIP_EXTENSION else "gzip"
    try:
        if kind == "gzip":
            with gzip.open(source) as file:
                yield cast("IO[bytes]", file)
            return
        with zipfile.ZipFile(source) as archive, archive.open(_single_member(archive, path)) as member:
            yield member
    except (zipfile.BadZipFile, gzip.BadGzipFile, EOFError, zlib.error, NotImplementedError, RuntimeError):
        raise FileError.damaged(path, kind) from None


def _single_member(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    files = [part for part in archive.infolist() if not (part.is_dir() or part.filename.startswith(_SYSTEM_PREFIXES))]
    if len(files) != 1:
        raise FileError.several_files_in_archive(path, len(files))
    return files[0]


def uncompressed_size(path: Path, *, limit: int) -> int:
    """Return the uncompressed size of a file; any number above ``limit`` if it is larger.

    Compressed text is decompressed block by block. A workbook lists the sizes of its parts.
    """
    try:
        size = path.stat().st_size
        if path.suffix.lower() == ZIP_EXTENSION:
            with zipfile.ZipFile(path) as archive:
                return _single_member(archive, path).file_size
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


def _decompressed_size(path: Path, most: int) -> int:
    size = 0
    with open_compressed(path) as file:
        while size <= most and (block := file.read(_BLOCK)):
            size += len(block)
    return size


def check_memory(path: Path) -> None:
    """Raise an error if the uncompressed file exceeds the memory: it is damaged or a decompression bomb."""
    most = total_memory(default=_DEFAULT_MEMORY)
    if uncompressed_size(path, limit=most) > most:
        raise FileError.too_large(path, most / 1e9)

"""Read compressed files: gzip, or a zip archive with one file."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from shoal.data.file_formats import ZIP_EXTENSION
from shoal.errors import FileError

_SYSTEM_PREFIXES = ("__MACOSX/", ".")
"""Prefixes of files that operating systems add to archives."""


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


def uncompressed_zip_size(path: Path) -> int:
    """Return the uncompressed size of the file in an archive, as the archive reports it."""
    with zipfile.ZipFile(path) as archive:
        return _single_member(archive, path).file_size


def _single_member(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    files = [part for part in archive.infolist() if not (part.is_dir() or part.filename.startswith(_SYSTEM_PREFIXES))]
    if len(files) != 1:
        raise FileError.several_files_in_archive(path, len(files))
    return files[0]

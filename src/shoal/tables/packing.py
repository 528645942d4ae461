"""Packed files: the stream of bytes inside, by gzip or from the one file of an archive."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from shoal.errors import FileError
from shoal.tables.formats import ARCHIVE

_OF_SYSTEMS = ("__MACOSX/", ".")
"""Files that systems put into archives begin so."""


@contextmanager
def unpacked(path: Path, raw: bytes | None = None) -> Iterator[IO[bytes]]:
    """The stream of the bytes inside; a damaged file raises `FileError` wherever it is read.

    ``raw`` are the bytes of the file where they were read before.
    """
    source: Any = path if raw is None else io.BytesIO(raw)
    kind = "zip" if path.suffix.lower() == ARCHIVE else "gzip"
    try:
        if kind == "gzip":
            with gzip.open(source) as file:
                yield cast("IO[bytes]", file)
            return
        with zipfile.ZipFile(source) as archive, archive.open(_only(archive, path)) as member:
            yield member
    except (zipfile.BadZipFile, gzip.BadGzipFile, EOFError, zlib.error, NotImplementedError, RuntimeError):
        raise FileError.damaged(path, kind) from None


def archived_size(path: Path) -> int:
    """The bytes of the file in an archive when it is unpacked, as the archive says."""
    with zipfile.ZipFile(path) as archive:
        return _only(archive, path).file_size


def _only(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    files = [part for part in archive.infolist() if not (part.is_dir() or part.filename.startswith(_OF_SYSTEMS))]
    if len(files) != 1:
        raise FileError.several_files(path, len(files))
    return files[0]

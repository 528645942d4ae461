"""Spill files: columns written to disk in parts, and rows read back."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, FileError, OutputError
from shoal.system.atomic import os_error_reason

Arrays = Mapping[str, NDArray[Any]]

_ENDING = ".spill"
_KINDS = "biuf"
"""Allowed kinds of arrays: booleans and numbers, which hold no pointers."""
_MAX_HEADER = 1 << 20


class SpillPart(NamedTuple):
    """Place of some rows in a spill file."""

    offset: int
    rows: int
    dtype: np.dtype[Any]
    """Names and types of the columns."""
    checksum: int


class SpillFolder:
    """Folder of spill files: parts of named sets of columns, appended one below the other.

    Each name has one file, readable by its owner only. A part is a line of JSON with the number of rows, the names and
    types of the columns, and a checksum; the rows follow, as in a structured array of numpy. When a folder is reopened,
    a torn file is removed.
    """

    def __init__(self, folder: Path) -> None:
        """Open the folder and its files; create it if necessary."""
        self._folder = folder
        self._parts: dict[str, list[SpillPart]] = {}
        self._unflushed: set[Path] = set()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in sorted(folder.glob(f"*{_ENDING}")):
                parts = _read_parts(path)
                if parts is None:
                    path.unlink()
                else:
                    self._parts[unquote(path.name.removesuffix(_ENDING))] = parts
        except OSError as error:
            raise OutputError.unwritable(folder, os_error_reason(error)) from None

    def append(self, name: str, arrays: Arrays) -> None:
        """Append one-dimensional arrays of one length to the parts of the name."""
        rows = len(next(iter(arrays.values()), ()))
        for array in arrays.values():
            if array.dtype.kind not in _KINDS:
                raise DataError.array_type(str(array.dtype))
            if array.shape != (rows,):
                raise DataError.record_counts_differ(rows, max(len(array) for array in arrays.values()))
        columns = [(key, array.dtype.str) for key, array in arrays.items()]
        packed, path = np.empty(rows, dtype=columns), self._path(name)
        for key, array in arrays.items():
            packed[key] = array
        content = packed.view(np.uint8).data
        checksum = zlib.crc32(content)
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
                file.seek(0, os.SEEK_END)
                file.write(json.dumps([rows, columns, checksum]).encode() + b"\n")
                offset = file.tell()
                file.write(content)
        except OSError as error:
            raise OutputError.unwritable(path, os_error_reason(error)) from None
        self._parts.setdefault(name, []).append(SpillPart(offset, rows, packed.dtype, checksum))
        self._unflushed.add(path)

    def rows(self, name: str) -> int:
        """Return the number of rows of the name."""
        return sum(part.rows for part in self._parts.get(name, ()))

    def slice(self, name: str, start: int, stop: int) -> dict[str, NDArray[Any]]:
        """Return the rows from ``start`` to ``stop``; only these are read."""
        parts: list[NDArray[Any]] = []
        above = 0
        for part in self._parts.get(name, ()):
            first = min(max(start - above, 0), part.rows)
            last = min(max(stop - above, first), part.rows)
            if first < last or not parts:
                parts.append(self._read(name, part, first, last))
            above += part.rows
        columns = parts[0].dtype.names or () if parts else ()
        return {key: np.concatenate([part[key] for part in parts]) for key in columns}

    def names(self) -> tuple[str, ...]:
        """Return the names that have parts, sorted."""
        return tuple(sorted(self._parts))

    def flush(self) -> None:
        """Flush all files to disk."""
        try:
            for path in [*sorted(self._unflushed), self._folder]:
                handle = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)
        except OSError as error:
            raise OutputError.unwritable(self._folder, os_error_reason(error)) from None
        self._unflushed.clear()

    def remove(self, name: str) -> None:
        """Remove the parts and the file of a name."""
        self._parts.pop(name, None)
        self._unflushed.discard(self._path(name))
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{quote(name, safe='')}{_ENDING}"

    def _read(self, name: str, part: SpillPart, start: int, stop: int) -> NDArray[Any]:
        """Read rows of one part. The checksum is verified when the whole part is read."""
        path, rows = self._path(name), np.empty(stop - start, dtype=part.dtype)
        try:
            with path.open("rb") as file:
                file.seek(part.offset + start * rows.itemsize)
                read = file.readinto(rows.view(np.uint8).data) if len(rows) else 0
        except OSError as error:
            raise FileError.unreadable(path, os_error_reason(error)) from None
        if read != rows.nbytes or (len(rows) == part.rows and zlib.crc32(rows.view(np.uint8).data) != part.checksum):
            raise FileError.damaged(path, "scratch")
        return rows


def _read_parts(path: Path) -> list[SpillPart] | None:
    """Read the parts of an existing file; None if one of them is torn."""
    parts, size = list[SpillPart](), path.stat().st_size
    with path.open("rb") as file:
        while file.tell() < size:
            part = _read_part(file, size)
            if part is None:
                return None
            parts.append(part)
    return parts


def _read_part(file: BinaryIO, size: int) -> SpillPart | None:
    """Read the next part of a file of this size; None if it is torn."""
    try:
        rows, columns, checksum = json.loads(file.readline(_MAX_HEADER))
        dtype = np.dtype([(key, kind) for key, kind in columns])
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
    kinds = {dtype[key].kind for key in dtype.names or ()}
    if not (type(rows) is int and rows >= 0 and kinds <= {*_KINDS} and rows * dtype.itemsize <= size - file.tell()):
        return None
    offset, rest, found = file.tell(), rows * dtype.itemsize, 0
    while rest and (block := file.read(min(rest, 1 << 20))):
        found, rest = zlib.crc32(block, found), rest - len(block)
    return SpillPart(offset, rows, dtype, checksum) if found == checksum else None

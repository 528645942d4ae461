"""Spill files: arrays written to disk and read back."""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, FileError, OutputError
from shoal.system.atomic import os_error_reason

Arrays = Mapping[str, NDArray[Any]]

_ENDING = ".spill"
_MARK = b"shoal\x01"
_TOP = struct.Struct("<6sIIQ")
"""Magic bytes, length of the description, checksum of everything below, length of the arrays."""
_KINDS = "biuf"
"""Allowed kinds of arrays: booleans and numbers, which hold no pointers."""


class SpillBlock(NamedTuple):
    """Arrays of one length in a spill file."""

    offset: int
    """Offset of the arrays."""
    rows: int
    columns: tuple[tuple[str, str], ...]
    """Names and types of the arrays, in their order in the file."""
    checksum: int
    size: int
    description: bytes


class SpillFolder:
    """Folder of spill files: parts of named sets of columns, appended one below the other.

    Each name has one binary file, readable by its owner only. A part has its length and a checksum: when a folder is
    reopened, a torn file is removed.
    """

    def __init__(self, folder: Path) -> None:
        """Open the folder and its files; create it if necessary."""
        self._folder = folder
        self._parts: dict[str, list[SpillBlock]] = {}
        self._fresh: set[Path] = set()
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
        columns = {key: np.ascontiguousarray(array) for key, array in arrays.items()}
        for array in columns.values():
            if array.dtype.kind not in _KINDS:
                raise DataError.array_type(str(array.dtype))
        rows = len(next(iter(columns.values()), ()))
        if any(array.shape != (rows,) for array in columns.values()):
            raise DataError.record_counts_differ(rows, max(len(array) for array in columns.values()))
        columns_types = tuple((key, array.dtype.str) for key, array in columns.items())
        description = json.dumps({"rows": rows, "columns": columns_types}).encode()
        checksum, path = zlib.crc32(description), self._path(name)
        for array in columns.values():
            checksum = zlib.crc32(array.data, checksum) if rows else checksum
        size = sum(array.nbytes for array in columns.values())
        try:
            with _appended(path) as file:
                start = file.tell()
                file.write(_TOP.pack(_MARK, len(description), checksum, size) + description)
                for array in columns.values():
                    file.write(array.data if rows else b"")
        except OSError as error:
            raise OutputError.unwritable(path, os_error_reason(error)) from None
        at = start + _TOP.size + len(description)
        self._parts.setdefault(name, []).append(SpillBlock(at, rows, columns_types, checksum, size, description))
        self._fresh.add(path)

    def read(self, name: str) -> dict[str, NDArray[Any]]:
        """Return all parts of the name, concatenated; empty if it has none."""
        return _concat(list(self.parts(name)))

    def parts(self, name: str) -> Iterator[dict[str, NDArray[Any]]]:
        """Yield the parts of the name in order."""
        for part in self._parts.get(name, ()):
            yield self._slice(name, part, 0, part.rows)

    def rows(self, name: str) -> int:
        """Return the number of rows of the name."""
        return sum(part.rows for part in self._parts.get(name, ()))

    def slice(self, name: str, start: int, stop: int) -> dict[str, NDArray[Any]]:
        """Return the rows from ``start`` to ``stop``; only these are read."""
        parts: list[dict[str, NDArray[Any]]] = []
        above = 0
        for part in self._parts.get(name, ()):
            first = min(max(start - above, 0), part.rows)
            last = min(max(stop - above, first), part.rows)
            if first < last or not parts:
                parts.append(self._slice(name, part, first, last))
            above += part.rows
        return _concat(parts)

    def names(self) -> tuple[str, ...]:
        """Return the names that have parts, sorted."""
        return tuple(sorted(self._parts))

    def flush(self) -> None:
        """Flush all files to disk."""
        try:
            for path in [*sorted(self._fresh), self._folder]:
                handle = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)
        except OSError as error:
            raise OutputError.unwritable(self._folder, os_error_reason(error)) from None
        self._fresh.clear()

    def remove(self, name: str) -> None:
        """Remove the parts and the file of a name."""
        self._parts.pop(name, None)
        self._fresh.discard(self._path(name))
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{quote(name, safe='')}{_ENDING}"

    def _slice(self, name: str, part: SpillBlock, start: int, stop: int) -> dict[str, NDArray[Any]]:
        """Read rows of one part. The checksum is verified when the whole part is read."""
        arrays: dict[str, NDArray[Any]] = {}
        path, begin, checksum = self._path(name), part.offset, zlib.crc32(part.description)
        try:
            with path.open("rb") as file:
                for key, kind in part.columns:
                    array = np.empty(stop - start, dtype=kind)
                    file.seek(begin + start * array.itemsize)
                    if len(array) and file.readinto(array.data.cast("B")) != array.nbytes:
                        raise FileError.damaged(path, "scratch")
                    checksum = zlib.crc32(array.data, checksum) if len(array) else checksum
                    arrays[key] = array
                    begin += part.rows * array.itemsize
        except OSError as error:
            raise FileError.unreadable(path, os_error_reason(error)) from None
        if stop - start == part.rows and checksum != part.checksum:
            raise FileError.damaged(path, "scratch")
        return arrays


def _appended(path: Path) -> BinaryIO:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    file = os.fdopen(handle, "ab")
    file.seek(0, os.SEEK_END)
    return file


def _concat(parts: list[dict[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    if len(parts) < 2:
        return parts[0] if parts else {}
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}


def _read_parts(path: Path) -> list[SpillBlock] | None:
    """Read the parts of an existing file; None if one of them is torn."""
    parts, at, size = [], 0, path.stat().st_size
    with path.open("rb") as file:
        while at < size:
            top = file.read(_TOP.size)
            if len(top) < _TOP.size:
                return None
            mark, length, checksum, bytes_ = _TOP.unpack(top)
            at += _TOP.size + length
            if mark != _MARK or at + bytes_ > size:
                return None
            description = file.read(length)
            if _checksum(file, bytes_, zlib.crc32(description)) != checksum:
                return None
            rows, columns = _parse_description(description, bytes_)
            if rows < 0:
                return None
            parts.append(SpillBlock(at, rows, columns, checksum, bytes_, description))
            at += bytes_
    return parts


def _parse_description(description: bytes, size: int) -> tuple[int, tuple[tuple[str, str], ...]]:
    """Parse the description of a part of this size; return -1 rows if it is invalid."""
    try:
        parsed = json.loads(description)
        rows, columns = parsed["rows"], tuple((str(key), np.dtype(kind)) for key, kind in parsed["columns"])
        valid = type(rows) is int and rows >= 0 and all(kind.kind in _KINDS for _, kind in columns)
        if valid and rows * sum(kind.itemsize for _, kind in columns) == size:
            return rows, tuple((key, kind.str) for key, kind in columns)
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    return -1, ()


def _checksum(file: BinaryIO, left: int, checksum: int) -> int:
    while left and (block := file.read(min(left, 1 << 20))):
        checksum, left = zlib.crc32(block, checksum), left - len(block)
    return checksum if not left else -1

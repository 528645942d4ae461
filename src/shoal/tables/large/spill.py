"""Arrays that are put down in files and read back."""

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

from shoal.aside import reason
from shoal.errors import DataError, FileError, OutputError

Arrays = Mapping[str, NDArray[Any]]

_ENDING = ".spill"
_MARK = b"shoal\x01"
_TOP = struct.Struct("<6sIIQ")
"""The mark, the length of the description, the checksum of all below, and the length of the arrays."""
_KINDS = "biuf"
"""Of arrays: truths and numbers, of which no byte is a pointer."""


class Part(NamedTuple):
    """Arrays of one length in a file."""

    at: int
    """Where the arrays begin."""
    rows: int
    columns: tuple[tuple[str, str], ...]
    """The names and the types of the arrays, which lie one after another."""
    checksum: int
    size: int
    told: bytes


class Spill:
    """A folder of arrays: parts of named sets of columns, one below the other.

    Each name has one plain binary file, for its owner only. A part has its length and a checksum: a file that is torn
    when the folder is found again is as if it was not there.
    """

    def __init__(self, folder: Path) -> None:
        """Use this folder; it is made if it is not there, and what it holds is found again."""
        self._folder = folder
        self._parts: dict[str, list[Part]] = {}
        self._fresh: set[Path] = set()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in sorted(folder.glob(f"*{_ENDING}")):
                parts = _found(path)
                if parts is None:
                    path.unlink()
                else:
                    self._parts[unquote(path.name.removesuffix(_ENDING))] = parts
        except OSError as error:
            raise OutputError.unwritable(folder, reason(error)) from None

    def append(self, name: str, arrays: Arrays) -> None:
        """Put one-dimensional arrays of one length below those that the name has."""
        columns = {key: np.ascontiguousarray(array) for key, array in arrays.items()}
        for array in columns.values():
            if array.dtype.kind not in _KINDS:
                raise DataError.array_type(str(array.dtype))
        rows = len(next(iter(columns.values()), ()))
        if any(array.shape != (rows,) for array in columns.values()):
            raise DataError.different_length(rows, max(len(array) for array in columns.values()))
        noted = tuple((key, array.dtype.str) for key, array in columns.items())
        told = json.dumps({"rows": rows, "columns": noted}).encode()
        checksum, path = zlib.crc32(told), self._path(name)
        for array in columns.values():
            checksum = zlib.crc32(array.data, checksum) if rows else checksum
        size = sum(array.nbytes for array in columns.values())
        try:
            with _appended(path) as file:
                start = file.tell()
                file.write(_TOP.pack(_MARK, len(told), checksum, size) + told)
                for array in columns.values():
                    file.write(array.data if rows else b"")
        except OSError as error:
            raise OutputError.unwritable(path, reason(error)) from None
        at = start + _TOP.size + len(told)
        self._parts.setdefault(name, []).append(Part(at, rows, noted, checksum, size, told))
        self._fresh.add(path)

    def read(self, name: str) -> dict[str, NDArray[Any]]:
        """All parts of the name, one below the other; empty where it has none."""
        return _below(list(self.parts(name)))

    def parts(self, name: str) -> Iterator[dict[str, NDArray[Any]]]:
        """The parts of the name in their order, one after another."""
        for part in self._parts.get(name, ()):
            yield self._slice(name, part, 0, part.rows)

    def rows(self, name: str) -> int:
        """How long the arrays of the name are."""
        return sum(part.rows for part in self._parts.get(name, ()))

    def slice(self, name: str, start: int, stop: int) -> dict[str, NDArray[Any]]:
        """The rows of the name from one to before another; no more of the file is read."""
        found: list[dict[str, NDArray[Any]]] = []
        above = 0
        for part in self._parts.get(name, ()):
            first = min(max(start - above, 0), part.rows)
            last = min(max(stop - above, first), part.rows)
            if first < last or not found:
                found.append(self._slice(name, part, first, last))
            above += part.rows
        return _below(found)

    def names(self) -> tuple[str, ...]:
        """The names that have parts, in the order of the letters."""
        return tuple(sorted(self._parts))

    def seal(self) -> None:
        """Return when all is on the disk."""
        try:
            for path in [*sorted(self._fresh), self._folder]:
                handle = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)
        except OSError as error:
            raise OutputError.unwritable(self._folder, reason(error)) from None
        self._fresh.clear()

    def remove(self, name: str) -> None:
        """Forget the parts of a name, and their files."""
        self._parts.pop(name, None)
        self._fresh.discard(self._path(name))
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{quote(name, safe='')}{_ENDING}"

    def _slice(self, name: str, part: Part, start: int, stop: int) -> dict[str, NDArray[Any]]:
        """Rows of one part; a whole one is checked."""
        found: dict[str, NDArray[Any]] = {}
        path, begin, checksum = self._path(name), part.at, zlib.crc32(part.told)
        try:
            with path.open("rb") as file:
                for key, kind in part.columns:
                    array = np.empty(stop - start, dtype=kind)
                    file.seek(begin + start * array.itemsize)
                    if len(array) and file.readinto(array.data.cast("B")) != array.nbytes:
                        raise FileError.damaged(path, "scratch")
                    checksum = zlib.crc32(array.data, checksum) if len(array) else checksum
                    found[key] = array
                    begin += part.rows * array.itemsize
        except OSError as error:
            raise FileError.unreadable(path, reason(error)) from None
        if stop - start == part.rows and checksum != part.checksum:
            raise FileError.damaged(path, "scratch")
        return found


def _appended(path: Path) -> BinaryIO:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    file = os.fdopen(handle, "ab")
    file.seek(0, os.SEEK_END)
    return file


def _below(found: list[dict[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    if len(found) < 2:
        return found[0] if found else {}
    return {key: np.concatenate([part[key] for part in found]) for key in found[0]}


def _found(path: Path) -> list[Part] | None:
    """The parts of a file that was there before; None where one of them is torn."""
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
            told = file.read(length)
            if _summed(file, bytes_, zlib.crc32(told)) != checksum:
                return None
            rows, columns = _noted(told, bytes_)
            if rows < 0:
                return None
            parts.append(Part(at, rows, columns, checksum, bytes_, told))
            at += bytes_
    return parts


def _noted(told: bytes, size: int) -> tuple[int, tuple[tuple[str, str], ...]]:
    """The rows and the columns of a part that has this size; -1 rows where it is none of ours."""
    try:
        noted = json.loads(told)
        rows, columns = noted["rows"], tuple((str(key), np.dtype(kind)) for key, kind in noted["columns"])
        plain = type(rows) is int and rows >= 0 and all(kind.kind in _KINDS for _, kind in columns)
        if plain and rows * sum(kind.itemsize for _, kind in columns) == size:
            return rows, tuple((key, kind.str) for key, kind in columns)
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    return -1, ()


def _summed(file: BinaryIO, left: int, checksum: int) -> int:
    while left and (block := file.read(min(left, 1 << 20))):
        checksum, left = zlib.crc32(block, checksum), left - len(block)
    return checksum if not left else -1

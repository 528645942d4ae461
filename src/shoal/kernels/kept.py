"""Compiled kernels on the disk: Numba's index and data files, each with a checksum.

What is damaged, or no file at all, is as if it was not there. What cannot be written is not kept. A file is written
aside under one name and held meanwhile, so that what a killed process left is used up by the next one.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from numba.core.caching import IndexDataCacheFile

from shoal.held import hold, is_same

_SUM = hashlib.sha256().digest_size


class KernelFile(IndexDataCacheFile):
    """The files of one kernel."""

    @classmethod
    def like(cls, cache: Any) -> Self:
        """In the place of the files that Numba has chosen."""
        return cls(cache._cache_path, cache._impl.filename_base, cache._cache_file._source_stamp)

    def save(self, key: Any, data: Any) -> None:
        """Keep a compiled kernel, if that is possible."""
        with suppress(OSError):
            super().save(key, data)

    def _load_index(self) -> dict[Any, str]:
        found = _content(Path(self._index_path))
        if found is None:
            return {}
        version, stamp, overloads = pickle.loads(found)  # noqa: S301 - of this user, as Numba keeps it
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        _put(Path(self._index_path), self._dump((self._version, self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        found = _content(Path(self._data_path(name)))
        if found is None:
            raise FileNotFoundError(name)
        return pickle.loads(found)  # noqa: S301 - of this user, as Numba keeps it

    def _save_data(self, name: str, data: Any) -> None:
        _put(Path(self._data_path(name)), self._dump(data))


def _content(path: Path) -> bytes | None:
    """What was put into a file; None where it is not there, or not what was put there."""
    try:
        found = path.read_bytes()
    except OSError:
        return None
    content = found[_SUM:]
    return content if found[:_SUM] == _sum(path, content) else None


def _put(path: Path, content: bytes) -> None:
    part = path.with_name(f"{path.name}.part")
    handle = os.open(part, os.O_CREAT | os.O_WRONLY, 0o666)
    try:
        if not hold(handle, wait=False) or not is_same(handle, part):
            return  # another process keeps the same kernel
        os.ftruncate(handle, 0)
        try:
            with os.fdopen(os.dup(handle), "wb") as file:
                file.write(_sum(path, content) + content)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    finally:
        os.close(handle)


def _sum(path: Path, content: bytes) -> bytes:
    """Of the name too: a file in the place of another one is none."""
    return hashlib.sha256(path.name.encode() + b"\0" + content).digest()

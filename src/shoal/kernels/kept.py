"""Compiled kernels on the disk: one file for each kernel and the types it was compiled for, with a checksum.

What is damaged, or no file at all, is as if it was not there. What cannot be written is not kept. A file is named after
all that decides what stands in it, where Numba would number files and note the numbers in an index: two processes that
compile at the same time could take each other's kernels. It is written aside under one name and held meanwhile, so that
what a killed process left is used up by the next one.
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

    def __init__(self, folder: str, name: str, stamp: Any) -> None:
        super().__init__(folder, name, stamp)
        self._name = name

    def save(self, key: Any, data: Any) -> None:
        """Keep a compiled kernel, if that is possible."""
        with suppress(OSError):
            _put(self._place(key), self._dump((self._version, self._source_stamp, key, data)))

    def load(self, key: Any) -> Any:
        """The kernel for these types, if it was kept by this version of all that it is made of."""
        found = _content(self._place(key))
        if found is None:
            return None
        *made_of, data = pickle.loads(found)  # noqa: S301 - of this user, as Numba keeps it
        return data if made_of == [self._version, self._source_stamp, key] else None

    def flush(self) -> None:
        """Nothing: what is compiled anew takes the place of what was kept."""

    def _place(self, key: Any) -> Path:
        decided = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return Path(self._cache_path) / f"{self._name}.{decided}.nbc"


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

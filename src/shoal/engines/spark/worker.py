"""What a Python worker of Spark does before anything else, and how it fails.

A worker gets the name of a chore and a payload that is only unpacked once the worker is settled: compiled kernels lie
in a cache that no other process writes to at the same time, since Numba mixes up what two processes put into one. What
goes wrong leaves as one line without a cell of the data: the errors of Shoal whole, of all others the name alone.
"""

from __future__ import annotations

import atexit
import base64
import json
import os
import pickle
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from shoal import errors
from shoal.errors import ShoalError

_CACHE, _KERNELS = "NUMBA_CACHE_DIR", "shoal-kernels"
_SLOTS = 4_096
_TOLD = "shoal-told:"
_settled: list[int] = []
"""The process that is settled, and the lock of its cache: a fork must settle anew."""


class Told(RuntimeError):
    """An error of Shoal on its way from a worker to the driver."""


class Chore:
    """A function of `chores` or `looks` with all that it needs, as Spark sends it to its workers."""

    def __init__(self, name: str, state: Any) -> None:
        self.name, self.payload = name, pickle.dumps(state, protocol=pickle.HIGHEST_PROTOCOL)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        told = ""
        try:
            settle()
            room, function = self.name.split(".")
            chore = getattr(import_module(f"shoal.engines.spark.{room}"), function)
            with import_module("shoal.threads").using(1):  # Spark shares out the cores
                yield from chore(pickle.loads(self.payload), iter(batches))  # noqa: S301 - sent by the driver
            return
        except ShoalError as error:
            told = packed(error)
        except (GeneratorExit, KeyboardInterrupt, MemoryError, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - its words may hold cells of the data; a panic is no Exception
            told = f"{type(error).__name__} in {self.name}"
        raise Told(told)


def packed(error: ShoalError) -> str:
    """An error as one word that survives any wrapping."""
    text = json.dumps([type(error).__name__, error.fact, error.hint])
    return _TOLD + base64.b64encode(text.encode()).decode()


def unpacked(text: str) -> ShoalError | None:
    """The error of Shoal in the words of another one, if there is one."""
    found = re.search(_TOLD + r"([A-Za-z0-9+/=]+)", text)
    if found is None:
        return None
    kind, fact, hint = json.loads(base64.b64decode(found[1]))
    error: ShoalError = getattr(errors, kind)(fact, hint)
    return error


def settle() -> None:
    """Give this process a cache for compiled kernels that is its own while it lives."""
    if _settled and _settled[0] == os.getpid():
        return
    _settled[:] = [os.getpid()]
    os.environ[_CACHE] = str(_own_cache())


def _base() -> Path:
    """Where caches are kept: as Numba was told, else in the cache folder of the user."""
    said = os.environ.get(_CACHE)
    if said is not None:
        named = Path(said)
        return named.parent.parent if named.parent.name == _KERNELS else named  # what a process above has set
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())


def _own_cache() -> Path:
    """The first folder of this user's that no other worker has locked; else one that goes with the process."""
    try:
        import fcntl

        base = _base() / _KERNELS
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = base.stat()
        if found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise OSError  # what others may write, they could make this process run
        for slot in range(_SLOTS):
            folder = base / f"{slot:04d}"
            folder.mkdir(mode=0o700, exist_ok=True)
            lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                continue
            _settled.append(lock)
            return folder
    except (ImportError, OSError, RuntimeError):
        pass
    folder = Path(tempfile.mkdtemp(prefix=f"{_KERNELS}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder

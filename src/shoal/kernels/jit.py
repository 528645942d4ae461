"""How Numba is used: the only file that configures it.

* ``fastmath`` stays off: sums keep their order, so the same input gives the same release on every machine.
* ``cache`` keeps compiled kernels on disk, so only the first run ever compiles. Where no folder can be
  written (a read-only install and home, a full disk) a kernel is compiled anew in each process instead of failing.
* A kept kernel bears a checksum: one that is damaged is compiled again, and never run.
* Numba takes a cached kernel for good as long as the file that it stands in is the same. But a kernel has the
  kernels and constants of other files compiled into it, so the cache bears a fingerprint of this whole room: after
  an update, no kernel of the old version can be mixed with those of the new one.
* ``nogil`` lets other threads go on while a kernel runs, such as the one that draws the progress line. An interrupt
  waits until the kernel returns, so long work is done in slices.
* No kernel is ``parallel``: Numba does not cache those, and every start would compile again. Several threads work where
  each of them calls a kernel of its own (``shoal.threads``).
* Division follows numpy (no exception from inside a loop).

With ``NUMBA_DISABLE_JIT=1`` every kernel runs as plain Python.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from shoal.kernels.kept import KernelFile

F = TypeVar("F", bound=Callable[..., Any])

SLICE = 200_000_000
"""Cells that one call of a kernel may look at: a fraction of a second, then a progress line and an interrupt get in."""


def fingerprint(folder: Path) -> str:
    """Eight letters that change with any source file of a folder."""
    digest = hashlib.sha256()
    for source in sorted(folder.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:8]


ROOM = fingerprint(Path(__file__).parent)


def kernel(function: F) -> F:
    """Compile a loop over arrays on its first call."""
    return _compiled(function)


def part(function: F) -> F:
    """A part of kernels, woven into those that call it: not compiled by itself, which shortens the first run."""
    return _compiled(function, inline="always")


def _compiled(function: F, **more: Any) -> F:
    options: dict[str, Any] = {"nogil": True, "fastmath": False, "error_model": "numpy", **more}
    compiled: Any
    name = function.__qualname__
    function.__qualname__ = f"{name}-{ROOM}"  # the cache is named after it
    try:
        compiled = numba.njit(cache=True, **options)(function)
        if hasattr(compiled, "_cache"):  # it has none where nothing is compiled
            compiled._cache._cache_file = KernelFile.like(compiled._cache)
    except RuntimeError:  # Numba found no folder for its cache
        compiled = numba.njit(**options)(function)
    finally:
        function.__qualname__ = name
    return cast("F", compiled)


class _Compilation(event.Listener):
    def __init__(self, notice: Callable[[], None]) -> None:
        self.notice = notice

    def on_start(self, _: Any) -> None:
        self.notice()

    def on_end(self, _: Any) -> None:
        pass


@contextmanager
def compiling(notice: Callable[[], None]) -> Iterator[None]:
    """Call ``notice`` whenever a kernel is compiled, and not when it comes from the cache."""
    with event.install_listener("numba:compile", _Compilation(notice)):
        yield

"""How Numba is used: the only file that configures it.

* ``fastmath`` stays off: sums keep their order, so the same input gives the same release on every machine.
* ``cache`` keeps compiled kernels on disk, so only the first run ever compiles. Where no folder can be
  written (a read-only install and home) a kernel is compiled anew in each process instead of failing.
* ``nogil`` lets a progress line and an interrupt in while a kernel runs in another thread.
* No kernel is ``parallel``: Numba does not cache those, and every start would compile again.
* Division follows numpy (no exception from inside a loop).

With ``NUMBA_DISABLE_JIT=1`` every kernel runs as plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a loop over arrays on its first call."""
    options: dict[str, Any] = {"nogil": True, "fastmath": False, "error_model": "numpy"}
    compiled: Any
    try:
        compiled = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # Numba found no folder for its cache
        compiled = numba.njit(**options)(function)
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

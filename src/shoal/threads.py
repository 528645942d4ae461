"""Threads: how many of them work, and how work is shared out among them.

Kernels let go of Python's lock, so that two threads compute at once. What they give is put together in the order of
the work, never in the order in which it was done: results do not depend on the number of threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from itertools import chain, islice
from typing import TypeVar

from shoal.errors import OptionError

T = TypeVar("T")
R = TypeVar("R")

VARIABLE = "SHOAL_THREADS"
"""The environment variable that says how many threads work."""
_AHEAD = 2
"""Pieces of work for each thread that are begun before their results are taken: more would only fill memory."""
_FEW = 10_000
"""Records whose columns are counted and encoded before threads would have begun."""
_chosen: list[int] = []
_inside = threading.local()


def threads() -> int:
    """How many threads work: as chosen, else as the environment says, else one for each core of this process.

    A piece of work that was shared out is not shared out again.
    """
    if getattr(_inside, "busy", False):
        return 1
    if _chosen:
        return _chosen[-1]
    said = os.environ.get(VARIABLE)
    return _cores() if said is None else whole_threads(said)


def whole_threads(said: object) -> int:
    """A number of threads, or the reason why it is none."""
    try:
        count = int(str(said))
    except ValueError:
        count = 0
    if not 1 <= count <= 1024:
        raise OptionError.bad_option("threads", "a whole number from 1 on")
    return count


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


@contextmanager
def using(count: int | None) -> Iterator[None]:
    """So many threads inside; None leaves them as they are."""
    if count is None:
        yield
        return
    _chosen.append(whole_threads(count))
    try:
        yield
    finally:
        _chosen.pop()


def share(
    function: Callable[[T], R], work: Iterable[T], *, ahead: int = _AHEAD, records: int | None = None
) -> Iterator[R]:
    """What the function makes of each piece of work, in the order of the work; on as many threads as there are.

    No more than ``ahead`` pieces for each thread are begun before their results are taken. Where one piece fails, its
    error is raised in its turn, and what was not begun is left. A piece of work that passes once over few ``records``
    is not shared out, unless somebody said how many threads work.
    """
    few = records is not None and records < _FEW and not _chosen and VARIABLE not in os.environ
    count, pending = 1 if few else threads(), iter(work)
    first = list(islice(pending, 2))
    if count == 1 or len(first) < 2:  # a pool for one piece would cost more than the piece
        yield from map(function, chain(first, pending))
        return
    pending = chain(first, pending)
    with ThreadPoolExecutor(count, thread_name_prefix="shoal") as pool:
        begun: list[Future[R]] = [_begun(pool, function, piece) for piece in islice(pending, ahead * count)]
        try:
            while begun:
                made = begun.pop(0).result()
                begun += [_begun(pool, function, piece) for piece in islice(pending, 1)]
                yield made
        finally:
            for future in begun:
                future.cancel()


def _begun(pool: ThreadPoolExecutor, function: Callable[[T], R], piece: T) -> Future[R]:
    """Begun with what is set here, such as the warnings of numpy, set there too."""
    return pool.submit(copy_context().run, _apart, function, piece)


class Crew:
    """Threads that stay for many small pieces of work; the one that shares them out does the first piece itself."""

    def __init__(self, size: int, pool: ThreadPoolExecutor | None) -> None:
        self.size = size
        self._pool = pool

    def share(self, function: Callable[[T], R], work: Sequence[T]) -> list[R]:
        """What the function makes of each piece of work, in the order of the work; all are done when it returns."""
        if self._pool is None:
            return [function(piece) for piece in work]
        begun = [_begun(self._pool, function, piece) for piece in work[1:]]
        try:
            return [_apart(function, piece) for piece in work[:1]] + [future.result() for future in begun]
        finally:
            for future in begun:
                future.cancel()
            wait(begun)


@contextmanager
def crew() -> Iterator[Crew]:
    """A crew of as many threads as work; they are gone afterwards, whatever happens."""
    size = threads()
    if size == 1:
        yield Crew(1, None)
        return
    with ThreadPoolExecutor(size - 1, thread_name_prefix="shoal") as pool:
        yield Crew(size, pool)


def _apart(function: Callable[[T], R], piece: T) -> R:
    before = getattr(_inside, "busy", False)
    _inside.busy = True
    try:
        return function(piece)
    finally:
        _inside.busy = before

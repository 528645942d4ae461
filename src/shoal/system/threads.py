"""Threads: their number, and a parallel map in the order of the items.

Kernels release the GIL, so two threads compute at once. Results are combined in the order of the items, never in the
order of completion: they do not depend on the number of threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from itertools import chain, islice
from typing import TypeVar

from shoal.errors import OptionError

T = TypeVar("T")
R = TypeVar("R")

THREADS_VARIABLE = "SHOAL_THREADS"
"""The environment variable for the number of threads."""
_PREFETCH = 2
"""Items per thread that are started before their results are taken: more would only fill memory."""
_MIN_RECORDS = 10_000
"""Records below which columns are counted and encoded before threads have started."""
_chosen: list[int] = []
_inside = threading.local()


def threads() -> int:
    """The number of threads: the chosen one, else the environment variable, else one per core of this process.

    A thread of `parallel_map` gets 1, so that work is not split twice.
    """
    if getattr(_inside, "busy", False):
        return 1
    if _chosen:
        return _chosen[-1]
    value = os.environ.get(THREADS_VARIABLE)
    return available_cores() if value is None else check_threads(value)


def check_threads(value: object) -> int:
    try:
        count = int(str(value))
    except ValueError:
        count = 0
    if not 1 <= count <= 1024:
        raise OptionError.invalid_value("threads", "a whole number from 1 on")
    return count


def available_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


@contextmanager
def use_threads(count: int | None) -> Iterator[None]:
    """Use this many threads inside the context; None leaves the number as it is."""
    if count is None:
        yield
        return
    _chosen.append(check_threads(count))
    try:
        yield
    finally:
        _chosen.pop()


def parallel_map(
    function: Callable[[T], R], items: Iterable[T], *, prefetch: int = _PREFETCH, records: int | None = None
) -> Iterator[R]:
    """Apply a function to each item on the available threads; yield the results in the order of the items.

    At most ``prefetch`` items per thread are started before their results are taken. If an item fails, its error is
    raised in order, and items that have not started are dropped. With few ``records`` the items run serially, unless
    the number of threads was chosen.
    """
    serial = records is not None and records < _MIN_RECORDS and not _chosen and THREADS_VARIABLE not in os.environ
    count, pending = 1 if serial else threads(), iter(items)
    first = list(islice(pending, 2))
    if count == 1 or len(first) < 2:  # a pool for one item costs more than the item
        yield from map(function, chain(first, pending))
        return
    pending = chain(first, pending)
    with ThreadPoolExecutor(count, thread_name_prefix="shoal") as pool:
        futures: list[Future[R]] = [_submit(pool, function, item) for item in islice(pending, prefetch * count)]
        try:
            while futures:
                result = futures.pop(0).result()
                futures += [_submit(pool, function, item) for item in islice(pending, 1)]
                yield result
        finally:
            for future in futures:
                future.cancel()


def _submit(pool: ThreadPoolExecutor, function: Callable[[T], R], item: T) -> Future[R]:
    """Submit with the current context variables, such as numpy's error state."""
    return pool.submit(copy_context().run, _run, function, item)


def _run(function: Callable[[T], R], item: T) -> R:
    previous = getattr(_inside, "busy", False)
    _inside.busy = True
    try:
        return function(item)
    finally:
        _inside.busy = previous

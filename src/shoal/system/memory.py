"""Memory of the machine, and allocator settings: memory that allocators cache counts towards the memory limit."""

from __future__ import annotations

import ctypes
import gc
import os
from contextlib import suppress

_JEMALLOC = "_RJEM_MALLOC_CONF"
"""Environment variable that configures jemalloc when polars is imported."""
_M_ARENA_MAX, _MAX_ARENAS = -8, 2
"""The mallopt option for the number of arenas: by default each thread fills its own."""


def limit_allocator_cache() -> None:
    """Limit the memory cached by the allocators of this process. Call it before polars is imported."""
    os.environ.setdefault(_JEMALLOC, "dirty_decay_ms:100,muzzy_decay_ms:0")
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _MAX_ARENAS)


def release_memory() -> None:
    """Return unused memory to the operating system."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def total_memory(*, default: int) -> int:
    """Return the memory of this machine in bytes, or the given default if the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return default

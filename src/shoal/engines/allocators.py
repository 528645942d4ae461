"""Allocators: they like to keep memory that is not used any more, and a ceiling counts it."""

from __future__ import annotations

import ctypes
import gc
import os
from contextlib import suppress

_FRAMES = "_RJEM_MALLOC_CONF"
"""What the allocator of polars is told by, when polars is loaded."""
_ARENAS, _FEW = -8, 2
"""The option of the C library for the number of its arenas: each thread would fill one of its own."""


def keep_little() -> None:
    """Ask the allocators of this process to keep little. That of polars hears it only before polars is loaded."""
    os.environ.setdefault(_FRAMES, "dirty_decay_ms:100,muzzy_decay_ms:0")
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_ARENAS, _FEW)


def let_go() -> None:
    """Give what is not used any more back to the system."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)

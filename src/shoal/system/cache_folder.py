"""Folder of the cache of compiled kernels."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path


@cache
def cache_folder() -> Path | None:
    """The folder of compiled kernels: NUMBA_CACHE_DIR, else the user's cache folder, else one beside the code.

    The first writable one; None if there is none.
    """
    for candidate in _candidates():
        with suppress(OSError, RuntimeError):
            folder = candidate()
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK | os.X_OK):
                return folder
    return None


def _candidates() -> Iterator[Callable[[], Path]]:
    path = os.environ.get("NUMBA_CACHE_DIR")
    if path:
        yield lambda: Path(path).resolve() / "shoal"
        return
    yield lambda: user_cache_folder() / "shoal" / "kernels"
    yield lambda: Path(__file__).parents[1] / "kernels" / "__pycache__"


def user_cache_folder() -> Path:
    """The cache folder of the user, by the conventions of the platform."""
    from platformdirs import user_cache_path

    return user_cache_path()

"""Where compiled kernels are kept."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path


@cache
def cache_folder() -> Path | None:
    """The folder of compiled kernels: the one of NUMBA_CACHE_DIR, or the user's, or one beside the code.

    The first that can be written; None where none can.
    """
    for place in _places():
        with suppress(OSError, RuntimeError):
            folder = place()
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK | os.X_OK):
                return folder
    return None


def _places() -> Iterator[Callable[[], Path]]:
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        yield lambda: Path(named).resolve() / "shoal"
        return
    yield lambda: _user_folder() / "shoal" / "kernels"
    yield lambda: Path(__file__).parent / "__pycache__"


def _user_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = os.environ.get("XDG_CACHE_HOME", "")
    return Path(named) if Path(named).is_absolute() else Path.home() / ".cache"

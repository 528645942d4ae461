"""Environment and browser of the processes that tests start."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from shoal.kernels.jit_cache import cache_folder


def cache_environment(folder: Path) -> dict[str, str]:
    """Environment variables for a process with its own cache, which shares the compiled kernels of all tests."""
    kernels = cache_folder()
    own = folder / "shoal" / "kernels"
    if kernels is not None and not own.exists():
        own.parent.mkdir(parents=True, exist_ok=True)
        own.symlink_to(kernels, target_is_directory=True)
    return {"XDG_CACHE_HOME": str(folder)}


def find_chromium() -> str:
    """Path of the browser; the headless shell is preferred, since it needs half of the processor time."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser"):
        path = shutil.which(name)
        if path is not None:
            return path
    pytest.skip("no chromium: `make test` installs it where it may (Debian package chromium-headless-shell)")

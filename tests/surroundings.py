"""The surroundings of processes that tests start."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from shoal.kernels.jit_cache import cache_folder


def own_cache(folder: Path) -> dict[str, str]:
    """The environment of a process that has a cache of its own, but the compiled kernels of all tests."""
    kernels = cache_folder()
    own = folder / "shoal" / "kernels"
    if kernels is not None and not own.exists():
        own.parent.mkdir(parents=True, exist_ok=True)
        own.symlink_to(kernels, target_is_directory=True)
    return {"XDG_CACHE_HOME": str(folder)}


def chromium() -> str:
    """The browser: preferably the one that never has windows, which needs half of the processor time."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser"):
        found = shutil.which(name)
        if found is not None:
            return found
    pytest.skip("no chromium: `make test` installs it where it may (Debian package chromium-headless-shell)")

"""The surroundings of processes that tests start."""

from __future__ import annotations

from pathlib import Path

from shoal.kernels.jit_cache import cache_folder


def own_cache(folder: Path) -> dict[str, str]:
    """The environment of a process that has a cache of its own, but the compiled kernels of all tests."""
    kernels = cache_folder()
    own = folder / "shoal" / "kernels"
    if kernels is not None and not own.exists():
        own.parent.mkdir(parents=True, exist_ok=True)
        own.symlink_to(kernels, target_is_directory=True)
    return {"XDG_CACHE_HOME": str(folder)}

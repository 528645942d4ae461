"""Where the page keeps things on this machine, by the custom of its system."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path


def projects_folder() -> Path:
    """Where projects are kept unless another folder is named."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "shoal" / "projects"
    if sys.platform == "win32":
        return _named("LOCALAPPDATA", Path.home() / "AppData" / "Local") / "shoal" / "projects"
    return _named("XDG_DATA_HOME", Path.home() / ".local" / "share") / "shoal" / "projects"


def scratch_folder() -> Path:
    """Where the folders of starts lie: in the user's cache, else below the temporary folder.

    The cache is on a disk, where the temporary folder is often in memory, and large files come here.
    """
    if sys.platform == "darwin":
        cache = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        cache = _named("LOCALAPPDATA", Path.home() / "AppData" / "Local")
    else:
        cache = _named("XDG_CACHE_HOME", Path.home() / ".cache")
    try:
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(cache, os.W_OK | os.X_OK):
            return cache / "shoal-web"
    except OSError:
        pass
    who = os.getuid() if hasattr(os, "getuid") else "own"
    return Path(tempfile.gettempdir()) / f"shoal-web-{who}"


def _named(variable: str, usual: Path) -> Path:
    """A folder that the environment names; a name that is not absolute does not count."""
    found = os.environ.get(variable, "")
    return Path(found) if found and Path(found).is_absolute() else usual

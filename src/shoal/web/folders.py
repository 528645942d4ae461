"""Default folders of the web app, by the convention of the operating system."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path


def projects_folder() -> Path:
    """Return the default folder of projects."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "shoal" / "projects"
    if sys.platform == "win32":
        return _from_environment("LOCALAPPDATA", Path.home() / "AppData" / "Local") / "shoal" / "projects"
    return _from_environment("XDG_DATA_HOME", Path.home() / ".local" / "share") / "shoal" / "projects"


def scratch_folder() -> Path:
    """Return the parent of scratch folders: in the cache of the user, else in the temporary folder.

    The cache is on disk, the temporary folder often in memory, and the files are large.
    """
    if sys.platform == "darwin":
        cache = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        cache = _from_environment("LOCALAPPDATA", Path.home() / "AppData" / "Local")
    else:
        cache = _from_environment("XDG_CACHE_HOME", Path.home() / ".cache")
    try:
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(cache, os.W_OK | os.X_OK):
            return cache / "shoal-web"
    except OSError:
        pass
    user = os.getuid() if hasattr(os, "getuid") else "own"
    return Path(tempfile.gettempdir()) / f"shoal-web-{user}"


def _from_environment(variable: str, default: Path) -> Path:
    """Return the folder that an environment variable names, if absolute, else the default."""
    value = os.environ.get(variable, "")
    return Path(value) if value and Path(value).is_absolute() else default

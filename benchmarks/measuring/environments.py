"""Virtual environments of peers: made where they are missing, never part of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / ".envs"
PINS = {
    "anonypy": ("anonypy==0.2.1", "pandas<3"),
    "anjana": ("anjana==1.2.3",),
    "pycanon": ("pycanon==1.3.6",),
}
"""What each of them needs; anonypy does not say itself that it needs pandas."""
_PATIENCE = 600


def python(name: str) -> Path | None:
    """The Python of a peer; None where its packages cannot be had."""
    home = FOLDER / name
    found, ready = home / ("Scripts" if sys.platform == "win32" else "bin") / "python", home / "ready"
    pins = "\n".join(PINS[name])
    if ready.exists() and ready.read_text(encoding="utf-8") == pins:
        return found
    install = [str(found), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINS[name]]
    for command in ([sys.executable, "-m", "venv", "--clear", str(home)], install):
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_PATIENCE)
        except (subprocess.SubprocessError, OSError):
            return None
    ready.write_text(pins, encoding="utf-8")
    return found

"""The shell that a reader of the docs has: `shoal` is on its path."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def printed(script: str, folder: Path, *, check: bool = False) -> str:
    """What a script prints in a folder, on both channels; without the word that kernels are compiled."""
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": PATH, "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=check,
    )
    return re.sub(r"shoal: compiling.*\n", "", done.stdout)

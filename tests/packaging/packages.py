"""The files that a release of Shoal consists of, built as they would be published."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Packages(NamedTuple):
    """A wheel and the sources, side by side in one folder."""

    wheel: Path
    sources: Path


def build(folder: Path, *, root: Path = ROOT) -> Packages:
    """Build both from a checkout, or from sources that were unpacked."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=root, check=True, capture_output=True
    )
    (wheel,), (sources,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Packages(wheel, sources)

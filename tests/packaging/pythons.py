"""Build the release, install it in an empty environment of each Python, and protect the example there: `make release`.

    python tests/packaging/pythons.py python3.11 python3.13

The wheel and the sources stand in `dist/` afterwards. The released example must have the same bytes everywhere.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from packages import ROOT, build

ASK = (
    "import platform, numba, numpy, polars;"
    "print(platform.python_version(), numba.__version__, numpy.__version__, polars.__version__)"
)


def try_out(python: str, wheel: Path, folder: Path) -> tuple[str, ...]:
    """What one Python says: its version and those of what Shoal builds on, seconds, and the hash of the release."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    own = folder / "bin" / "python"
    install = [str(own), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[stats,web]"]
    subprocess.run(install, check=True)
    began = time.monotonic()
    subprocess.run([str(folder / "bin" / "shoal"), "demo"], cwd=folder, check=True, capture_output=True)
    took = time.monotonic() - began
    versions = subprocess.run([str(own), "-c", ASK], check=True, capture_output=True, text=True).stdout.split()
    released = (folder / "demo" / "released.csv").read_bytes()
    return *versions, f"{took:.0f}", hashlib.sha256(released).hexdigest()[:12]


def main(pythons: list[str]) -> int:
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    wheel = build(dist).wheel
    rows = [("Python", "Numba", "NumPy", "polars", "seconds", "release")]
    for python in pythons or [sys.executable]:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(try_out(python, wheel, Path(folder) / "empty"))
    for row in rows:
        print(*(cell.ljust(13) for cell in row))  # noqa: T201
    return len({row[-1] for row in rows[1:]}) != 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""How long Shoal takes to start: help, import, a first run ever, and a warm run on 1,000 records.

Each figure is the best of several runs of a fresh process, beside the start of Python itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import shoal

QUASI = "age,height_cm,household_size,income"


def seconds(*command: str, runs: int = 5, **env: str) -> float:
    """The best of several runs."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, **env})
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    python = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.csv", Path(folder) / "out.csv"
        shoal.example_register(rows=1000).write_csv(source)
        job = (python, "-m", "shoal", "anonymize", str(source), "-k", "5", "-q", QUASI, "-o", str(target), "--force")
        rows = [
            ("python -c pass", seconds(python, "-c", "pass")),
            ("import shoal", seconds(python, "-c", "import shoal")),
            ("shoal --help", seconds(python, "-m", "shoal", "--help")),
            ("shoal methods", seconds(python, "-m", "shoal", "methods")),
            ("anonymize 1,000 records, first run ever", seconds(*job, runs=1, NUMBA_CACHE_DIR=f"{folder}/cache")),
            ("anonymize 1,000 records, warm", seconds(*job, NUMBA_CACHE_DIR=f"{folder}/cache")),
        ]
    for name, figure in rows:
        print(f"{name:42s} {figure:6.2f} s")


if __name__ == "__main__":
    main()

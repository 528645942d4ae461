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

from measuring.answers import Answers, parser

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
    given = parser(__doc__).parse_args()
    answers, runs = Answers(as_json=given.json), 1 if given.quick else 5
    python = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.csv", Path(folder) / "out.csv"
        shoal.example_register(rows=1000).write_csv(source)
        job = (python, "-m", "shoal", "anonymize", str(source), "-k", "5", "-q", QUASI, "-o", str(target), "--force")
        rows = [
            ("python -c pass", seconds(python, "-c", "pass", runs=runs)),
            ("import shoal", seconds(python, "-c", "import shoal", runs=runs)),
            ("shoal --help", seconds(python, "-m", "shoal", "--help", runs=runs)),
            ("shoal methods", seconds(python, "-m", "shoal", "methods", runs=runs)),
        ]
        if not given.quick:  # compiling takes long
            cache = f"{folder}/cache"
            first = seconds(*job, runs=1, NUMBA_CACHE_DIR=cache)
            rows.append(("anonymize 1,000 records, first run ever", first))
            rows.append(("anonymize 1,000 records, warm", seconds(*job, NUMBA_CACHE_DIR=cache)))
    for name, figure in rows:
        answers.tell({"what": name, "seconds": round(figure, 3)}, f"{name:42s} {figure:6.2f} s")


if __name__ == "__main__":
    main()

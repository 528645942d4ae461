"""How long Shoal takes to start: help, import, first releases with an empty kernel cache, and warm ones.

Each figure is the best of several runs of a fresh process, beside the start of Python itself. A release with an empty
cache compiles its kernels and is run once. Further methods share the cache with those before them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring.output import Output, parser

import shoal

QUASI = (
    "age,sex,birth_date,postcode,region,marital_status,education,occupation,household_size,height_cm,weight_kg,income,"
    "admission_date"
)
FURTHER = ("mdav", "mondrian", "k-means", "hac", "v-mdav", "mst", "xmondrian", "dba-2")


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
    output, runs = Output(as_json=given.json), 1 if given.quick else 5
    python = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.csv", Path(folder) / "out.csv"
        shoal.example_register(rows=5000).write_csv(source)
        job = (python, "-m", "shoal", "anonymize", str(source), "-k", "5", "-q", QUASI, "--drop-others")
        job = (*job, "-o", str(target), "--force")
        rows = [
            ("python -c pass", seconds(python, "-c", "pass", runs=runs)),
            ("import shoal", seconds(python, "-c", "import shoal", runs=runs)),
            ("shoal --help", seconds(python, "-m", "shoal", "--help", runs=runs)),
            ("shoal methods", seconds(python, "-m", "shoal", "methods", runs=runs)),
        ]
        if not given.quick:  # compiling takes long
            cache = Path(folder) / "cache"
            env = {"NUMBA_CACHE_DIR": str(cache)}
            rows.append(("anonymize the register, first release ever", seconds(*job, runs=1, **env)))
            rows.append(("anonymize the register, warm", seconds(*job, runs=2, **env)))
            for method in FURTHER:
                further = (*job, "--method", method)
                rows.append((f"--method {method}, first", seconds(*further, runs=1, **env)))
                rows.append((f"--method {method}, warm", seconds(*further, runs=2, **env)))
            files = list(cache.rglob("*.nbc"))
            size = sum(file.stat().st_size for file in files) / 1e6
            output.record({"kernels": len(files), "MB": round(size, 2)}, f"{len(files)} kernels, {size:.1f} MB")
    for name, figure in rows:
        output.record({"what": name, "seconds": round(figure, 3)}, f"{name:42s} {figure:6.2f} s")


if __name__ == "__main__":
    main()

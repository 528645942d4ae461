"""Run every benchmark of this folder, store the results, and generate the page from them.

    python benchmarks/run_all.py [--quick] [--only mdav,growth]

Each prints JSON, one object per line. A whole run writes `benchmarks/results/`, the growth of the methods in the
package itself, and the docs. A quick run has small sizes, changes none of these and writes its results and its page
into `build/benchmarks/`. A failure is reported at the end; the other benchmarks still run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from measuring import environments
from measuring.results import RESULTS, read_results, write_results
from measuring.results_page import pages

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
BUILD = ROOT / "build" / "benchmarks"
WHOLE = {"growth": ["--write"]}
"""Further arguments of a whole run."""
SMALL = ["--rows", "20000"]
"""Arguments of a quick run for benchmarks without `--quick`."""
TIME_LIMIT = 300
"""Maximum seconds of a benchmark in a quick run."""


def arguments(script: Path, *, quick: bool) -> list[str]:
    """The arguments for a benchmark, by its `--help`."""
    known = subprocess.run([sys.executable, str(script), "--help"], capture_output=True, text=True, check=True).stdout
    if "--json" not in known:
        raise ValueError("it has no --json")
    if not quick:
        return ["--json", *WHOLE.get(script.stem, [])]
    return ["--json", *(["--quick"] if "--quick" in known else SMALL if "--rows" in known else [])]


def run_benchmark(script: Path, *, quick: bool) -> list[dict[str, Any]]:
    """The figures that a benchmark prints."""
    command = [sys.executable, str(script), *arguments(script, quick=quick)]
    limit = TIME_LIMIT if quick else None
    peer = None if quick else environments.python("anonypy")
    env = {**os.environ, **({"SHOAL_PEERS": str(peer)} if peer else {})}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=limit, env=env)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes; stored results stay as they are")
    parser.add_argument("--only", help="some of them, with commas between")
    given = parser.parse_args()
    folder = BUILD if given.quick else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    scripts = {path.stem: path for path in sorted(FOLDER.glob("*.py")) if path.name != Path(__file__).name}
    failed = []
    for name in given.only.split(",") if given.only else scripts:
        start = time.perf_counter()
        try:
            figures = run_benchmark(scripts[name], quick=given.quick)
            write_results(name, figures, folder)
            outcome = f"{len(figures)} lines"
        except (subprocess.SubprocessError, ValueError) as error:
            failed.append(name)
            outcome = f"failed: {error}"
        print(f"{name:16s}{time.perf_counter() - start:7.0f} s  {outcome}", flush=True)
    if given.quick:
        for path, text in pages(read_results(BUILD), BUILD).items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    else:
        subprocess.run([sys.executable, str(ROOT / "docs" / "make.py")], check=True)
    print(f"results are in {folder.relative_to(ROOT)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

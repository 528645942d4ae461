"""Run every benchmark of this folder, keep what they print, and make the page from it.

    python benchmarks/every.py [--quick] [--only mdav,growth]

Each is asked for JSON, one object a line. What a whole run finds is kept in `benchmarks/results/`, the growth of the
methods in the package itself, and the docs are made anew. A quick run has small sizes, leaves all that alone and puts
its results and its page into `build/benchmarks/`. One that fails is told of at the end; the others run on.
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
from measuring.kept import RESULTS, keep, results
from measuring.page import made

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
BUILD = ROOT / "build" / "benchmarks"
WHOLE = {"growth": ["--write"]}
"""What is asked of a benchmark besides in a whole run."""
SMALL = ["--rows", "20000"]
"""What a benchmark gets in a quick run that has no small sizes of its own."""
PATIENCE = 300
"""Seconds after which a benchmark is stopped in a quick run."""


def asked(script: Path, *, quick: bool) -> list[str]:
    """The arguments for a benchmark, by what it says that it takes."""
    known = subprocess.run([sys.executable, str(script), "--help"], capture_output=True, text=True, check=True).stdout
    if "--json" not in known:
        raise ValueError("it has no --json")
    if not quick:
        return ["--json", *WHOLE.get(script.stem, [])]
    return ["--json", *(["--quick"] if "--quick" in known else SMALL if "--rows" in known else [])]


def ran(script: Path, *, quick: bool) -> list[dict[str, Any]]:
    """The figures that a benchmark prints."""
    command = [sys.executable, str(script), *asked(script, quick=quick)]
    limit = PATIENCE if quick else None
    peer = None if quick else environments.python("anonypy")
    env = {**os.environ, **({"SHOAL_PEERS": str(peer)} if peer else {})}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=limit, env=env)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes; nothing that is kept is changed")
    parser.add_argument("--only", help="some of them, with commas between")
    given = parser.parse_args()
    folder = BUILD if given.quick else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    scripts = {path.stem: path for path in sorted(FOLDER.glob("*.py")) if path.name != Path(__file__).name}
    failed = []
    for name in given.only.split(",") if given.only else scripts:
        start = time.perf_counter()
        try:
            figures = ran(scripts[name], quick=given.quick)
            keep(name, figures, folder)
            told = f"{len(figures)} lines"
        except (subprocess.SubprocessError, ValueError) as error:
            failed.append(name)
            told = f"failed: {error}"
        print(f"{name:16s}{time.perf_counter() - start:7.0f} s  {told}", flush=True)
    if given.quick:
        for path, text in made(results(BUILD), BUILD).items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    else:
        subprocess.run([sys.executable, str(ROOT / "docs" / "make.py")], check=True)
    print(f"results are in {folder.relative_to(ROOT)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

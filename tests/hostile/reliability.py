"""Try everything as often as the page says, and write what was counted: `make reliability`.

Each folder of tests is a part that is run by itself; `make reliability PARTS="faults load"` runs these parts only, and
leaves what was counted of the others. What has a loss is left out until it is counted anew without one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parents[1] / "benchmarks" / "results" / "reliability.json"
PARTS = sorted(path.name for path in HERE.iterdir() if any(path.glob("test_*.py")))
EXTRA_TESTS = {"faults": ["engines/spark/test_spark_faults.py"]}
"""Tests that a part runs besides its folder: a cluster with one process per machine, which is not counted."""

Accounts = list[dict[str, Any]]


def added(folder: Path) -> Accounts:
    """The accounts of all processes, those of one thing added up."""
    sums: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):
        for account in json.loads(path.read_text(encoding="utf-8")):
            known = sums.setdefault((account["kind"], account["name"]), account)
            if known is not account:
                for name in ("tried", "refused", "whole", "lost"):
                    known[name] += account[name]
    return [sums[key] for key in sorted(sums)]


def tried(part: str) -> tuple[Accounts, bool]:
    """What was counted in a part, and whether all of its tests passed."""
    with tempfile.TemporaryDirectory() as folder:
        places = [str(HERE / part), *(str(HERE.parent / path) for path in EXTRA_TESTS.get(part, []))]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *places, "-n", "2", "--dist", "worksteal", "-q"],
            env={**os.environ, "SHOAL_TRIES": "full", "SHOAL_LEDGER": folder},
            check=False,
        )
        return added(Path(folder)), done.returncode == 0


def main(selected_parts: list[str]) -> int:
    parts: dict[str, Accounts] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    whole = True
    for part in selected_parts or PARTS:
        accounts, passed = tried(part)
        whole = whole and passed
        known = {} if passed else {account["name"]: account for account in parts.get(part, [])}
        known |= {account["name"]: account for account in accounts}
        parts[part] = [account for _, account in sorted(known.items()) if not account["lost"]]
        parts = {name: parts.get(name, []) for name in PARTS}
        RESULTS.write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")
    subprocess.run([sys.executable, str(HERE.parents[1] / "docs" / "make.py")], check=True)
    return int(not whole)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

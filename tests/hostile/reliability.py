"""Try everything as often as the page says, and write what was counted: `make reliability`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parents[1] / "benchmarks" / "results" / "reliability.json"


def added(folder: Path) -> list[dict[str, object]]:
    """The accounts of all processes, those of one thing added up."""
    sums: dict[tuple[str, str], dict[str, object]] = {}
    for path in sorted(folder.glob("*.json")):
        for account in json.loads(path.read_text(encoding="utf-8")):
            known = sums.setdefault((account["kind"], account["name"]), account)
            if known is not account:
                for name in ("tried", "refused", "whole", "lost"):
                    known[name] += account[name]
    return [sums[key] for key in sorted(sums)]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        tried = subprocess.run(
            [sys.executable, "-m", "pytest", str(HERE), "-n", "2", "--dist", "worksteal", *sys.argv[1:]],
            env={**os.environ, "SHOAL_TRIES": "full", "SHOAL_LEDGER": folder},
            check=False,
        )
        accounts = added(Path(folder))
    if tried.returncode == 0:
        RESULTS.write_text(json.dumps(accounts, indent=1) + "\n", encoding="utf-8")
        subprocess.run([sys.executable, str(HERE.parents[1] / "docs" / "make.py")], check=True)
    return tried.returncode


if __name__ == "__main__":
    sys.exit(main())

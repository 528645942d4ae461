"""Write docs/command-line.md from the commands themselves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from shoal.cli.main import COMMANDS

PAGE = Path(__file__).with_name("command-line.md")
HEAD = """# The command line

Made by `python docs/make.py` from the commands themselves.

Exit codes: 0 done; 2 bad input; 3 the promise cannot be kept or a verification failed; 1 a bug in Shoal;
130 interrupted. Messages go to standard error, results to standard output; `--json` prints stable keys.
"""


def help_of(command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "shoal", command, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "100"},
    )
    return done.stdout.strip()


def page() -> str:
    parts = [f"## shoal {command}\n\n```text\n{help_of(command)}\n```\n" for command in COMMANDS]
    return "\n".join([HEAD, *parts])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

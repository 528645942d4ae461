"""Runs of the command line, each in a process of its own that is forked from one that has imported everything."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    code: int
    said: str

    @property
    def sentences(self) -> list[str]:
        return [line for line in self.said.splitlines() if line and not line.startswith("shoal: warning: ")]


class Starter:
    """Runs the command line, each time in a new process; quick, since that is forked from one that is warm."""

    def __init__(self, folder: Path, **env: str) -> None:
        self.folder = folder
        self._running = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("starter.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,  # of a file Python would keep its place, which a pipe or a terminal has not
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **env},
        )
        assert self._answer()["ready"]

    def _answer(self) -> dict[str, Any]:
        assert self._running.stdout is not None
        found: dict[str, Any] = json.loads(self._running.stdout.readline())
        return found

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        assert self._running.stdin is not None
        print(json.dumps(request), file=self._running.stdin, flush=True)
        return self._answer()

    def begin(self, arguments: Sequence[str], cwd: Path, **more: Any) -> int:
        """Start a run; its process id."""
        request = {"arguments": list(arguments), "cwd": str(cwd), "env": {}, "unset": [], "limits": {}}
        request |= {"stdin": os.devnull, "stdout": str(self.folder / "said"), "stderr": str(self.folder / "told")}
        return int(self._ask({**request, **more})["pid"])

    def ended(self, pid: int, told: str = "told") -> Ended:
        """Wait for its end."""
        code = self._ask({"wait": pid})["code"]
        said = ""
        with suppress(OSError):
            said = (self.folder / told).read_text(encoding="utf-8", errors="replace")
        return Ended(code, said)

    def run(self, arguments: Sequence[str], cwd: Path, **more: Any) -> Ended:
        return self.ended(self.begin(arguments, cwd, **more))

    def held(self) -> int:
        """The bytes that a run has from the beginning, as the system counts them for RLIMIT_DATA."""
        status = Path(f"/proc/{self._running.pid}/status").read_text()
        return int(re.findall(r"VmData:\s+(\d+) kB", status)[0]) << 10

    def close(self) -> None:
        self._running.communicate("", timeout=60)

"""Runs of the command line, each in its own process, forked from a process that has imported everything."""

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
class CompletedRun:
    """Exit code and standard error of a run."""

    code: int
    stderr: str

    @property
    def errors(self) -> list[str]:
        """Lines of standard error that are not warnings."""
        return [line for line in self.stderr.splitlines() if line and not line.startswith("shoal: warning: ")]


class ForkServer:
    """Client of `fork_server_process.py`: runs the command line in a new process each time."""

    def __init__(self, folder: Path, **env: str) -> None:
        self.folder = folder
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("fork_server_process.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,  # not a file: Python would keep its position, which pipes and terminals lack
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **env},
        )
        assert self._receive()["ready"]

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def _request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return self._receive()

    def start(self, arguments: Sequence[str], cwd: Path, **more: Any) -> int:
        """Start a run; return its process id."""
        request = {"arguments": list(arguments), "cwd": str(cwd), "env": {}, "unset": [], "limits": {}}
        request |= {"stdin": os.devnull, "stdout": str(self.folder / "stdout"), "stderr": str(self.folder / "stderr")}
        return int(self._request({**request, **more})["pid"])

    def wait(self, pid: int, stderr: str = "stderr") -> CompletedRun:
        """Wait for the end of a run that writes standard error to this file."""
        code = self._request({"wait": pid})["code"]
        text = ""
        with suppress(OSError):
            text = (self.folder / stderr).read_text(encoding="utf-8", errors="replace")
        return CompletedRun(code, text)

    def run(self, arguments: Sequence[str], cwd: Path, **more: Any) -> CompletedRun:
        return self.wait(self.start(arguments, cwd, **more))

    def data_size(self) -> int:
        """Size of the data segment of a new run in bytes, as RLIMIT_DATA counts it."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.findall(r"VmData:\s+(\d+) kB", status)[0]) << 10

    def close(self) -> None:
        self._process.communicate("", timeout=60)

"""A command with all processes that it starts: how long they work, and what memory they take. Needs Linux.

Processes come and go, so they are looked at several times a second. What outlives its parent is handed to this process,
which waits for it. CPU seconds are those at the last looks or those that the system added up, whichever are more: looks
miss the last moments of a process, and the system leaves out those that nobody waited for.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

INTERVAL = 0.2
"""Seconds between two looks."""
TIMEOUT = 60
"""Seconds that what the command started may go on after it."""
COMMAND, JAVA, WORKERS, OTHER = "command", "java", "workers", "other"
_ADOPT = 36  # PR_SET_CHILD_SUBREAPER
_SYSTEM = Path("/proc")
_KB = 1024


@dataclass
class ProcessUsage:
    """What a command took; bytes and seconds by the part that a process has in it."""

    status: int = 0
    output: str = ""
    errors: str = ""
    seconds: float = 0.0
    """Until the command itself ended."""
    cpu_seconds: float = 0.0
    """Of all processes, those included that ended after it."""
    peak_bytes: dict[str, int] = field(default_factory=dict)
    """The peak of the largest process, as the system notes it."""
    total_bytes: dict[str, int] = field(default_factory=dict)
    """The most that all processes held at one look; pages that they share count for each."""
    all_bytes: int = 0
    """The same of all parts together, without copies of a process that are about to become another one."""
    cpu: dict[str, float] = field(default_factory=dict)
    """CPU seconds at the last look at each process: a little less than they came to."""


def run_measured(command: Sequence[str], *, env: Mapping[str, str] | None = None) -> ProcessUsage:
    """Run a command to the end, and all that it started."""
    if not _SYSTEM.joinpath("self/status").exists():
        raise SystemExit("Processes are looked at in /proc, which only Linux has.")
    ctypes.CDLL(None).prctl(_ADOPT, 1, 0, 0, 0)
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=errors, env=env)
        look = _Sampler(process.pid)
        look.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            added = usage.ru_utime + usage.ru_stime + sum(_adopted())
        finally:
            look.stop()
        found = look.found
        found.status, found.seconds = process.returncode, seconds
        found.cpu_seconds = max(added, sum(found.cpu.values()))
        for file in (output, errors):
            file.seek(0)
        found.output, found.errors = output.read(), errors.read()
    return found


def _adopted() -> Iterator[float]:
    """CPU seconds of what outlived its parent, when it has ended."""
    end = time.perf_counter() + TIMEOUT
    while time.perf_counter() < end:
        try:
            pid, _, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid:
            yield usage.ru_utime + usage.ru_stime
        else:
            time.sleep(0.02)
    raise TimeoutError(f"what the command started still ran {TIMEOUT} s after it")


class _Sampler(threading.Thread):
    """Looks at all processes below this one until it is told to stop."""

    def __init__(self, command: int) -> None:
        super().__init__(daemon=True)
        self.command, self.found, self._done = command, ProcessUsage(), threading.Event()
        self._cpu: dict[int, tuple[str, float]] = {}

    def run(self) -> None:
        while not self._done.wait(INTERVAL):
            self._sample()

    def stop(self) -> None:
        self._done.set()
        self.join()
        for part, seconds in self._cpu.values():
            self.found.cpu[part] = self.found.cpu.get(part, 0.0) + seconds

    def _sample(self) -> None:
        now: dict[str, int] = {}
        for pid in _below(os.getpid()):
            part, fields, memory = COMMAND if pid == self.command else _part(pid), _fields(pid), _memory(pid)
            if not fields or memory is None:
                continue
            # Java starts others by a copy of itself that shares its memory
            part = OTHER if part == JAVA and _part(int(fields[1])) == JAVA else part
            self._cpu[pid] = (part, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
            if part != OTHER:
                peak, held = memory
                self.found.peak_bytes[part] = max(self.found.peak_bytes.get(part, 0), peak)
                now[part] = now.get(part, 0) + held
        for part, held in now.items():
            self.found.total_bytes[part] = max(self.found.total_bytes.get(part, 0), held)
        self.found.all_bytes = max(self.found.all_bytes, sum(now.values()))


def _below(top: int) -> Iterable[int]:
    """All descendants of a process."""
    children: dict[int, list[int]] = {}
    for folder in _SYSTEM.iterdir():
        if folder.name.isdigit() and (fields := _fields(int(folder.name))):
            children.setdefault(int(fields[1]), []).append(int(folder.name))
    waiting, found = [top], list[int]()
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _part(pid: int) -> str:
    """What a process is by its command; a copy of another one that is about to become something else is no part."""
    try:
        words = _SYSTEM.joinpath(str(pid), "cmdline").read_bytes().split(b"\0")
    except OSError:
        return OTHER
    if words[0].endswith(b"java"):
        return JAVA
    return WORKERS if any(word in (b"pyspark.daemon", b"pyspark.worker") for word in words) else OTHER


def _memory(pid: int) -> tuple[int, int] | None:
    """The peak of a process and what it holds now, in bytes; None for one that has ended."""
    try:
        text = _SYSTEM.joinpath(str(pid), "status").read_text(encoding="utf-8")
    except OSError:
        return None
    found = {line.split(":")[0]: line.split()[1] for line in text.splitlines() if line.startswith(("VmHWM", "VmRSS"))}
    return (int(found["VmHWM"]) * _KB, int(found["VmRSS"]) * _KB) if len(found) == 2 else None


def _fields(pid: int) -> list[str]:
    """What the system tells of a process after its name: its state, its parent and so on; nothing of one that ended."""
    try:
        return _SYSTEM.joinpath(str(pid), "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return []

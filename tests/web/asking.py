"""Questions to workers, and a task that behaves in every odd way."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from shoal.web.errors import PageError
from shoal.web.workers.process import TaskProgress, Worker, WorkerLimits

MEMORY = 4 << 30
ODD = """
import ctypes, os, signal, sys, time
from pathlib import Path
import numpy as np
from shoal.errors import FileError
from shoal.web.errors import PageError

def run(asked, room):
    what = asked["do"]
    if what == "sleep":
        room.stage("sleeping")
        time.sleep(asked["seconds"])
    if what == "block":  # with the lock of Python held, so that no other thread gets a turn
        Path(asked["sign"]).write_text(str(os.getpid()))
        ctypes.PyDLL(None).sleep(60)
    if what == "print":
        print("not an answer", flush=True)
        os.write(1, b"nor this")
    if what == "fail":
        raise ValueError("secret 4711")
    if what == "refuse":
        raise FileError.empty(asked["file"]["path"])
    if what == "array":
        return {"sum": float(np.ones(asked["size"]).sum())}
    if what == "file":
        with open(asked["path"], "wb") as file:
            file.truncate(asked["size"])
    if what == "abort":
        os.abort()
    if what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "long":
        return {"text": "x" * asked["size"]}
    if what == "panic":
        raise type("PanicException", (BaseException,), {})("secret 4711")
    if what == "threads":
        raise RuntimeError("can't start new thread")
    if what == "limits":
        import resource
        return {"core": resource.getrlimit(resource.RLIMIT_CORE), "nice": os.nice(0), "mask": os.umask(0o077)}
    return {"process": os.getpid()}
"""


def teach(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that are started from now on know the task ``odd``."""
    folder.mkdir()
    (folder / "odd.py").write_text(ODD)
    (folder / "sitecustomize.py").write_text(
        f"import shoal.web.workers.tasks as tasks\ntasks.__path__.append({str(folder)!r})\n"
    )
    before = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *([before] if before else [])]))


def limited(folder: Path, memory: int = MEMORY) -> WorkerLimits:
    scratch = folder / "scratch"
    scratch.mkdir(mode=0o700, exist_ok=True)
    return WorkerLimits(memory, scratch)


def ask_each(
    folder: Path,
    *questions: tuple[str, Mapping[str, Any]],
    memory: int = MEMORY,
    told: list[TaskProgress] | None = None,
) -> list[dict[str, Any] | PageError]:
    """What one worker answers to each of some questions, or the error."""

    async def asked() -> list[dict[str, Any] | PageError]:
        worker, heard = Worker(limited(folder, memory)), [] if told is None else told
        found: list[dict[str, Any] | PageError] = []
        for question in questions:
            try:
                found.append(await worker.run(*question, on_progress=heard.append))
            except PageError as error:
                found.append(error)
        await worker.wait_closed()
        return found

    return asyncio.run(asked())


def ask(folder: Path, *questions: tuple[str, Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    """What a worker answers to the last of some questions."""
    found = ask_each(folder, *questions, **more)
    for one in found:
        if isinstance(one, PageError):
            raise one
    return found[-1]


class SlowToGo:
    """A worker that answers at once and takes its time to end."""

    def __init__(self, _: WorkerLimits) -> None:
        self.asked_to_go = self.gone_at_last = False

    async def ask(self, *_: object, **__: object) -> dict[str, Any]:
        return {}

    async def gone(self) -> None:
        self.asked_to_go = True
        await asyncio.sleep(0.2)
        self.gone_at_last = True


def described(path: Path, name: str = "people of mine.csv", **reading: Any) -> dict[str, Any]:
    """A file, as workers take it."""
    return {"path": str(path), "reading": reading, "name": name}


def is_alive(process: int) -> bool:
    """Whether a process runs; one that ended and nobody asked about is not alive."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False

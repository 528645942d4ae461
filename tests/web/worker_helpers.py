"""Run tasks in workers, and a task that misbehaves in many ways."""

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

def odd(params, context):
    what = params["do"]
    if what == "sleep":
        context.stage("sleeping")
        time.sleep(params["seconds"])
    if what == "block":  # with the lock of Python held, so that no other thread gets a turn
        Path(params["sign"]).write_text(str(os.getpid()))
        ctypes.PyDLL(None).sleep(60)
    if what == "print":
        print("not an answer", flush=True)
        os.write(1, b"nor this")
    if what == "fail":
        raise ValueError("secret 4711")
    if what == "refuse":
        raise FileError.empty(params["file"]["path"])
    if what == "array":
        return {"sum": float(np.ones(params["size"]).sum())}
    if what == "file":
        with open(params["path"], "wb") as file:
            file.truncate(params["size"])
    if what == "abort":
        os.abort()
    if what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "long":
        return {"text": "x" * params["size"]}
    if what == "panic":
        raise type("PanicException", (BaseException,), {})("secret 4711")
    if what == "threads":
        raise RuntimeError("can't start new thread")
    if what == "limits":
        import resource
        return {"core": resource.getrlimit(resource.RLIMIT_CORE), "nice": os.nice(0), "mask": os.umask(0o077)}
    return {"process": os.getpid()}
"""


def install_odd_task(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the task ``odd`` to the workers that are started from now on."""
    folder.mkdir()
    (folder / "odd.py").write_text(ODD)
    (folder / "sitecustomize.py").write_text(
        f"from shoal.web.workers import tasks\ntasks.__path__.append({str(folder)!r})\ntasks.MODULES['odd'] = 'odd'\n"
    )
    before = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *([before] if before else [])]))


def worker_limits(folder: Path, memory: int = MEMORY) -> WorkerLimits:
    scratch = folder / "scratch"
    scratch.mkdir(mode=0o700, exist_ok=True)
    return WorkerLimits(memory, scratch)


def run_tasks(
    folder: Path,
    *requests: tuple[str, Mapping[str, Any]],
    memory: int = MEMORY,
    progress: list[TaskProgress] | None = None,
) -> list[dict[str, Any] | PageError]:
    """Run tasks in one worker; return the result or the error of each."""

    async def run_all() -> list[dict[str, Any] | PageError]:
        worker, messages = Worker(worker_limits(folder, memory)), [] if progress is None else progress
        result: list[dict[str, Any] | PageError] = []
        for request in requests:
            try:
                result.append(await worker.run(*request, on_progress=messages.append))
            except PageError as error:
                result.append(error)
        await worker.wait_closed()
        return result

    return asyncio.run(run_all())


def run_task(folder: Path, *requests: tuple[str, Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    """Run tasks in one worker; return the result of the last one."""
    result = run_tasks(folder, *requests, **more)
    for one in result:
        if isinstance(one, PageError):
            raise one
    return result[-1]


class SlowWorker:
    """A worker that returns results at once and takes time to end."""

    def __init__(self, _: WorkerLimits) -> None:
        self.closing = self.closed = False

    async def run(self, *_: object, **__: object) -> dict[str, Any]:
        return {}

    async def wait_closed(self) -> None:
        self.closing = True
        await asyncio.sleep(0.2)
        self.closed = True


def file_params(path: Path, name: str = "people of mine.csv", **reading: Any) -> dict[str, Any]:
    """Return the parameters of a file."""
    return {"path": str(path), "reading": reading, "name": name}


def is_alive(process: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False

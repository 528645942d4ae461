"""Worker process, the only one that touches data: ``python -m shoal.web.workers.worker``.

A request is one line, ``{"task": name, "params": {...}}``. Responses are lines: for progress ``{"done": d, "of": n,
"stage": words}``, and last ``{"result": {...}}`` or ``{"fact": ..., "hint": ..., "status": ...}``. Nothing else is
written to the pipe. Output of libraries is discarded, since it may quote cells. The process ends with its parent.
"""

from __future__ import annotations

import ctypes
import json
import os
import queue
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from shoal.errors import ShoalError, ShoalWarning
from shoal.errors.messages import shorten
from shoal.web.errors import PageError, error_location
from shoal.web.workers.tasks import MODULES

if TYPE_CHECKING:
    from shoal.data import ReadOptions, Table

_PROGRESS_INTERVAL = 0.2
"""Seconds between two progress messages."""
_COMPILING = "compiling, on the first run only"
_NICE = 5
_DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of Linux."""


@dataclass
class WorkerContext:
    """What a task can use in its process: the last table that was read, and progress messages."""

    pipe: BinaryIO
    memory: int = 1 << 62
    """Bytes that this process may use."""
    _tables: dict[str, Table] = field(default_factory=dict)
    _reported: float = 0.0
    _stage: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def table(self, file: Mapping[str, Any]) -> Table:
        """Return the table of a file, as ``{"path", "reading", ...}``. It is cached until another file is requested."""
        from shoal import data

        key = json.dumps([file["path"], file["reading"]], sort_keys=True)
        if key not in self._tables:
            self._tables.clear()
            self.stage("reading")
            self._tables[key] = data.read_table(Path(file["path"]), options=self.read_options(file))
        return self._tables[key]

    def inspected_table(self, params: Mapping[str, Any]) -> Table:
        """Return the table of ``file``; refuse it if it differs from what was inspected (``looked``)."""
        table, inspected = self.table(params["file"]), params.get("looked")
        if inspected is not None and [table.sha256, *table.names] != [inspected["sha256"], *inspected["columns"]]:
            raise PageError.different_file()
        return table

    def read_options(self, file: Mapping[str, Any]) -> ReadOptions | None:
        from shoal.web.projects.import_settings import to_read_options

        return to_read_options(file["reading"]) if file["reading"] else None

    def stage(self, words: str) -> None:
        if words != self._stage:
            self._stage = words
            self._send({"done": 0, "of": 0, "stage": words})

    def progress(self, done: float, of: int) -> None:
        """Report the progress within a stage; most calls send nothing."""
        now = time.monotonic()
        if now - self._reported >= _PROGRESS_INTERVAL:
            self._reported = now
            self._send({"done": float(done), "of": of, "stage": self._stage})

    @contextmanager
    def progress_stage(self, words: str) -> Iterator[Callable[[float, int], None]]:
        """Report a long stage, and yield its progress callback. Kernel compilation is reported too."""
        from shoal.kernels.jit import compiling

        def progress(done: float, of: int) -> None:
            self.stage(words)
            self.progress(done, of)

        self.stage(words)
        with compiling(lambda _: self.stage(_COMPILING)):
            yield progress

    def _send(self, facts: Mapping[str, Any]) -> None:
        line = json.dumps(facts).encode() + b"\n"
        with self._lock, suppress(BrokenPipeError):
            self.pipe.write(line)
            self.pipe.flush()


def serve(pipe: BinaryIO, requests: BinaryIO, *, memory: int) -> None:
    """Handle requests until the parent process ends."""
    requests_queue: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_listen, args=(requests, requests_queue), daemon=True).start()
    context = WorkerContext(pipe, memory)
    while True:
        request = json.loads(requests_queue.get())
        context._stage = ""
        context._send(_run(request, context))


def _listen(requests: BinaryIO, requests_queue: queue.Queue[bytes]) -> None:
    for line in requests:
        requests_queue.put(line)
    os._exit(0)  # the parent process has ended


def _run(request: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    try:
        name = request["task"]
        module = import_module(f"shoal.web.workers.tasks.{MODULES[name]}")
        return {"result": getattr(module, name)(request["params"], context)}
    except ShoalError as error:
        return _error_to_dict(error, request["params"])
    except BaseException as error:  # noqa: BLE001 - no message may contain a cell of the data
        # also out of memory: no other thread can be started
        out_of_memory = isinstance(error, MemoryError) or str(error).endswith("start new thread")
        reported = PageError.process_ended(memory=True) if out_of_memory else PageError.bug(error_location(error))
        return _error_to_dict(reported, {})


def _error_to_dict(error: ShoalError, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return an error as plain data. Paths are replaced by the names that the user gave the files."""
    fact, hint = str(error.fact), str(error.hint)
    for path, name in sorted(_file_names(params), reverse=True):  # longest first: one may be a prefix of another
        fact, hint = fact.replace(path, name), hint.replace(path, name)
    return {"fact": fact, "hint": hint, "status": getattr(error, "status", PageError.status)}


def _file_names(params: Any) -> Iterator[tuple[str, str]]:
    """Yield the paths in a request, each with the name of its file."""
    if isinstance(params, Mapping):
        named = {"path", "name"} <= params.keys()
        if named:
            yield params["path"], shorten(params["name"])
        for key, value in params.items():
            if not (named and key == "path"):
                yield from _file_names(value)
    elif isinstance(params, str) and len(params) > 1 and Path(params).is_absolute():
        yield params, Path(params).name


def limit_resources(max_memory: int) -> None:
    """Limit memory and file size, and lower the priority below that of the server.

    On Linux the process is also killed with its parent, even where it would not notice the end of its input.
    """
    with suppress(OSError, AttributeError):
        os.nice(_NICE)
    with suppress(ImportError, OSError, ValueError):
        import resource

        limits = {resource.RLIMIT_DATA: max_memory, resource.RLIMIT_FSIZE: max_memory, resource.RLIMIT_CORE: 0}
        for kind, maximum in limits.items():
            resource.setrlimit(kind, (maximum, maximum))
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def main() -> None:
    memory = int(sys.argv[1])
    limit_resources(memory)
    os.umask(0o077)
    warnings.simplefilter("ignore", ShoalWarning)
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(pipe, sys.stdin.buffer, memory=memory)


if __name__ == "__main__":
    main()

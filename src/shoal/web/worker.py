"""A process that touches data: it reads a line, does a task, and answers in lines. ``python -m shoal.web.worker``.

A request is ``{"task": name, "asked": {...}}``. Answers are ``{"done": d, "of": n, "stage": words}`` for progress, and
last ``{"result": {...}}`` or ``{"fact": ..., "hint": ..., "status": ...}``. Nothing else reaches the pipe, and what
libraries print is read by nobody, since it may quote cells. The process ends with the one that started it.
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
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

from shoal.errors import PageError, ShoalError, ShoalWarning
from shoal.words import short

if TYPE_CHECKING:
    from shoal.tables import ReadOptions, Table

_EVERY = 0.2
"""Seconds between two words about progress."""
_COMPILING = "compiling, on the first run only"
_NICE = 5
_DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of Linux."""


class Task(Protocol):
    """The module of a task."""

    def run(self, asked: Mapping[str, Any], room: Room) -> dict[str, Any]: ...


@dataclass
class Room:
    """What a task finds in its process: the table that was read last, and a way to say how far it is."""

    pipe: BinaryIO
    memory: int = 1 << 62
    """Bytes that this process may take."""
    _tables: dict[str, Table] = field(default_factory=dict)
    _told: float = 0.0
    _stage: str = ""
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def table(self, file: Mapping[str, Any]) -> Table:
        """The table of a file, as ``{"path", "reading", ...}``; it stays in memory until another one is asked for."""
        from shoal import tables

        key = json.dumps([file["path"], file["reading"]], sort_keys=True)
        if key not in self._tables:
            self._tables.clear()
            self.stage("reading")
            self._tables[key] = tables.read(Path(file["path"]), options=self.reading(file))
        return self._tables[key]

    def looked_at(self, asked: Mapping[str, Any]) -> Table:
        """The table of a ``file``, if it is what a look at it told (``looked``): decisions were made about that."""
        table, looked = self.table(asked["file"]), asked.get("looked")
        if looked is not None and [table.sha256, *table.names] != [looked["sha256"], *looked["columns"]]:
            raise PageError.other_file()
        return table

    def reading(self, file: Mapping[str, Any]) -> ReadOptions | None:
        """The import settings of a file."""
        from shoal.web.reading import options

        return options(file["reading"]) if file["reading"] else None

    def stage(self, words: str) -> None:
        """What is being done now."""
        if words != self._stage:
            self._stage = words
            self._say({"done": 0, "of": 0, "stage": words})

    def progress(self, done: float, of: int) -> None:
        """How far that is; most calls say nothing."""
        now = time.monotonic()
        if now - self._told >= _EVERY:
            self._told = now
            self._say({"done": float(done), "of": of, "stage": self._stage})

    @contextmanager
    def work(self, words: str) -> Iterator[Callable[[float, int], None]]:
        """Do what takes its time, with the progress to hand on; where kernels are compiled for it, that is said."""
        from shoal.kernels.jit import compiling

        def progress(done: float, of: int) -> None:
            self.stage(words)
            self.progress(done, of)

        self.stage(words)
        with compiling(lambda _: self.stage(_COMPILING)):
            yield progress

    def _say(self, facts: Mapping[str, Any]) -> None:
        line = json.dumps(facts).encode() + b"\n"
        with self._turn, suppress(BrokenPipeError):
            self.pipe.write(line)
            self.pipe.flush()


def serve(pipe: BinaryIO, requests: BinaryIO, *, memory: int) -> None:
    """Answer until nobody asks any more."""
    waiting: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_listen, args=(requests, waiting), daemon=True).start()
    room = Room(pipe, memory)
    while True:
        request = json.loads(waiting.get())
        room._stage = ""
        room._say(_answer(request, room))


def _listen(requests: BinaryIO, waiting: queue.Queue[bytes]) -> None:
    for line in requests:
        waiting.put(line)
    os._exit(0)  # whoever asked is gone, and with it all reason to go on


def _answer(request: Mapping[str, Any], room: Room) -> dict[str, Any]:
    try:
        task = cast("Task", import_module(f"shoal.web.tasks.{request['task']}"))
        return {"result": task.run(request["asked"], room)}
    except ShoalError as error:
        return _told(error, request["asked"])
    except MemoryError:
        return _told(PageError.ended(memory=True), {})
    except BaseException as error:  # noqa: BLE001 - whatever it is, no cell of the data may leave in a message
        if str(error).endswith("start new thread"):  # what Python says where there is no memory for one
            return _told(PageError.ended(memory=True), {})
        place = traceback.extract_tb(error.__traceback__)[-1]
        return _told(PageError.bug(f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"), {})


def _told(error: ShoalError, asked: Mapping[str, Any]) -> dict[str, Any]:
    """An error as plain data. Files are called as their owner calls them: where the page keeps them tells nobody
    anything."""
    fact, hint = str(error.fact), str(error.hint)
    for path, name in sorted(_places(asked), reverse=True):  # the longer of two that begin alike first
        fact, hint = fact.replace(path, name), hint.replace(path, name)
    return {"fact": fact, "hint": hint, "status": getattr(error, "status", PageError.status)}


def _places(asked: Any) -> Iterator[tuple[str, str]]:
    """The paths in a request, with what the files there are called."""
    if isinstance(asked, Mapping):
        named = {"path", "name"} <= asked.keys()
        if named:
            yield asked["path"], short(asked["name"])
        for key, value in asked.items():
            if not (named and key == "path"):
                yield from _places(value)
    elif isinstance(asked, str) and len(asked) > 1 and Path(asked).is_absolute():
        yield asked, Path(asked).name


def limit(memory: int) -> None:
    """No more memory than this, and no larger file; a little less of the processor than the page itself.

    On Linux the process is also killed with the one that started it, even where it would not hear of its end.
    """
    with suppress(OSError, AttributeError):
        os.nice(_NICE)
    with suppress(ImportError, OSError, ValueError):
        import resource

        for kind, most in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, memory), (resource.RLIMIT_CORE, 0)):
            resource.setrlimit(kind, (most, most))
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def main() -> None:
    memory = int(sys.argv[1])
    limit(memory)
    os.umask(0o077)
    warnings.simplefilter("ignore", ShoalWarning)
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(pipe, sys.stdin.buffer, memory=memory)


if __name__ == "__main__":
    main()

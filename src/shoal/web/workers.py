"""Workers, seen from the process of the page: one is asked, tells how far it is, and can be stopped."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from shoal.aside import reason
from shoal.errors import PageError

_LONGEST = 1 << 27
"""Bytes of an answer."""


@dataclass(frozen=True)
class Told:
    """How far a worker is."""

    done: float
    of: int
    stage: str


@dataclass(frozen=True)
class Limits:
    """What workers may take."""

    memory: int
    """Bytes, each."""
    scratch: Path
    """Where what they write for a while goes: a private folder."""


class Worker:
    """A process of its own."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._birth: asyncio.Task[asyncio.subprocess.Process] | None = None
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def running(self) -> bool:
        birth = self._birth
        return birth is not None and birth.done() and not birth.exception() and birth.result().returncode is None

    async def ask(
        self, task: str, asked: Mapping[str, Any], *, told: Callable[[Told], None] | None = None
    ) -> dict[str, Any]:
        """What the task answers; one at a time. Whatever happens there, here it is a PageError."""
        try:
            process = await self._started()
            found = await self._exchange(process, {"task": task, "asked": asked}, told or (lambda _: None))
        except asyncio.CancelledError:
            self.kill()
            raise
        except ValueError:  # what it says is no answer, or longer than any
            await self.gone()
            raise PageError.ended() from None
        if found is None:
            # the system kills where memory is short; in compiled code an allocation that fails ends in an abort, but so
            # does what a damaged file can lead to
            raise PageError.ended(memory=await process.wait() == -signal.SIGKILL)
        if "fact" in found:
            raise PageError.said(found["fact"], found["hint"], found["status"])
        result: dict[str, Any] = found["result"]
        return result

    async def _exchange(
        self, process: asyncio.subprocess.Process, request: Mapping[str, Any], told: Callable[[Told], None]
    ) -> dict[str, Any] | None:
        """What it says last; None where it ends before."""
        asked, answers = process.stdin, process.stdout
        if asked is None or answers is None:
            return None
        with suppress(OSError):
            asked.write(json.dumps(request).encode() + b"\n")
            await asked.drain()
            while line := await answers.readline():
                said: dict[str, Any] = json.loads(line)
                if "stage" not in said:
                    return said
                told(Told(**said))
        return None

    async def _started(self) -> asyncio.subprocess.Process:
        if not self.running:
            self.kill()
            self._birth = asyncio.create_task(self._start())
        birth = cast("asyncio.Task[asyncio.subprocess.Process]", self._birth)
        try:
            # who gives up here leaves a process that is whole, and that can be ended
            return await asyncio.shield(birth)
        except OSError as error:
            raise PageError.not_begun(reason(error)) from None

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P"),  # nothing is imported from the folder that it works in
            *("-m", "shoal.web.worker", str(self._limits.memory)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,  # what libraries say there may quote cells
            limit=_LONGEST,
            cwd=self._limits.scratch,
            env={**os.environ, "TMPDIR": str(self._limits.scratch)},
            start_new_session=True,  # Ctrl-C in the terminal is for the page, which then ends its workers
        )

    def kill(self) -> None:
        """Stop it, whatever it does; who asks next starts another."""
        if self._birth is not None:
            ending = asyncio.create_task(_end(self._birth))
            self._birth = None
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)

    async def gone(self) -> None:
        """Stop it, and wait until it is gone; who gives up waiting may ask again."""
        self.kill()
        if self._ending:
            await asyncio.wait(self._ending)


async def _end(birth: asyncio.Task[asyncio.subprocess.Process]) -> None:
    """Kill a process once it is there, and wait until it is gone and its pipes are closed."""
    with suppress(OSError):  # it never was there
        process = await birth
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate(b"")

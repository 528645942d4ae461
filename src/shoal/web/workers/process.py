"""Worker processes as seen from the server: run a task, receive its progress, stop the process."""

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

from shoal.system.atomic import os_error_reason
from shoal.web.errors import PageError

_LONGEST = 1 << 27
"""Bytes of a message."""


@dataclass(frozen=True)
class TaskProgress:
    """Progress of a task."""

    done: float
    of: int
    stage: str

    @property
    def fraction(self) -> float | None:
        return min(self.done / self.of, 1.0) if self.of else None


@dataclass(frozen=True)
class WorkerLimits:
    """Resource limits of a worker process."""

    memory: int
    """Bytes per process."""
    scratch: Path
    """Private folder for temporary files."""


class Worker:
    """Handle of one worker process, which starts on demand."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        self._starting: asyncio.Task[asyncio.subprocess.Process] | None = None
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def running(self) -> bool:
        starting = self._starting
        return bool(starting and starting.done() and not starting.exception() and starting.result().returncode is None)

    async def run(
        self, task: str, params: Mapping[str, Any], *, on_progress: Callable[[TaskProgress], None] | None = None
    ) -> dict[str, Any]:
        """Run a task and return its result, one at a time. Every failure is raised as a PageError."""
        try:
            process = await self._process()
            message = await self._exchange(process, {"task": task, "params": params}, on_progress or (lambda _: None))
        except asyncio.CancelledError:
            self.kill()
            raise
        except ValueError:  # no JSON, or a line over the limit
            await self.wait_closed()
            raise PageError.process_ended() from None
        if message is None:
            # the system kills where memory is short; a failed allocation in compiled code aborts, as a damaged file can
            raise PageError.process_ended(memory=await process.wait() == -signal.SIGKILL)
        if "fact" in message:
            raise PageError(message["fact"], message["hint"], message["status"])
        result: dict[str, Any] = message["result"]
        return result

    async def _exchange(
        self,
        process: asyncio.subprocess.Process,
        request: Mapping[str, Any],
        on_progress: Callable[[TaskProgress], None],
    ) -> dict[str, Any] | None:
        """Send a request and return its last message; None where the process ends before."""
        stdin, stdout = process.stdin, process.stdout
        if stdin is None or stdout is None:
            return None
        with suppress(OSError):
            stdin.write(json.dumps(request).encode() + b"\n")
            await stdin.drain()
            while line := await stdout.readline():
                message: dict[str, Any] = json.loads(line)
                if "stage" not in message:
                    return message
                on_progress(TaskProgress(**message))
        return None

    async def _process(self) -> asyncio.subprocess.Process:
        if not self.running:
            self.kill()
            self._starting = asyncio.create_task(self._start())
        starting = cast("asyncio.Task[asyncio.subprocess.Process]", self._starting)
        try:
            # a cancelled wait leaves a started process, which can be killed
            return await asyncio.shield(starting)
        except OSError as error:
            raise PageError.process_not_started(os_error_reason(error)) from None

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P"),  # no imports from the working directory
            *("-m", "shoal.web.workers.worker", str(self._limits.memory)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,  # output of libraries may quote cells
            limit=_LONGEST,
            cwd=self._limits.scratch,
            env={**os.environ, "TMPDIR": str(self._limits.scratch)},
            start_new_session=True,  # Ctrl-C stops the server, which then ends its workers
        )

    def kill(self) -> None:
        """Kill the process without waiting; the next task starts another one."""
        if self._starting is not None:
            ending = asyncio.create_task(_end(self._starting))
            self._starting = None
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)

    async def wait_closed(self) -> None:
        """Kill the process and wait until it has ended. A cancelled wait can be repeated."""
        self.kill()
        if self._ending:
            await asyncio.wait(self._ending)


async def _end(starting: asyncio.Task[asyncio.subprocess.Process]) -> None:
    """Kill a process once it has started, and wait until it has ended and its pipes are closed."""
    with suppress(OSError):  # it did not start
        process = await starting
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate(b"")

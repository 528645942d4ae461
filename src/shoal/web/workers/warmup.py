"""Kernel warm-up: compile in the background what the first release needs."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from shoal.web.errors import PageError
from shoal.web.workers.process import Worker, WorkerLimits

_ROWS = 60


class KernelWarmup:
    """Worker that makes a few small releases of generated data, once; it is stopped when a real job starts.

    Every compiled kernel is cached on disk at once, so that stopping loses nothing.
    """

    def __init__(self, limits: WorkerLimits) -> None:
        self._worker = Worker(limits)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        with suppress(PageError):  # a real job will report the error
            await self._worker.run("warm", {"rows": _ROWS})
        self._worker.kill()

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        self.stop()
        if self._task is not None:
            await asyncio.wait([self._task])
        await self._worker.wait_closed()

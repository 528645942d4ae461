"""Warming up: what a first run compiles is compiled while somebody still decides."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from shoal.errors import PageError
from shoal.web.workers import Limits, Worker

_ROWS = 60
"""Persons of a release that is only made for its kernels."""


class Warming:
    """A worker that makes a few small releases of made-up persons, once, and is stopped when real work begins.

    Compiled kernels are kept on disk one by one, so that nothing of it is lost.
    """

    def __init__(self, limits: Limits) -> None:
        self._worker = Worker(limits)
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        with suppress(PageError):  # nobody waits for it, and real work will say what is wrong
            await self._worker.ask("warm", {"rows": _ROWS})
        self._worker.kill()

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        self.stop()
        if self._task is not None:
            await asyncio.wait([self._task])
        await self._worker.gone()

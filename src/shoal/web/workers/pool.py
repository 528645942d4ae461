"""Queries about files, answered by a pool of workers: previews, counts, checks of hierarchies.

A query runs in the background and its result is cached. A request does not wait for it: the page gets a 202 response
and asks again.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.web.errors import PageError
from shoal.web.workers.process import Worker, WorkerLimits

_MAX_WORKERS = 2
_MOST_ANSWERS = 200
_WAIT = 0.3
"""Seconds that a request waits, since most results come at once."""
_TIME_LIMIT = 600.0
"""Time limit of a query in seconds, such as the first read of a large file."""
_IDLE_TIMEOUT = 300.0
"""Seconds without a query after which a worker is stopped and its cached table dropped."""


@dataclass(eq=False)
class _WorkerSlot:
    """Worker of a project, and the queue of its queries."""

    worker: Worker
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    latest: dict[tuple[str, str], str] = field(default_factory=dict)
    """Latest query by task and subject. Older ones that still wait are superseded."""
    idle_timer: asyncio.TimerHandle | None = None


class WorkerPool:
    """Pool of worker processes that answer queries, with a cache of results."""

    def __init__(
        self, limits: WorkerLimits, *, time_limit: float = _TIME_LIMIT, idle_timeout: float = _IDLE_TIMEOUT
    ) -> None:
        self._limits, self._longest, self._idle = limits, time_limit, idle_timeout
        self._workers: OrderedDict[str, _WorkerSlot] = OrderedDict()
        self._assigning = asyncio.Lock()
        self._stopping: set[Worker] = set()
        self._results: OrderedDict[str, asyncio.Task[dict[str, Any]]] = OrderedDict()

    async def query(
        self, project: str, task: str, params: Mapping[str, Any], *, about: str = ""
    ) -> dict[str, Any] | None:
        """Return the result of a query about the file of a project; None while it is not available.

        A newer query of the same task supersedes those that wait, unless it is ``about`` another subject, such as
        another column. Raises the PageError of the worker; the same query is then run anew.
        """
        key = json.dumps([project, task, params], sort_keys=True)
        query = self._results.get(key)
        if query is None:
            query = self._results[key] = asyncio.create_task(self._queue(project, key, task, params, about))
            query.add_done_callback(_retrieve_error)
        self._results.move_to_end(key)
        while len(self._results) > _MOST_ANSWERS:
            self._results.popitem(last=False)[1].cancel()
        await asyncio.wait([query], timeout=_WAIT)
        if not query.done():
            return None
        if query.cancelled() or query.exception() is not None:
            self._results.pop(key, None)
        return None if query.cancelled() else query.result()

    async def _queue(self, project: str, key: str, task: str, params: Mapping[str, Any], about: str) -> dict[str, Any]:
        while True:
            slot = self._workers.get(project) or await self._assign(project)
            slot.latest[task, about] = key
            async with slot.lock:
                if self._workers.get(project) is not slot:  # stopped for another project meanwhile
                    continue
                # a running query is not stopped: it takes seconds, and stopping it would lose the cached table
                if slot.latest[task, about] != key:
                    raise PageError.superseded()
                return await self._run(slot, task, params)

    async def _run(self, slot: _WorkerSlot, task: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if slot.idle_timer is not None:
            slot.idle_timer.cancel()
        try:
            async with asyncio.timeout(self._longest):
                return await slot.worker.run(task, params)
        except TimeoutError:
            raise PageError.too_slow(self._longest) from None
        finally:
            slot.idle_timer = asyncio.get_running_loop().call_later(self._idle, self._end_idle, slot)

    def _end_idle(self, slot: _WorkerSlot) -> None:
        if not slot.lock.locked():
            slot.worker.kill()

    async def _assign(self, project: str) -> _WorkerSlot:
        """Return the worker of a project; where all are taken, wait for an idle one and replace it."""
        async with self._assigning:
            while project not in self._workers and len(self._workers) >= _MAX_WORKERS:
                idle = (name for name, slot in self._workers.items() if not slot.lock.locked())
                other = next(idle, next(iter(self._workers)))
                slot = self._workers[other]
                async with slot.lock:
                    if self._workers.get(other) is slot:
                        await self._stop(other)
            slot = self._workers.setdefault(project, _WorkerSlot(Worker(self._limits)))
            self._workers.move_to_end(project)
            return slot

    async def _stop(self, project: str) -> None:
        slot = self._workers.pop(project)
        if slot.idle_timer is not None:
            slot.idle_timer.cancel()
        self._stopping.add(slot.worker)
        await slot.worker.wait_closed()
        self._stopping.discard(slot.worker)

    async def forget(self, project: str) -> None:
        """Drop all queries and the worker of a project, whose file was replaced or removed."""
        prefix = json.dumps([project])[:-1] + ","
        queries = [self._results.pop(key) for key in list(self._results) if key.startswith(prefix)]
        for query in queries:
            query.cancel()
        if queries:
            await asyncio.wait(queries)
        if project in self._workers:
            await self._stop(project)

    async def close(self) -> None:
        for key in list(self._results):
            await self.forget(json.loads(key)[0])
        for project in list(self._workers):
            await self.forget(project)
        for worker in list(self._stopping):  # the wait for its end was cancelled
            await worker.wait_closed()


def _retrieve_error(query: asyncio.Task[dict[str, Any]]) -> None:
    """Retrieve the error of an abandoned query, so that asyncio does not log it."""
    if not query.cancelled():
        query.exception()

"""Questions about a file that are answered while somebody looks: previews, counts, checks of hierarchies.

A question is asked in the background and its answer kept, so that a request never waits for it: the page shows that it
is being answered and asks again.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.errors import PageError
from shoal.web.workers import Limits, Worker

_MOST_WORKERS = 2
_MOST_ANSWERS = 200
_PATIENCE = 0.3
"""Seconds that a request waits, since most answers come at once."""
_LONGEST = 600.0
"""Seconds that a question may take, such as a first look at a large file."""
_IDLE = 300.0
"""Seconds after which a worker that nobody asks is ended, and the table that it read forgotten."""


@dataclass(eq=False)
class _Seat:
    """A project at the desk: its worker, and who is next."""

    worker: Worker
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    latest: dict[tuple[str, str], str] = field(default_factory=dict)
    """Of each task, and what it is about, the question that was asked last: those before it need no answer any more."""
    rest: asyncio.TimerHandle | None = None


class Desk:
    def __init__(self, limits: Limits, *, longest: float = _LONGEST, idle: float = _IDLE) -> None:
        self._limits, self._longest, self._idle = limits, longest, idle
        self._seats: OrderedDict[str, _Seat] = OrderedDict()
        self._seating = asyncio.Lock()
        self._leaving: set[Worker] = set()
        self._answers: OrderedDict[str, asyncio.Task[dict[str, Any]]] = OrderedDict()

    async def answer(
        self, project: str, task: str, asked: Mapping[str, Any], *, about: str = ""
    ) -> dict[str, Any] | None:
        """The answer to a question about the file of a project; None while it is not there yet.

        A newer question of the same task overtakes those that wait, unless it is ``about`` something else, such as
        another column. Raises the PageError that the worker ended with; the same question asked again is then a new
        one.
        """
        key = json.dumps([project, task, asked], sort_keys=True)
        asking = self._answers.get(key)
        if asking is None:
            asking = self._answers[key] = asyncio.create_task(self._ask(project, key, task, asked, about))
            asking.add_done_callback(_heard)
        self._answers.move_to_end(key)
        while len(self._answers) > _MOST_ANSWERS:
            self._answers.popitem(last=False)[1].cancel()
        await asyncio.wait([asking], timeout=_PATIENCE)
        if not asking.done():
            return None
        if asking.cancelled() or asking.exception() is not None:
            self._answers.pop(key, None)
        return None if asking.cancelled() else asking.result()

    async def _ask(self, project: str, key: str, task: str, asked: Mapping[str, Any], about: str) -> dict[str, Any]:
        while True:
            seat = self._seats.get(project) or await self._seat(project)
            seat.latest[task, about] = key
            async with seat.turn:
                if self._seats.get(project) is not seat:  # it was given to another project meanwhile
                    continue
                # One that is under way is left to its end: it takes some seconds, and to stop it would lose the table.
                if seat.latest[task, about] != key:
                    raise PageError.overtaken()
                return await self._asked(seat, task, asked)

    async def _asked(self, seat: _Seat, task: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        if seat.rest is not None:
            seat.rest.cancel()
        try:
            async with asyncio.timeout(self._longest):
                return await seat.worker.ask(task, asked)
        except TimeoutError:
            raise PageError.too_slow(self._longest) from None
        finally:
            seat.rest = asyncio.get_running_loop().call_later(self._idle, self._end_idle, seat)

    def _end_idle(self, seat: _Seat) -> None:
        if not seat.turn.locked():
            seat.worker.kill()

    async def _seat(self, project: str) -> _Seat:
        """The seat of a project; one whose worker has nothing to do is given up for it, or the first that will be."""
        async with self._seating:
            while project not in self._seats and len(self._seats) >= _MOST_WORKERS:
                resting = (name for name, seat in self._seats.items() if not seat.turn.locked())
                other = next(resting, next(iter(self._seats)))
                seat = self._seats[other]
                async with seat.turn:
                    if self._seats.get(other) is seat:
                        await self._leave(other)
            seat = self._seats.setdefault(project, _Seat(Worker(self._limits)))
            self._seats.move_to_end(project)
            return seat

    async def _leave(self, project: str) -> None:
        seat = self._seats.pop(project)
        if seat.rest is not None:
            seat.rest.cancel()
        self._leaving.add(seat.worker)
        await seat.worker.gone()
        self._leaving.discard(seat.worker)

    async def forget(self, project: str) -> None:
        """Everything about a project: its file is another one now, or gone."""
        mark = json.dumps([project])[:-1] + ","
        asking = [self._answers.pop(key) for key in list(self._answers) if key.startswith(mark)]
        for one in asking:
            one.cancel()
        if asking:
            await asyncio.wait(asking)
        if project in self._seats:
            await self._leave(project)

    async def close(self) -> None:
        for key in list(self._answers):
            await self.forget(json.loads(key)[0])
        for project in list(self._seats):
            await self.forget(project)
        for worker in list(self._leaving):  # whoever waited for its end was stopped
            await worker.gone()


def _heard(asking: asyncio.Task[dict[str, Any]]) -> None:
    """An error that nobody asks for any more is no error of the page."""
    if not asking.cancelled():
        asking.exception()

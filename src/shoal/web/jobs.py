"""Jobs: what takes its time. One for a project, each in a process of its own, with progress and a way to cancel."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import PageError, ShoalError
from shoal.web.making import sweep
from shoal.web.workers import Limits, Told, Worker

Then = Callable[[dict[str, Any]], Awaitable[None]]
"""What is done with the result of a job, before it counts as done."""
_MOST = 2
_SURE = 0.02
"""The share that must be done before the time left is told."""


@dataclass
class Job:
    """One job, and how far it is."""

    project: str
    task: str
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    state: str = "running"
    """``running``, ``done``, ``failed`` or ``cancelled``."""
    told: Told = field(default_factory=lambda: Told(0, 0, "starting"))
    sentence: str = ""
    """Why it failed."""
    mark: str = ""
    """Of the decisions that it works with."""
    most: float | None = None
    """Seconds after which it ends by itself, where that was asked for."""
    ending: bool = False
    """Whether it is about to end, one way or another: nothing stops the wait for the end of its process."""
    _since: tuple[float, float] = (0.0, 0.0)
    """When the first words of the present stage came that told a share, and that share."""

    def tell(self, told: Told) -> None:
        if told.stage != self.told.stage or not self.told.of:
            self._since = time.monotonic(), _share(told) or 0.0
        self.told = told

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the page; ``share`` and ``left`` (seconds) are None where they cannot be told."""
        now = self.ended or time.monotonic()
        share, (since, before) = _share(self.told), self._since
        left = None
        if self.state == "running" and share is not None and share - before > _SURE:
            left = round((now - since) * (1 - share) / (share - before), 1)
            if self.most is not None:
                left = min(left, max(round(self.started + self.most - now, 1), 0.0))
        return {
            "task": self.task,
            "mark": self.mark,
            "state": self.state,
            "stage": self.told.stage,
            "share": None if share is None else round(share, 4),
            "seconds": round(now - self.started, 1),
            "left": left,
            "sentence": self.sentence,
        }


def _share(told: Told) -> float | None:
    return min(told.done / told.of, 1.0) if told.of else None


class Jobs:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._jobs: dict[str, Job] = {}
        self._running: dict[str, asyncio.Task[None]] = {}

    def of(self, project: str) -> Job | None:
        """The job of a project that was started last."""
        return self._jobs.get(project)

    def running(self, project: str) -> bool:
        job = self._jobs.get(project)
        return job is not None and job.state == "running"

    def start(self, project: str, task: str, asked: Mapping[str, Any], *, then: Then) -> Job:
        """Start a job, unless one of the project is under way, or too many of others are."""
        self.check(project)
        job = self._jobs[project] = Job(project, task, mark=asked.get("mark", ""), most=asked.get("seconds"))
        self._running[project] = asyncio.create_task(self._work(job, asked, then))
        return job

    def check(self, project: str) -> None:
        """Refuse what needs a job of the project where none can be started."""
        under_way = sum(job.state == "running" for job in self._jobs.values())
        if self.running(project) or under_way >= _MOST:
            raise PageError.busy(under_way)

    async def _work(self, job: Job, asked: Mapping[str, Any], then: Then) -> None:
        worker, state = Worker(self._limits), "done"
        try:
            result = await worker.ask(job.task, asked, told=job.tell)
            await then(result)
        except asyncio.CancelledError:
            state = "cancelled"
        except ShoalError as error:
            state, job.sentence = "failed", error.sentence
        except Exception as error:  # noqa: BLE001 - a job that fails must say so, and the page go on
            state, job.sentence = "failed", PageError.bug(type(error).__name__).sentence
        finally:
            job.ending = True
            await worker.gone()
            if "folder" in asked:
                sweep(Path(asked["folder"]))
            job.state, job.ended = state, time.monotonic()

    async def cancel(self, project: str) -> None:
        """Stop the job of a project, if one is under way, and wait until its process is gone."""
        job, task = self._jobs.get(project), self._running.get(project)
        if job is not None and task is not None and not task.done():
            if not job.ending:
                job.ending = True
                task.cancel()
            await asyncio.wait([task])  # meanwhile somebody may start another one
            if job.state == "running":  # it was stopped before its first step
                job.state, job.ended = "cancelled", time.monotonic()

    async def forget(self, project: str) -> None:
        await self.cancel(project)
        self._jobs.pop(project, None)
        self._running.pop(project, None)

    async def close(self) -> None:
        for project in list(self._jobs):
            await self.forget(project)

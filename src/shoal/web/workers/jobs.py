"""Jobs: long tasks, at most one per project, each in its own worker process, with progress and cancellation."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.system.transaction import recover
from shoal.web.errors import PageError
from shoal.web.workers.process import TaskProgress, Worker, WorkerLimits

OnResult = Callable[[dict[str, Any]], Awaitable[None]]
"""Callback for the result of a job; the job is done when it returns."""
_MAX_RUNNING = 2
_MIN_FRACTION = 0.02
"""Fraction that must be done before the remaining time is estimated."""


@dataclass
class Job:
    """One job and its progress."""

    project: str
    task: str
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    state: str = "running"
    """``running``, ``done``, ``failed`` or ``cancelled``."""
    progress: TaskProgress = field(default_factory=lambda: TaskProgress(0, 0, "starting"))
    sentence: str = ""
    mark: str = ""
    """Fingerprint of the file and options that it runs with."""
    time_limit: float | None = None
    ending: bool = False
    """Whether it is about to end; the wait for its process is not cancelled then."""
    _stage_start: tuple[float, float] = (0.0, 0.0)
    """Time and fraction of the first progress message of the current stage that had a fraction."""

    @property
    def is_inspection(self) -> bool:
        """Whether it inspects a file; all other jobs compare or release."""
        return self.task in ("look", "example")

    def update_progress(self, progress: TaskProgress) -> None:
        if progress.stage != self.progress.stage or not self.progress.of:
            self._stage_start = time.monotonic(), _fraction(progress) or 0.0
        self.progress = progress

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for the page; ``share`` and ``left`` (seconds) are None where they are unknown."""
        now = self.ended or time.monotonic()
        fraction, (start, start_fraction) = _fraction(self.progress), self._stage_start
        remaining = None
        if self.state == "running" and fraction is not None and fraction - start_fraction > _MIN_FRACTION:
            remaining = round((now - start) * (1 - fraction) / (fraction - start_fraction), 1)
            if self.time_limit is not None:
                remaining = min(remaining, max(round(self.started + self.time_limit - now, 1), 0.0))
        return {
            "task": self.task,
            "mark": self.mark,
            "state": self.state,
            "stage": self.progress.stage,
            "share": None if fraction is None else round(fraction, 4),
            "seconds": round(now - self.started, 1),
            "left": remaining,
            "sentence": self.sentence,
        }


def _fraction(progress: TaskProgress) -> float | None:
    return min(progress.done / progress.of, 1.0) if progress.of else None


class Jobs:
    """The jobs of all projects."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        self._jobs: dict[str, Job] = {}
        self._running: dict[str, asyncio.Task[None]] = {}

    def latest(self, project: str) -> Job | None:
        return self._jobs.get(project)

    def is_running(self, project: str) -> bool:
        job = self._jobs.get(project)
        return job is not None and job.state == "running"

    def start(self, project: str, task: str, params: Mapping[str, Any], *, on_result: OnResult) -> Job:
        """Start a job; refuse if the project has a running one, or too many run already."""
        self.check_can_start(project)
        job = self._jobs[project] = Job(project, task, mark=params.get("mark", ""), time_limit=params.get("seconds"))
        self._running[project] = asyncio.create_task(self._execute(job, params, on_result))
        return job

    def check_can_start(self, project: str) -> None:
        """Refuse if no job of the project can be started now."""
        running = sum(job.state == "running" for job in self._jobs.values())
        if self.is_running(project) or running >= _MAX_RUNNING:
            raise PageError.busy(running)

    async def _execute(self, job: Job, params: Mapping[str, Any], on_result: OnResult) -> None:
        worker, state = Worker(self._limits), "done"
        try:
            result = await worker.run(job.task, params, on_progress=job.update_progress)
            await on_result(result)
        except asyncio.CancelledError:
            state = "cancelled"
        except ShoalError as error:
            state, job.sentence = "failed", error.sentence
        except Exception as error:  # noqa: BLE001 - the job fails, the server goes on
            state, job.sentence = "failed", PageError.bug(type(error).__name__).sentence
        finally:
            job.ending = True
            await worker.wait_closed()
            if "folder" in params:
                recover(Path(params["folder"]).parent)
            job.state, job.ended = state, time.monotonic()

    async def cancel(self, project: str) -> None:
        """Stop the running job of a project, if any, and wait until its process has ended."""
        job, task = self._jobs.get(project), self._running.get(project)
        if job is not None and task is not None and not task.done():
            if not job.ending:
                job.ending = True
                task.cancel()
            await asyncio.wait([task])  # another job may start meanwhile
            if job.state == "running":  # cancelled before its first step
                job.state, job.ended = "cancelled", time.monotonic()

    async def remove(self, project: str) -> None:
        await self.cancel(project)
        self._jobs.pop(project, None)
        self._running.pop(project, None)

    async def close(self) -> None:
        for project in list(self._jobs):
            await self.remove(project)

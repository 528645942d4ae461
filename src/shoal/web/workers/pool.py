"""The pool of all worker processes: queries share two of them, each job and the warm-up have an own one.

Queries are short: previews, counts, checks of hierarchies. A query runs in the background and its result is cached. A
request does not wait for it: the page gets a 202 response and asks again. Jobs are long: they inspect, compare and
release, at most one per project, with progress and cancellation. Cancelling is killing the process.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
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
_MAX_QUERYING = 2
"""Most projects that have a worker for queries."""
_MAX_JOBS = 2
_MOST_ANSWERS = 200
_WAIT = 0.3
"""Seconds that a request waits, since most results come at once."""
_TIME_LIMIT = 600.0
"""Time limit of a query in seconds, such as the first read of a large file."""
_IDLE_TIMEOUT = 300.0
"""Seconds without a query after which a worker is stopped and its cached table dropped."""
_WARMUP_ROWS = 60
_MIN_FRACTION = 0.02
"""Fraction that must be done before the remaining time is estimated."""


@dataclass(eq=False)
class Job:
    """A long task in its own worker process, with its state and progress."""

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
    runner: asyncio.Task[None] | None = None
    _stage_start: tuple[float, float] = (0.0, 0.0)
    """Time and fraction of the first progress message of the current stage that had a fraction."""

    @property
    def is_inspection(self) -> bool:
        """Whether it inspects a file; all other jobs compare or release."""
        return self.task in ("look", "example")

    @property
    def is_running(self) -> bool:
        return self.state == "running"

    def update_progress(self, progress: TaskProgress) -> None:
        if progress.stage != self.progress.stage or not self.progress.of:
            self._stage_start = time.monotonic(), progress.fraction or 0.0
        self.progress = progress

    def end(self, state: str, sentence: str = "") -> None:
        self.state, self.sentence, self.ended = state, sentence, time.monotonic()

    def cancel(self) -> None:
        """Cancel it without waiting, unless it is about to end."""
        if self.runner is not None and not self.ending:
            self.ending = True
            self.runner.cancel()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for the page; ``share`` and ``left`` (seconds) are None where they are unknown."""
        now = self.ended or time.monotonic()
        fraction, (start, start_fraction) = self.progress.fraction, self._stage_start
        remaining = None
        if self.is_running and fraction is not None and fraction - start_fraction > _MIN_FRACTION:
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


@dataclass(eq=False)
class _Queries:
    """Queries of a project, one at a time, and the worker for them, which keeps the table that it read."""

    worker: Worker
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    latest: dict[tuple[str, str], str] = field(default_factory=dict)
    """Latest query by task and subject. Older ones that still wait are superseded."""
    is_running: bool = False
    idle_timer: asyncio.TimerHandle | None = None


class WorkerPool:
    """Pool of worker processes for the queries and jobs of all projects, with a cache of results."""

    def __init__(
        self,
        limits: WorkerLimits,
        *,
        time_limit: float = _TIME_LIMIT,
        idle_timeout: float = _IDLE_TIMEOUT,
        warms_up: bool = False,
    ) -> None:
        self._limits, self._time_limit, self._idle_timeout = limits, time_limit, idle_timeout
        self._warms_up = warms_up
        self._results: OrderedDict[str, asyncio.Task[dict[str, Any]]] = OrderedDict()
        self._queries: dict[str, _Queries] = {}
        self._with_process: list[_Queries] = []
        """Those whose worker may have a process; the one that was used last is at the end."""
        self._may_run = asyncio.Semaphore(_MAX_QUERYING)
        self._jobs: dict[str, Job] = {}
        self._warmup: Job | None = None

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
            queries = self._queries.setdefault(project, _Queries(Worker(self._limits)))
            queries.latest[task, about] = key
            query = self._results[key] = asyncio.create_task(self._run_query(queries, key, task, params, about))
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

    async def _run_query(
        self, queries: _Queries, key: str, task: str, params: Mapping[str, Any], about: str
    ) -> dict[str, Any]:
        async with queries.lock, self._may_run:
            # a running query is not stopped: it takes seconds, and stopping it would lose the cached table
            if queries.latest[task, about] != key:
                raise PageError.superseded()
            queries.is_running = True
            try:
                await self._stop_another(queries)
                async with asyncio.timeout(self._time_limit):
                    return await queries.worker.run(task, params)
            except TimeoutError:
                raise PageError.too_slow(self._time_limit) from None
            finally:
                queries.is_running = False
                self._restart_idle_timer(queries)

    async def _stop_another(self, queries: _Queries) -> None:
        """Stop the worker that was idle longest, if one more process would be too many."""
        if queries in self._with_process:
            self._with_process.remove(queries)
        self._with_process.append(queries)
        if len(self._with_process) > _MAX_QUERYING:
            idle = next(other for other in self._with_process if not other.is_running)
            self._with_process.remove(idle)
            await idle.worker.wait_closed()

    def _restart_idle_timer(self, queries: _Queries) -> None:
        def end_idle() -> None:
            if not queries.is_running:
                queries.worker.kill()

        if queries.idle_timer is not None:
            queries.idle_timer.cancel()
        queries.idle_timer = asyncio.get_running_loop().call_later(self._idle_timeout, end_idle)

    async def forget(self, project: str) -> None:
        """Drop all queries of a project, whose file was replaced or removed, and stop their worker."""
        prefix = json.dumps([project])[:-1] + ","
        cancelled = [self._results.pop(key) for key in list(self._results) if key.startswith(prefix)]
        for query in cancelled:
            query.cancel()
        if cancelled:
            await asyncio.wait(cancelled)
        if project in self._queries:
            await self._queries[project].worker.wait_closed()

    def job(self, project: str) -> Job | None:
        """Return the latest job of a project."""
        return self._jobs.get(project)

    def has_running_job(self, project: str) -> bool:
        job = self._jobs.get(project)
        return job is not None and job.is_running

    def start_job(self, project: str, task: str, params: Mapping[str, Any], *, on_result: OnResult) -> Job:
        """Start a job; refuse if the project has a running one, or too many run already.

        A job that takes all cores stops the warm-up.
        """
        self.check_can_start(project)
        job = self._jobs[project] = Job(task, mark=params.get("mark", ""), time_limit=params.get("seconds"))
        if self._warmup is not None and not job.is_inspection:
            self._warmup.cancel()
        job.runner = asyncio.create_task(self._run_job(job, params, on_result))
        return job

    def check_can_start(self, project: str) -> None:
        """Refuse if no job of the project can be started now."""
        running = sum(job.is_running for job in self._jobs.values())
        if self.has_running_job(project) or running >= _MAX_JOBS:
            raise PageError.busy(running)

    async def _run_job(self, job: Job, params: Mapping[str, Any], on_result: OnResult) -> None:
        worker, state, sentence = Worker(self._limits), "done", ""
        try:
            result = await worker.run(job.task, params, on_progress=job.update_progress)
            await on_result(result)
        except asyncio.CancelledError:
            state = "cancelled"
        except ShoalError as error:
            state, sentence = "failed", error.sentence
        except Exception as error:  # noqa: BLE001 - the job fails, the server goes on
            state, sentence = "failed", PageError.bug(type(error).__name__).sentence
        finally:
            job.ending = True
            await worker.wait_closed()
            if "folder" in params:
                recover(Path(params["folder"]).parent)
            job.end(state, sentence)

    async def cancel_job(self, project: str) -> None:
        """Stop the running job of a project, if any, and wait until its process has ended."""
        job = self._jobs.get(project)
        if job is not None:
            await _cancel(job)

    def start_warmup(self) -> None:
        """Compile what the first release needs, once, by a few small releases of generated data.

        Every compiled kernel is cached on disk at once, so that stopping loses nothing.
        """

        async def ignore(_: dict[str, Any]) -> None:
            """A real job will report what is wrong."""

        if self._warms_up and self._warmup is None:
            self._warmup = Job("warm")
            self._warmup.runner = asyncio.create_task(self._run_job(self._warmup, {"rows": _WARMUP_ROWS}, ignore))

    async def remove(self, project: str) -> None:
        """Stop all processes of a project, and drop its job and results."""
        await self.cancel_job(project)
        await self.forget(project)
        self._jobs.pop(project, None)
        self._queries.pop(project, None)

    async def close(self) -> None:
        if self._warmup is not None:
            await _cancel(self._warmup)
        for project in {*self._jobs, *self._queries}:
            await self.remove(project)


async def _cancel(job: Job) -> None:
    """Cancel a job, and wait until its process has ended."""
    if job.runner is not None and not job.runner.done():
        job.cancel()
        await asyncio.wait([job.runner])
        if job.is_running:  # cancelled before its first step
            job.end("cancelled")


def _retrieve_error(query: asyncio.Task[dict[str, Any]]) -> None:
    """Retrieve the error of an abandoned query, so that asyncio does not log it."""
    if not query.cancelled():
        query.exception()

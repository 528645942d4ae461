"""Kernel warm-up: once, in the background, and stopped when a job takes all cores."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from fake_worker import FakeWorker

from shoal.web.errors import PageError
from shoal.web.workers.pool import WorkerPool
from shoal.web.workers.process import WorkerLimits
from shoal.web.workers.tasks import release_tasks
from shoal.web.workers.worker import WorkerContext

Scenario = Callable[[WorkerPool], Awaitable[None]]


async def store(_: object) -> None:
    pass


def run_warmup(scenario: Scenario | None = None, *, warms_up: bool = True) -> None:
    async def run() -> None:
        pool = WorkerPool(WorkerLimits(1 << 30, Path()), warms_up=warms_up)
        for _ in range(3):
            pool.start_warmup()
            await asyncio.sleep(0.01)
        if scenario is not None:
            await scenario(pool)
        await pool.close()

    asyncio.run(run())


def test_it_begins_once_and_ends_with_the_page(fake_worker: FakeWorker) -> None:
    run_warmup()
    assert [task for task, _ in fake_worker.requests] == ["warm"]
    assert fake_worker.closed == 1


def test_what_goes_wrong_there_is_nobody_s_error(fake_worker: FakeWorker) -> None:
    fake_worker.results["warm"] = PageError.process_ended()
    run_warmup()
    assert (len(fake_worker.requests), fake_worker.closed) == (1, 1)


def test_a_pool_that_does_not_warm_up_starts_nothing(fake_worker: FakeWorker) -> None:
    run_warmup(warms_up=False)
    assert fake_worker.requests == []


@pytest.mark.parametrize(("task", "stopped"), [("release", True), ("compare", True), ("look", False)])
def test_only_a_job_that_takes_all_cores_stops_it(fake_worker: FakeWorker, task: str, stopped: bool) -> None:
    async def scenario(pool: WorkerPool) -> None:
        pool.start_job("a", task, {}, on_result=store)
        pool.start_job("b", "look", {}, on_result=store)  # the warm-up is none of the two jobs
        await asyncio.sleep(0.01)
        assert fake_worker.closed == stopped

    run_warmup(scenario)
    assert fake_worker.closed == 3


def test_the_task_makes_releases_and_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_tasks.os, "nice", lambda _: None)  # the tests go on at their pace
    pipe = io.BytesIO()
    assert release_tasks.warm({"rows": 60}, WorkerContext(pipe)) == {}
    assert {json.loads(line)["stage"] for line in pipe.getvalue().splitlines()} == {"warming up"}

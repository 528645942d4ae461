"""Kernel warm-up: once, in the background, and stopped when a job starts."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest

from shoal.web.errors import PageError
from shoal.web.workers import warmup
from shoal.web.workers.process import WorkerLimits
from shoal.web.workers.tasks import release_tasks
from shoal.web.workers.warmup import KernelWarmup
from shoal.web.workers.worker import WorkerContext


class RecordingWorker:
    """A worker that records its tasks, which take long."""

    questions: list[str]
    killed_times: int
    gone_times: int
    failing = False

    def __init__(self, _: WorkerLimits) -> None:
        pass

    async def run(self, task: str, _: dict[str, Any]) -> dict[str, Any]:
        RecordingWorker.questions.append(task)
        if RecordingWorker.failing:
            raise PageError.process_ended()
        await asyncio.sleep(60)
        return {}

    def kill(self) -> None:
        RecordingWorker.killed_times += 1

    async def wait_closed(self) -> None:
        await asyncio.sleep(0.05)
        RecordingWorker.gone_times += 1


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    RecordingWorker.questions, RecordingWorker.killed_times, RecordingWorker.gone_times, RecordingWorker.failing = (
        [],
        0,
        0,
        False,
    )
    monkeypatch.setattr(warmup, "Worker", RecordingWorker)


def run_warmup(*, failing: bool = False, begin: bool = True) -> None:
    async def scenario() -> None:
        RecordingWorker.failing = failing
        result = KernelWarmup(WorkerLimits(1 << 30, Path()))
        for _ in range(3 if begin else 0):
            result.start()
            await asyncio.sleep(0)
        result.stop()
        await asyncio.sleep(0.01)
        result.stop()
        await result.close()

    asyncio.run(scenario())


def test_it_begins_once_and_its_worker_is_gone_when_it_is_stopped() -> None:
    run_warmup()
    assert (RecordingWorker.questions, RecordingWorker.gone_times) == (["warm"], 1)


def test_what_goes_wrong_there_is_nobody_s_error() -> None:
    run_warmup(failing=True)
    assert (RecordingWorker.questions, RecordingWorker.killed_times, RecordingWorker.gone_times) == (["warm"], 1, 1)


def test_a_page_that_nobody_came_to_ends() -> None:
    run_warmup(begin=False)
    assert RecordingWorker.questions == []


def test_the_task_makes_releases_and_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_tasks.os, "nice", lambda _: None)  # the tests go on at their pace
    pipe = io.BytesIO()
    assert release_tasks.warm({"rows": 60}, WorkerContext(pipe)) == {}
    assert {json.loads(line)["stage"] for line in pipe.getvalue().splitlines()} == {"warming up"}

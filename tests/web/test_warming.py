"""What a first run compiles is compiled before: once, in the background, and never in the way."""

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
from shoal.web.workers.tasks import warm
from shoal.web.workers.warmup import KernelWarmup
from shoal.web.workers.worker import WorkerContext


class Asked:
    """A worker that notes what it is asked, and takes as long as it is let."""

    questions: list[str]
    killed_times: int
    gone_times: int
    failing = False

    def __init__(self, _: WorkerLimits) -> None:
        pass

    async def ask(self, task: str, _: dict[str, Any]) -> dict[str, Any]:
        Asked.questions.append(task)
        if Asked.failing:
            raise PageError.process_ended()
        await asyncio.sleep(60)
        return {}

    def kill(self) -> None:
        Asked.killed_times += 1

    async def gone(self) -> None:
        await asyncio.sleep(0.05)
        Asked.gone_times += 1


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    Asked.questions, Asked.killed_times, Asked.gone_times, Asked.failing = [], 0, 0, False
    monkeypatch.setattr(warmup, "Worker", Asked)


def warmed(*, failing: bool = False, begin: bool = True) -> None:
    async def walk() -> None:
        Asked.failing = failing
        found = KernelWarmup(WorkerLimits(1 << 30, Path()))
        for _ in range(3 if begin else 0):
            found.start()
            await asyncio.sleep(0)
        found.stop()
        await asyncio.sleep(0.01)
        found.stop()
        await found.close()

    asyncio.run(walk())


def test_it_begins_once_and_its_worker_is_gone_when_it_is_stopped() -> None:
    warmed()
    assert (Asked.questions, Asked.gone_times) == (["warm"], 1)


def test_what_goes_wrong_there_is_nobody_s_error() -> None:
    warmed(failing=True)
    assert (Asked.questions, Asked.killed_times, Asked.gone_times) == (["warm"], 1, 1)


def test_a_page_that_nobody_came_to_ends() -> None:
    warmed(begin=False)
    assert Asked.questions == []


def test_the_task_makes_releases_and_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm.os, "nice", lambda _: None)  # the tests go on at their pace
    pipe = io.BytesIO()
    assert warm.run({"rows": 60}, WorkerContext(pipe)) == {}
    assert {json.loads(line)["stage"] for line in pipe.getvalue().splitlines()} == {"warming up"}

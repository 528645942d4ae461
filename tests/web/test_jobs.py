"""Jobs: progress, end and cancellation."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import numpy as np
import pytest
from worker_helpers import SlowWorker, file_params, install_odd_task, is_alive, worker_limits

from shoal.web.errors import PageError
from shoal.web.workers.pool import Job, WorkerPool
from shoal.web.workers.process import TaskProgress


@pytest.fixture(autouse=True)
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_odd_task(tmp_path / "odd tasks", monkeypatch)


async def nothing(result) -> None:
    pass


async def wait_until_done(pool: WorkerPool, project: str = "a") -> Job:
    while pool.has_running_job(project):
        await asyncio.sleep(0.02)
    result = pool.job(project)
    assert result is not None
    return result


def test_a_job_is_done_after_what_follows_it(tmp_path) -> None:
    async def scenario() -> None:
        pool, stored = WorkerPool(worker_limits(tmp_path)), []

        async def then(result) -> None:
            assert pool.has_running_job("a")
            stored.append(result)

        pool.start_job("a", "odd", {"do": ""}, on_result=then)
        job = await wait_until_done(pool)
        assert (job.state, job.sentence) == ("done", "")
        assert not is_alive(stored[0]["process"])
        assert job.to_dict()["seconds"] == job.to_dict()["seconds"]

    asyncio.run(scenario())


def test_a_job_that_fails_says_why(tmp_path) -> None:
    async def scenario() -> None:
        pool = WorkerPool(worker_limits(tmp_path))

        async def broken(result) -> None:
            raise KeyError("secret")

        pool.start_job("a", "odd", {"do": "abort"}, on_result=nothing)
        assert "broke down" in (await wait_until_done(pool)).sentence
        pool.start_job("a", "odd", {"do": ""}, on_result=broken)
        job = await wait_until_done(pool)
        assert (job.state, "KeyError" in job.sentence, "secret" in job.sentence) == ("failed", True, False)

    asyncio.run(scenario())


def test_one_for_a_project_and_two_in_all(tmp_path) -> None:
    async def scenario() -> None:
        pool = WorkerPool(worker_limits(tmp_path))
        for project in "ab":
            pool.start_job(project, "odd", {"do": "sleep", "seconds": 60}, on_result=nothing)
        for project in "ac":
            with pytest.raises(PageError, match="2 runs under way"):
                pool.start_job(project, "odd", {"do": ""}, on_result=nothing)
        await pool.cancel_job("a")
        pool.start_job("c", "odd", {"do": ""}, on_result=nothing)
        assert (await wait_until_done(pool, "c")).state == "done"
        await pool.close()
        assert pool.job("b") is None

    asyncio.run(scenario())


@pytest.mark.parametrize("wait", [0, 0.01, 0.6])
def test_a_cancelled_job_ends_its_process_whenever_it_is_cancelled(tmp_path, wait) -> None:
    async def scenario() -> None:
        pool = WorkerPool(worker_limits(tmp_path))
        job = pool.start_job("a", "odd", {"do": "sleep", "seconds": 60}, on_result=nothing)
        if wait:
            await asyncio.sleep(wait)
        await pool.cancel_job("a")
        assert job.state == "cancelled"
        await pool.cancel_job("a")
        pool.start_job("a", "odd", {"do": ""}, on_result=nothing)
        assert (await wait_until_done(pool)).state == "done"

    asyncio.run(scenario())


def test_who_cancels_twice_and_who_closes_wait_for_the_end(tmp_path, monkeypatch) -> None:
    workers: list[SlowWorker] = []
    monkeypatch.setattr(
        "shoal.web.workers.pool.Worker", lambda limits: workers.append(SlowWorker(limits)) or workers[-1]
    )

    async def for_ever(_) -> None:
        await asyncio.Event().wait()

    async def scenario() -> None:
        pool = WorkerPool(worker_limits(tmp_path))
        job = pool.start_job("a", "odd", {}, on_result=for_ever)
        await asyncio.sleep(0.01)
        first = asyncio.create_task(pool.cancel_job("a"))
        while not workers[0].closing:
            await asyncio.sleep(0)
        await pool.cancel_job("a")
        assert (workers[0].closed, job.state) == (True, "cancelled")
        await asyncio.gather(first, pool.close())

    asyncio.run(scenario())


def test_a_job_that_is_done_is_not_cancelled_any_more(tmp_path, monkeypatch) -> None:
    workers: list[SlowWorker] = []
    monkeypatch.setattr(
        "shoal.web.workers.pool.Worker", lambda limits: workers.append(SlowWorker(limits)) or workers[-1]
    )

    async def scenario() -> None:
        pool = WorkerPool(worker_limits(tmp_path))
        job = pool.start_job("a", "odd", {}, on_result=nothing)
        while not workers or not workers[0].closing:
            await asyncio.sleep(0)
        await pool.cancel_job("a")
        assert (workers[0].closed, job.state) == (True, "done")

    asyncio.run(scenario())


def test_the_time_left_is_told_by_the_share_since_it_is_known(monkeypatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    job = Job("release", started=100.0)
    assert job.to_dict()["left"] is None
    for seconds, scenario in [
        (0, TaskProgress(0, 0, "reading")),
        (10, TaskProgress(0, 0, "grouping")),
        (10, TaskProgress(20, 100, "grouping")),
    ]:
        clock[0] += seconds
        job.update_progress(scenario)
    assert (job.to_dict()["share"], job.to_dict()["left"]) == (0.2, None)
    clock[0] += 10
    job.update_progress(TaskProgress(60, 100, "grouping"))
    assert job.to_dict()["left"] == 10.0
    clock[0] += 5
    job.update_progress(TaskProgress(0, 0, "writing"))
    assert (job.to_dict()["share"], job.to_dict()["left"], job.to_dict()["seconds"]) == (None, None, 35.0)


def test_no_more_time_is_told_than_was_allowed(monkeypatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    job = Job("compare", started=100.0, time_limit=60)
    job.update_progress(TaskProgress(0, 100, "comparing"))
    clock[0] += 20
    job.update_progress(TaskProgress(10, 100, "comparing"))
    assert job.to_dict()["left"] == 40.0
    clock[0] += 50
    assert job.to_dict()["left"] == 0.0


def test_a_release_cancelled_at_any_moment_leaves_the_old_one_or_the_new_one(tmp_path, register_csv) -> None:
    folder = tmp_path / "project" / "release"
    folder.parent.mkdir()
    params = {
        "file": file_params(register_csv),
        "arguments": {"k": 5, "quasi_identifiers": ["age", "height_cm"], "method": "mdav", "drop_others": True},
        "folder": str(folder),
        "comparison": None,
    }
    # at once, and within the time that a release took
    moments = [0.0, *np.random.default_rng(0).uniform(0.1, 0.9, 2)]

    async def scenario() -> list[str]:
        pool, states = WorkerPool(worker_limits(tmp_path)), []
        started = time.monotonic()
        pool.start_job("a", "release", params, on_result=nothing)
        assert (await wait_until_done(pool)).state == "done"
        took = time.monotonic() - started
        files = sorted(path.name for path in folder.iterdir())
        for moment in moments:
            job = pool.start_job("a", "release", params, on_result=nothing)
            await asyncio.sleep(moment * took)
            await pool.cancel_job("a")
            states.append(job.state)
            assert [path.name for path in folder.parent.iterdir()] == ["release"]
            assert sorted(path.name for path in folder.iterdir()) == files
        return states

    assert "cancelled" in asyncio.run(scenario())

"""Worker pool: queries in the background, and cached results."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from worker_helpers import SlowWorker, install_odd_task, is_alive, worker_limits

from shoal.web.errors import PageError
from shoal.web.workers.pool import WorkerPool

SLEEP = {"do": "sleep", "seconds": 0.5}


@pytest.fixture(autouse=True)
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_odd_task(tmp_path / "odd tasks", monkeypatch)


async def get_result(pool: WorkerPool, project: str = "a", params=None, **more):
    """Ask until the answer is there, as the page does."""
    while (result := await pool.query(project, "odd", {"do": ""} if params is None else params, **more)) is None:
        pass
    return result


def run_with_pool(tmp_path: Path, scenario, **settings):
    """Run a scenario with a worker pool, which is closed afterwards."""

    async def run():
        pool = WorkerPool(worker_limits(tmp_path), **settings)
        try:
            return await scenario(pool)
        finally:
            await pool.close()

    return asyncio.run(run())


def test_no_request_waits_for_an_answer_and_one_that_came_is_kept(tmp_path) -> None:
    async def scenario(pool):
        assert await pool.query("a", "odd", {"do": "sleep", "seconds": 600}) is None
        result = await get_result(pool, "b")
        assert await pool.query("b", "odd", {"do": ""}) is result

    run_with_pool(tmp_path, scenario)


def test_an_error_is_told_and_the_next_question_is_a_new_one(tmp_path) -> None:
    async def scenario(pool):
        for _ in range(2):
            with pytest.raises(PageError, match="broke down"):
                await get_result(pool, params={"do": "abort"})
        assert (await get_result(pool))["process"] > 0

    run_with_pool(tmp_path, scenario)


def test_what_was_overtaken_is_not_worked_on(tmp_path) -> None:
    async def scenario(pool):
        first, second, third = ({"do": "sleep", "seconds": 1.0, "number": number} for number in range(3))
        assert await pool.query("a", "odd", first) is None  # under way, and left to its end
        assert await pool.query("a", "odd", second) is None
        assert await pool.query("a", "odd", third) is None
        await get_result(pool, params=first)
        with pytest.raises(PageError, match="newer question"):
            await get_result(pool, params=second)
        await get_result(pool, params=third)

    run_with_pool(tmp_path, scenario)


def test_questions_about_different_things_do_not_overtake_each_other(tmp_path) -> None:
    async def scenario(pool):
        params = [{**SLEEP, "number": number} for number in range(3)]
        result = await asyncio.gather(*(get_result(pool, params=one, about=str(one["number"])) for one in params))
        assert len(result) == 3

    run_with_pool(tmp_path, scenario)


def test_projects_share_two_workers_and_nobody_is_turned_away(tmp_path) -> None:
    async def scenario(pool):
        result = await asyncio.gather(*(get_result(pool, project, {**SLEEP, "for": project}) for project in "abcd"))
        assert len({one["process"] for one in result}) == 4
        assert sum(is_alive(one["process"]) for one in result) == 2

    run_with_pool(tmp_path, scenario)


def test_what_takes_too_long_is_stopped(tmp_path) -> None:
    async def scenario(pool):
        with pytest.raises(PageError, match="could not be done within"):
            await get_result(pool, params={"do": "sleep", "seconds": 60})
        assert (await get_result(pool))["process"] > 0

    run_with_pool(tmp_path, scenario, time_limit=1.5)


def test_a_worker_that_nobody_asks_is_ended(tmp_path) -> None:
    async def scenario(pool):
        process = (await get_result(pool))["process"]
        await asyncio.sleep(0.6)
        assert not is_alive(process)
        assert (await get_result(pool, params={"do": "", "again": 1}))["process"] != process

    run_with_pool(tmp_path, scenario, idle_timeout=0.2)


def test_a_project_that_is_forgotten_leaves_no_process_and_no_answer(tmp_path) -> None:
    async def scenario(pool):
        process = (await get_result(pool))["process"]
        assert await pool.query("a", "odd", {"do": "sleep", "seconds": 60}) is None
        await pool.forget("a")
        assert not is_alive(process)
        assert (await get_result(pool))["process"] != process

    run_with_pool(tmp_path, scenario)


def test_the_oldest_answers_are_forgotten(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("shoal.web.workers.pool._MOST_ANSWERS", 2)

    async def scenario(pool):
        for number in range(4):
            await get_result(pool, params={"do": "", "number": number})
        assert len(pool._results) == 2

    run_with_pool(tmp_path, scenario)


def test_who_is_stopped_while_another_leaves_its_seat_leaves_no_process(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("shoal.web.workers.pool.Worker", SlowWorker)

    async def scenario(pool):
        for project in "ab":
            await get_result(pool, project)
        first = pool._queries["a"].worker
        asking = asyncio.create_task(pool.query("c", "odd", {"do": ""}))
        while not first.closing:
            await asyncio.sleep(0)
        await pool.forget("c")
        await asyncio.wait([asking])
        assert not first.closed
        return [first, *(queries.worker for queries in pool._queries.values())]

    assert all(worker.closed for worker in run_with_pool(tmp_path, scenario))

"""The desk: questions in the background, and their answers kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from asking import SlowToGo, is_alive, limited, teach

from shoal.web.errors import PageError
from shoal.web.workers.pool import WorkerPool

SLEEP = {"do": "sleep", "seconds": 0.5}


@pytest.fixture(autouse=True)
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    teach(tmp_path / "odd tasks", monkeypatch)


async def answered(desk: WorkerPool, project: str = "a", asked=None, **more):
    """Ask until the answer is there, as the page does."""
    while (found := await desk.query(project, "odd", {"do": ""} if asked is None else asked, **more)) is None:
        pass
    return found


def at(tmp_path: Path, told, **settings):
    """Run something at a desk, which is closed afterwards."""

    async def run():
        desk = WorkerPool(limited(tmp_path), **settings)
        try:
            return await told(desk)
        finally:
            await desk.close()

    return asyncio.run(run())


def test_no_request_waits_for_an_answer_and_one_that_came_is_kept(tmp_path) -> None:
    async def told(desk):
        assert await desk.answer("a", "odd", {"do": "sleep", "seconds": 600}) is None
        found = await answered(desk, "b")
        assert await desk.answer("b", "odd", {"do": ""}) is found

    at(tmp_path, told)


def test_an_error_is_told_and_the_next_question_is_a_new_one(tmp_path) -> None:
    async def told(desk):
        for _ in range(2):
            with pytest.raises(PageError, match="broke down"):
                await answered(desk, asked={"do": "abort"})
        assert (await answered(desk))["process"] > 0

    at(tmp_path, told)


def test_what_was_overtaken_is_not_worked_on(tmp_path) -> None:
    async def told(desk):
        first, second, third = ({"do": "sleep", "seconds": 1.0, "number": number} for number in range(3))
        assert await desk.answer("a", "odd", first) is None  # under way, and left to its end
        assert await desk.answer("a", "odd", second) is None
        assert await desk.answer("a", "odd", third) is None
        await answered(desk, asked=first)
        with pytest.raises(PageError, match="newer question"):
            await answered(desk, asked=second)
        await answered(desk, asked=third)

    at(tmp_path, told)


def test_questions_about_different_things_do_not_overtake_each_other(tmp_path) -> None:
    async def told(desk):
        asked = [{**SLEEP, "number": number} for number in range(3)]
        found = await asyncio.gather(*(answered(desk, asked=one, about=str(one["number"])) for one in asked))
        assert len(found) == 3

    at(tmp_path, told)


def test_projects_share_two_workers_and_nobody_is_turned_away(tmp_path) -> None:
    async def told(desk):
        found = await asyncio.gather(*(answered(desk, project, {**SLEEP, "for": project}) for project in "abcd"))
        assert len({one["process"] for one in found}) == 4
        assert sum(is_alive(one["process"]) for one in found) == 2

    at(tmp_path, told)


def test_what_takes_too_long_is_stopped(tmp_path) -> None:
    async def told(desk):
        with pytest.raises(PageError, match="could not be done within"):
            await answered(desk, asked={"do": "sleep", "seconds": 60})
        assert (await answered(desk))["process"] > 0

    at(tmp_path, told, longest=1.5)


def test_a_worker_that_nobody_asks_is_ended(tmp_path) -> None:
    async def told(desk):
        process = (await answered(desk))["process"]
        await asyncio.sleep(0.6)
        assert not is_alive(process)
        assert (await answered(desk, asked={"do": "", "again": 1}))["process"] != process

    at(tmp_path, told, idle=0.2)


def test_a_project_that_is_forgotten_leaves_no_process_and_no_answer(tmp_path) -> None:
    async def told(desk):
        process = (await answered(desk))["process"]
        assert await desk.answer("a", "odd", {"do": "sleep", "seconds": 60}) is None
        await desk.forget("a")
        assert not is_alive(process)
        assert (await answered(desk))["process"] != process

    at(tmp_path, told)


def test_the_oldest_answers_are_forgotten(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("shoal.web.workers.pool._MOST_ANSWERS", 2)

    async def told(desk):
        for number in range(4):
            await answered(desk, asked={"do": "", "number": number})
        assert len(desk._answers) == 2

    at(tmp_path, told)


def test_who_is_stopped_while_another_leaves_its_seat_leaves_no_process(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("shoal.web.workers.pool.Worker", SlowToGo)

    async def told(desk):
        for project in "ab":
            await answered(desk, project)
        first = desk._seats["a"].worker
        asking = asyncio.create_task(desk.answer("c", "odd", {"do": ""}))
        while not first.asked_to_go:
            await asyncio.sleep(0)
        await desk.forget("c")
        await asyncio.wait([asking])
        assert not first.gone_at_last
        return [first, *(seat.worker for seat in desk._seats.values())]

    assert all(worker.gone_at_last for worker in at(tmp_path, told))

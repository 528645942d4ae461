"""Workers: limits, failures, and messages without data."""

from __future__ import annotations

import asyncio
import errno
import gc
import subprocess
import sys
import time
from pathlib import Path

import pytest
from worker_helpers import file_params, install_odd_task, is_alive, run_task, worker_limits

from shoal.web.errors import PageError
from shoal.web.workers.process import TaskProgress, Worker

linux = pytest.mark.skipif(sys.platform != "linux", reason="these limits are those of Linux")


@pytest.fixture(autouse=True)
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_odd_task(tmp_path / "odd tasks", monkeypatch)


def get_error(folder: Path, memory: int | None = None, **params) -> PageError:
    with pytest.raises(PageError) as caught:
        run_task(folder, ("odd", params), **({} if memory is None else {"memory": memory}))
    return caught.value


def test_one_process_answers_many_questions(tmp_path) -> None:
    async def both() -> list[int]:
        worker = Worker(worker_limits(tmp_path))
        first, second = [(await worker.run("odd", {"do": ""}))["process"] for _ in range(2)]
        assert worker.running
        await worker.wait_closed()
        assert not worker.running
        third = (await worker.run("odd", {"do": ""}))["process"]
        await worker.wait_closed()
        return [first, second, third]

    first, second, third = asyncio.run(both())
    assert first == second != third
    assert not is_alive(first)


def test_progress_is_told_and_prints_are_not(tmp_path) -> None:
    progress: list[TaskProgress] = []
    run_task(tmp_path, ("odd", {"do": "print"}), ("odd", {"do": "sleep", "seconds": 0}), progress=progress)
    assert progress == [TaskProgress(0, 0, "sleeping")]


@pytest.mark.parametrize("what", ["fail", "panic"])
def test_a_bug_is_told_by_its_place_and_never_by_its_message(tmp_path, what) -> None:
    error = get_error(tmp_path, do=what)
    assert error.status == 500
    assert "in odd.py, line" in str(error)
    assert "4711" not in str(error)


def test_an_unknown_task_is_a_bug(tmp_path) -> None:
    with pytest.raises(PageError, match="KeyError"):
        run_task(tmp_path, ("nothing", {}))


def test_a_file_is_called_as_its_owner_calls_it(tmp_path) -> None:
    error = get_error(tmp_path, do="refuse", file=file_params(tmp_path / "scratch" / "0a1b" / "data.csv"))
    assert str(error).startswith("The file 'people of mine.csv' is empty")
    assert str(tmp_path) not in str(error)


@linux
@pytest.mark.parametrize("size", [1 << 28, 1 << 40])
def test_memory_beyond_the_limit_is_a_sentence(tmp_path, size) -> None:
    assert "more memory than it may take" in str(get_error(tmp_path, memory=1 << 30, do="array", size=size))


def test_memory_below_the_limit_is_there(tmp_path) -> None:
    assert run_task(tmp_path, ("odd", {"do": "array", "size": 1 << 20}), memory=1 << 30) == {"sum": float(1 << 20)}


def test_no_memory_for_a_thread_is_the_same_sentence(tmp_path) -> None:
    assert "more memory than it may take" in str(get_error(tmp_path, do="threads"))


@linux
def test_no_huge_file_no_core_and_private_files(tmp_path) -> None:
    path = tmp_path / "huge"
    assert "OSError" in str(get_error(tmp_path, memory=1 << 30, do="file", path=str(path), size=1 << 31))
    assert path.stat().st_size == 0
    facts = run_task(tmp_path, ("odd", {"do": "limits"}))
    assert facts["core"] == [0, 0]
    assert facts["mask"] == 0o077
    assert facts["nice"] >= 5


@pytest.mark.parametrize(("what", "sentence"), [("abort", "broke down"), ("kill", "more memory than it may take")])
def test_after_a_breakdown_the_next_question_has_a_fresh_worker(tmp_path, what, sentence) -> None:
    async def both() -> None:
        worker = Worker(worker_limits(tmp_path))
        with pytest.raises(PageError, match=sentence):
            await worker.run("odd", {"do": what})
        assert (await worker.run("odd", {"do": ""}))["process"] > 0
        await worker.wait_closed()

    asyncio.run(both())


def test_an_answer_that_is_too_long_is_no_answer(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("shoal.web.workers.process._LONGEST", 1 << 16)
    assert "broke down" in str(get_error(tmp_path, do="long", size=1 << 20))


def test_a_question_that_is_given_up_ends_the_process(tmp_path) -> None:
    async def given_up() -> Worker:
        worker = Worker(worker_limits(tmp_path))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.0):
                await worker.run("odd", {"do": "sleep", "seconds": 60})
        await worker.wait_closed()
        return worker

    start = time.monotonic()
    assert not asyncio.run(given_up()).running
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("wait", [0, 0.001, 0.005, 0.02])
def test_a_question_that_is_given_up_while_its_process_starts_leaves_nothing(tmp_path, wait) -> None:
    async def given_up() -> None:
        worker = Worker(worker_limits(tmp_path))
        asking = asyncio.create_task(worker.run("odd", {"do": "sleep", "seconds": 60}))
        await asyncio.sleep(wait)
        asking.cancel()
        await asyncio.wait([asking])
        assert asking.cancelled()
        await worker.wait_closed()

    asyncio.run(given_up())
    gc.collect()  # what was left open would say so now


def test_a_process_that_cannot_be_started_is_a_sentence(tmp_path, monkeypatch) -> None:
    async def full(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    async def scenario() -> None:
        worker = Worker(worker_limits(tmp_path))
        with monkeypatch.context() as patched:
            patched.setattr(asyncio, "create_subprocess_exec", full)
            with pytest.raises(PageError, match="No process could be started") as caught:
                await worker.run("odd", {"do": ""})
        assert caught.value.status == 503
        assert (await worker.run("odd", {"do": ""}))["process"] > 0
        await worker.wait_closed()

    asyncio.run(scenario())


PAGE = """
import asyncio, sys
from pathlib import Path
from shoal.web.workers.process import Worker, WorkerLimits
worker = Worker(WorkerLimits(4 << 30, Path(sys.argv[1])))
asyncio.run(worker.run("odd", {"do": "block", "sign": sys.argv[2]}))
"""


@linux
def test_a_worker_ends_with_its_page_even_where_it_hears_nothing(tmp_path) -> None:
    sign = tmp_path / "sign"
    page = subprocess.Popen([sys.executable, "-c", PAGE, str(worker_limits(tmp_path).scratch), str(sign)])
    _until(lambda: sign.exists() and sign.read_text() != "")
    worker = int(sign.read_text())
    assert is_alive(worker)
    page.kill()
    page.wait()
    _until(lambda: not is_alive(worker), seconds=5)


def _until(holds, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)

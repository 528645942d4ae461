"""Parallel map and the number of threads."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest

from shoal.errors import OptionError
from shoal.system import threads
from shoal.system.memory import limit_allocator_cache, release_memory


@pytest.mark.parametrize("count", [1, 2, 5])
def test_results_come_in_the_order_of_the_work(count: int) -> None:
    def slow(number: int) -> int:
        time.sleep(0.01 if number % 3 == 0 else 0.0)
        return number * number

    with threads.use_threads(count):
        assert list(threads.parallel_map(slow, range(20))) == [number * number for number in range(20)]
        assert list(threads.parallel_map(slow, [])) == []


def test_little_is_begun_ahead() -> None:
    begun: list[int] = []

    def note(number: int) -> int:
        begun.append(number)
        return number

    with threads.use_threads(2):
        shared = threads.parallel_map(note, range(100), prefetch=1)
        assert next(shared) == 0
        time.sleep(0.05)
        assert len(begun) <= 4
        shared.close()
    assert len(begun) <= 4


def test_an_error_is_raised_in_its_turn() -> None:
    def fail(number: int) -> int:
        if number == 3:
            raise ValueError("three")
        return number

    with threads.use_threads(3):
        shared = threads.parallel_map(fail, range(10))
        assert [next(shared) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(ValueError, match="three"):
            next(shared)
    assert not [one for one in threading.enumerate() if one.name.startswith("shoal")]


def test_shared_work_is_not_shared_out_again() -> None:
    with threads.use_threads(4):
        assert threads.threads() == 4
        assert set(threads.parallel_map(lambda _: threads.threads(), range(8))) == {1}
        assert threads.threads() == 4


def test_few_records_are_not_shared_out_unless_somebody_said_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    def who(_: int) -> int:
        return threading.get_ident()

    monkeypatch.delenv(threads.THREADS_VARIABLE, raising=False)
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    here = {threading.get_ident()}
    assert set(threads.parallel_map(who, range(8), records=9_999)) == here
    assert not set(threads.parallel_map(who, range(8), records=10_000)) & here
    assert not set(threads.parallel_map(who, range(8))) & here
    with threads.use_threads(2):
        assert not set(threads.parallel_map(who, range(8), records=10)) & here
    monkeypatch.setenv(threads.THREADS_VARIABLE, "2")
    assert not set(threads.parallel_map(who, range(8), records=10)) & here


def test_what_is_set_holds_inside() -> None:
    def divide(number: int) -> float:
        return float(np.float64(number) / np.float64(0.0))

    with threads.use_threads(2), np.errstate(divide="ignore"):
        assert list(threads.parallel_map(divide, [1, 2])) == [np.inf, np.inf]


def test_the_environment_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(threads.THREADS_VARIABLE, "3")
    assert threads.threads() == 3
    for said in ("0", "many", "-1", "1.5"):
        monkeypatch.setenv(threads.THREADS_VARIABLE, said)
        with pytest.raises(OptionError, match="threads"):
            threads.threads()
    monkeypatch.delenv(threads.THREADS_VARIABLE)
    assert threads.threads() >= 1


def test_allocators_are_asked_without_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_RJEM_MALLOC_CONF", "as it was")
    limit_allocator_cache()
    release_memory()
    assert os.environ["_RJEM_MALLOC_CONF"] == "as it was"

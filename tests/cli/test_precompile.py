"""The second process: when it starts, and that it compiles what a release then takes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.cli import precompile
from shoal.kernels.jit import Kernel, kernel


class Process:
    """Stands for a process that was started."""

    started: list[list[str]]

    def __init__(self, command: list[str], **_: Any) -> None:
        self.started.append(command)

    def terminate(self) -> None:
        self.started.append(["terminated"])

    def wait(self) -> None:
        self.started.append(["waited for"])


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What was started, with a cache of its own."""
    Process.started = []
    monkeypatch.setattr(precompile, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(precompile, "threads", lambda: 2)
    monkeypatch.setattr(precompile.subprocess, "Popen", Process)
    return Process.started


@pytest.mark.parametrize("method", ["auto", "mdav", "hac", "mst", "dba-2", "k-modes"])
def test_it_compiles_the_types_that_a_release_takes(method: str) -> None:
    """One type more, and a first run would wait for nothing and compile by itself."""
    frame = shoal.example_register(rows=300, seed=1).select("marital_status", *(["age"] if method != "k-modes" else []))
    shoal.partition(frame, k=3, method=method)
    kernels = precompile.record_kernels(method, local_search=method == "auto")
    assert kernels
    for one, types in kernels:
        assert types in one.overloads, one.py_func.__name__


def test_it_knows_all_large_kernels_of_a_default_release() -> None:
    names = [one.py_func.__name__ for one, _ in precompile.record_kernels("auto", local_search=True)]
    assert {"fill_neighbors", "follow_chain", "improve", "mdav_step", "recompute", "local_search"} <= {*names}
    assert precompile.KERNELS_ALONE - 3 <= len(names) <= precompile.KERNELS_ALONE


@pytest.mark.parametrize("method", shoal.methods())
def test_it_knows_the_kernels_of_every_method(method: str) -> None:
    assert precompile.record_kernels(method, local_search=False)


def test_it_compiles_the_last_kernel_first_and_leaves_a_mark(
    started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(Kernel, "compile", lambda one, _: compiled.append(one.py_func.__name__))
    precompile.compile_in_reverse("mst", local_search=False)
    assert compiled == [one.py_func.__name__ for one, _ in precompile.record_kernels("mst", local_search=False)][::-1]
    with precompile.precompiling("mst", local_search=False) as expected:
        assert expected is None
    assert started == []
    with precompile.precompiling("mst", local_search=True):
        assert started == [[sys.executable, "-P", "-m", "shoal.cli.precompile", "mst", "search"]]


def test_a_run_that_compiles_nothing_leaves_the_mark(
    started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = Counter[str]()
    monkeypatch.setattr("shoal.kernels.jit.counts", counts)
    for more, marks in (({}, 0), ({"taken": 2, "compiled": 1}, 0), ({"taken": 2}, 1)):
        with precompile.precompiling("mdav", local_search=False):
            counts.update(more)
        assert len(list(tmp_path.iterdir())) == marks, more


def test_a_run_that_did_not_search_leaves_none(
    started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = Counter[str](taken=1)
    monkeypatch.setattr("shoal.kernels.jit.counts", counts)
    monkeypatch.delitem(sys.modules, "shoal.kernels.local_search.annealing", raising=False)
    with precompile.precompiling():
        pass
    assert list(tmp_path.iterdir()) == []


def test_kernels_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    @kernel
    def one(number: int) -> int:
        return number + 1

    counts = Counter[str]()
    monkeypatch.setattr("shoal.kernels.jit.counts", counts)
    monkeypatch.setattr("shoal.kernels.jit_cache.cache_folder", lambda: tmp_path)
    assert one(1) == 2
    assert counts == {"taken": 1, "compiled": 1}
    again = kernel(one.py_func)
    assert again(1) == 2
    assert counts == {"taken": 2, "compiled": 1}


def test_it_is_ended_with_the_run(started: list[list[str]]) -> None:
    with precompile.precompiling() as expected:
        assert expected == precompile.KERNELS_SHARED
        assert started == [[sys.executable, "-P", "-m", "shoal.cli.precompile", "auto", "search"]]
    assert started[1:] == [["terminated"], ["waited for"]]


def test_a_fault_ends_it_and_leaves_no_mark(started: list[list[str]], tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), precompile.precompiling():
        raise RuntimeError
    assert started[1:] == [["terminated"], ["waited for"]]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["core", "process", "folder"])
def test_without_a_second_process_this_one_compiles(
    started: list[list[str]], monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise OSError

    if missing == "core":
        monkeypatch.setattr(precompile, "threads", lambda: 1)
    elif missing == "process":
        monkeypatch.setattr(precompile.subprocess, "Popen", refused)
    else:
        monkeypatch.setattr(precompile, "cache_folder", lambda: None)
    with precompile.precompiling() as expected:
        assert expected == precompile.KERNELS_ALONE
    assert started == []


def test_without_the_compiler_nothing_starts(started: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with precompile.precompiling():
        pass
    assert started == []


def test_old_marks_go(started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precompile, "record_kernels", lambda *_, **__: [])
    old = tmp_path / "precompiled.mark.old"
    old.touch()
    os.utime(old, (0, 0))
    precompile.compile_in_reverse("auto", local_search=True)
    (mark,) = tmp_path.iterdir()
    assert mark != old


def test_what_lies_in_the_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of data may hold a file that is named like a library."""
    (tmp_path / "numpy.py").write_text("from pathlib import Path\nPath('run').touch()\nraise SystemExit\n")
    processes: list[subprocess.Popen[bytes]] = []

    class Begun(subprocess.Popen[bytes]):
        def terminate(self) -> None:
            processes.append(self)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(precompile, "_mark", lambda *_, **__: tmp_path / "mark")
    monkeypatch.setattr(precompile, "threads", lambda: 2)
    monkeypatch.setattr(precompile.subprocess, "Popen", Begun)
    with precompile.precompiling():
        pass
    assert [process.returncode for process in processes] == [0]
    assert not (tmp_path / "run").exists()

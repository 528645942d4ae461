"""The second process: when it starts, and that it compiles what a release then takes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal import kernels
from shoal.kernels import precompile

USED = [
    ("annealing", "search"),
    ("path", "cut"),
    ("path", "reach"),
    ("standing", "settle"),
    ("standing", "shares"),
    ("strands", "lengths"),
    ("tour", "improve"),
]


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


def test_it_compiles_what_a_default_release_takes() -> None:
    """One type more, and a first run would wait for nothing and compile by itself."""
    frame = shoal.example_register(rows=60, seed=1).select("age", "sex", "income")
    shoal.partition(frame, k=3)
    found = {name: getattr(getattr(kernels, name[0]), name[1]) for name in USED}
    before = {name: set(one.overloads) for name, one in found.items()}
    assert all(before.values())
    precompile.compile_half()
    assert {name: set(one.overloads) for name, one in found.items()} == before
    assert len(USED) == precompile.ALONE - precompile.SHARED
    assert precompile._has_searched()


def test_it_starts_until_a_run_has_searched(started: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precompile, "_has_searched", lambda: False)
    with precompile.precompiling() as expected:
        assert expected == precompile.SHARED
    assert started == [[sys.executable, "-P", "-m", "shoal.kernels.precompile"], ["terminated"], ["waited for"]]
    monkeypatch.setattr(precompile, "_has_searched", lambda: True)
    with precompile.precompiling():
        pass
    started.clear()
    with precompile.precompiling() as expected:
        assert expected is None
    assert started == []


def test_a_fault_ends_it_and_leaves_no_mark(started: list[list[str]], tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), precompile.precompiling():
        raise RuntimeError
    assert started[1:] == [["terminated"], ["waited for"]]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lacking", ["core", "process", "folder"])
def test_without_a_second_process_this_one_compiles(
    started: list[list[str]], monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise OSError

    if lacking == "core":
        monkeypatch.setattr(precompile, "threads", lambda: 1)
    elif lacking == "process":
        monkeypatch.setattr(precompile.subprocess, "Popen", refused)
    else:
        monkeypatch.setattr(precompile, "cache_folder", lambda: None)
    with precompile.precompiling() as expected:
        assert expected == precompile.ALONE
    assert started == []


def test_what_was_searched_is_known_from_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "shoal.kernels.annealing", raising=False)
    assert not precompile._has_searched()


def test_old_marks_go(started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precompile, "_has_searched", lambda: True)
    old = tmp_path / "precompiled.mark.old"
    old.touch()
    os.utime(old, (0, 0))
    with precompile.precompiling():
        pass
    (mark,) = tmp_path.iterdir()
    assert mark != old
    assert started


def test_what_lies_in_the_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of data may hold a file that is named like a library."""
    (tmp_path / "numpy.py").write_text("from pathlib import Path\nPath('run').touch()\nraise SystemExit\n")
    begun: list[subprocess.Popen[bytes]] = []

    class Begun(subprocess.Popen[bytes]):
        def terminate(self) -> None:
            begun.append(self)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(precompile, "_mark", lambda: tmp_path / "mark")
    monkeypatch.setattr(precompile, "threads", lambda: 2)
    monkeypatch.setattr(precompile.subprocess, "Popen", Begun)
    with precompile.precompiling():
        pass
    assert [process.returncode for process in begun] == [0]
    assert not (tmp_path / "run").exists()

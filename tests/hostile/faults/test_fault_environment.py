"""No memory, wrong clocks, two runs at once, broken caches, no processes, no threads, odd ends of the output."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from fault_harness import (
    JOBS,
    POLICY,
    RELEASE,
    TABLE,
    CompletedRun,
    Ground,
    Job,
    by_hand,
    check_release,
    faults,
    pairs,
    table,
)
from ledger import Ledger, tries

YEAR = 365 * 86400
_ABORTED = (signal.SIGABRT, signal.SIGSEGV, signal.SIGTRAP, signal.SIGILL, signal.SIGKILL)


@pytest.mark.parametrize("how", JOBS)
def test_memory_is_short(ground: Ground, ledger: Ledger, how: str) -> None:
    account = ledger.account(
        "fault",
        "memory runs out during a run (RLIMIT_DATA)",
        "One sentence, or the end of the process where a library aborts, or waits in vain until it is killed; the old"
        " state stands, the next start sweeps.",
    )
    for number in tries(1, 8):
        with account.trial():
            place = ground.place(JOBS[how])
            most = ground.fork_server.data_size() + ((10 + 20 * number) << 20)
            pid = ground.fork_server.start(place.job.arguments(), place.folder, limits={"RLIMIT_DATA": most})
            patience = threading.Timer(40, os.kill, (pid, signal.SIGKILL))  # a library may wait for a thread for ever
            patience.start()
            ended = ground.fork_server.wait(pid)
            patience.cancel()
            if ended.code >= 0:
                state = place.check(ended, codes=(2, 3))
            else:
                assert -ended.code in _ABORTED, ended
                state = place.next_start(ground.fork_server)
            account.whole += state == "new"
            account.refused += state != "new"
            ground.clear(place)


@pytest.mark.parametrize(("how", "jump"), pairs([-30 * YEAR, 30 * YEAR, -3600]))
def test_the_clock_jumps(ground: Ground, ledger: Ledger, how: str, jump: int) -> None:
    account = ledger.account(
        "fault",
        "the clock jumps by years or by an hour during a run",
        "The release has the same bytes, and the scratch of a living run stays.",
    )
    for number in tries(1, 5):
        with account.trial():
            place = ground.place(JOBS[how])
            env = {"CLOCK_JUMP": str(jump), "CLOCK_AT": str(1 + 3 * number)}
            ended = ground.fork_server.run(place.job.arguments(), place.folder, env=env)
            assert place.check(ended) == "new", ended
            account.whole += 1
            ground.clear(place)


@pytest.mark.parametrize("leap", ["-1", "1", "1000"])
def test_the_steady_clock_stands_still_or_leaps(ground: Ground, ledger: Ledger, leap: str) -> None:
    account = ledger.account(
        "fault",
        "the steady clock stands still or leaps where a search has seconds",
        "The release is whole, and its policy replays it to the same bytes.",
    )
    for number in tries(1, 2):
        with account.trial():
            place = ground.place(Job())
            arguments = ["anonymize", TABLE, "-k", "4", "-q", "age,income", "--identifiers", "person", "--quiet"]
            arguments += ["--keep", "illness"]
            arguments += ["--method", "mondrian", "--refine", "--time-limit", "0.2", "-o", "timed.csv"]
            env = {"CLOCK_LEAP": leap, "CLOCK_AT": str(1 + 40 * number)}
            ended = ground.fork_server.run(arguments, place.folder, env=env)
            assert ended.code == 0, ended
            check_release(place.folder, place.table, k=4, release="timed.csv")
            again = ["anonymize", TABLE, "--policy", "timed.csv.policy.toml", "--quiet", "-o", "again.csv"]
            assert ground.fork_server.run(again, place.folder).code == 0
            assert (place.folder / "again.csv").read_bytes() == (place.folder / "timed.csv").read_bytes()
            account.whole += 1
            ground.clear(place)


@pytest.mark.parametrize(("how", "force"), pairs([True, False]))
def test_two_runs_at_once(ground: Ground, ledger: Ledger, how: str, force: bool) -> None:
    account = ledger.account(
        "fault",
        "two runs make the same output from the same table at once",
        "One release stands whole with its own policy and report; the other run says so in one sentence.",
    )
    for _ in tries(1, 8):
        with account.trial():
            place = ground.place(JOBS[how], released=force)
            stderr_paths = [str(ground.folder / name) for name in ("told", "told-too")]
            pids = [
                ground.fork_server.start(place.job.arguments(force=force), place.folder, stderr=where)
                for where in stderr_paths
            ]
            ended = [
                ground.fork_server.wait(pid, Path(where).name) for pid, where in zip(pids, stderr_paths, strict=True)
            ]
            assert 0 in [one.code for one in ended], ended
            for one in ended:
                assert place.check(one) == "new", one
            account.whole += 1
            ground.clear(place)


def damage(path: Path, how: str) -> None:
    raw = path.read_bytes()
    path.unlink()
    if how == "a folder":
        path.mkdir()
    else:
        flipped = raw[: len(raw) // 2] + bytes([raw[len(raw) // 2] ^ 64]) + raw[len(raw) // 2 + 1 :]
        path.write_bytes({"empty": b"", "torn": raw[: len(raw) // 2], "flipped": flipped, "garbage": b"garbage"}[how])


@pytest.mark.parametrize("how", ["flipped", "torn", "empty", "garbage", "a folder"])
def test_what_an_interrupted_run_left_is_damaged(ground: Ground, ledger: Ledger, how: str) -> None:
    account = ledger.account(
        "fault",
        "what an interrupted run in pieces left is damaged: torn, flipped, empty, garbage, a folder",
        "It is made again, and the release has the same bytes; or one sentence, and then it is.",
    )
    job = JOBS["pieces"]
    count = ground.count(job, "sync")
    for number in tries(1, 12):
        with account.trial():
            place = ground.place(job)
            env = faults("sync", max(2, count - 1 - number % 4), under=place.folder, signal=int(signal.SIGKILL))
            assert ground.fork_server.run(job.arguments(), place.folder, env=env).code == -signal.SIGKILL
            scratch = place.folder / ".shoal-scratch-out.csv"
            found = sorted(path for path in scratch.rglob("*") if path.is_file() and path.name != "shoal.scratch")
            assert found
            damage(found[number % len(found)], how)
            ended = ground.fork_server.run(job.arguments(), place.folder)
            if place.check(ended) == "old":
                assert how == "a folder"
                assert ground.fork_server.run(job.arguments(), place.folder).code == 0
                assert place.state() == "new"
            account.whole += 1
            ground.clear(place)


ADDING = """
import numpy as np
from shoal.kernels import jit

@jit.kernel
def added(values):
    total = 0.0
    for value in values:
        total += value
    return total

heard = []
with jit.compiling(heard.append):
    print(added(np.arange(5.0)), len(heard) > 0)
"""


def printed(ground: Ground, program: Path, env: dict[str, str]) -> str:
    """What a program prints that ends well and complains about nothing."""
    line = ground.folder / "printed"
    ended = ground.fork_server.run([], program.parent, program=str(program), env=env, stdout=str(line))
    assert (ended.code, ended.stderr) == (0, "")
    return line.read_text().strip()


def test_the_kernel_cache_is_damaged(ground: Ground, ledger: Ledger, tmp_path: Path) -> None:
    """A kernel is compiled once into a cache of its own; each damage makes it be compiled again."""
    account = ledger.account(
        "fault",
        "files of the cache of compiled kernels are damaged, or it cannot be written",
        "Damaged kernels are compiled again, and never run; the result is the same.",
    )
    script, cache = tmp_path / "adding.py", tmp_path / "cache"
    script.write_text(ADDING)

    def added(**env: str) -> str:
        return printed(ground, script, {"NUMBA_CACHE_DIR": str(cache), **env})

    assert added() == "10.0 True"
    kinds = ["flipped", "torn", "empty", "garbage", "a folder"]
    for number in tries(2, 10):
        with account.trial():
            (cached,) = (path for path in cache.rglob("*") if path.is_file())
            damage(cached, kinds[number % 5])
            assert added() == "10.0 True"
            if kinds[number % 5] == "a folder":
                shutil.rmtree(cache)
                assert added() == "10.0 True"
            account.whole += 1
    assert added() == "10.0 False"
    with account.trial():
        shutil.rmtree(cache)
        cache.write_text("no folder")
        assert added(HOME="/nonexistent", XDG_CACHE_HOME="/nonexistent").startswith("10.0")
        account.whole += 1


def test_the_kernels_cannot_be_kept(ground: Ground, ledger: Ledger, tmp_path: Path) -> None:
    account = ledger.account(
        "fault",
        "the disk of the cache of compiled kernels is full",
        "Kernels are compiled for this run alone; the release is whole.",
    )
    with account.trial():
        (tmp_path / "one.py").write_text(ADDING)
        env = faults("write", 1, under=tmp_path / "cache", errno=28, times=0)
        assert printed(ground, tmp_path / "one.py", {**env, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}) == "10.0 True"
        assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.stat().st_size] == []
        account.whole += 1


@pytest.mark.parametrize("what", ["fork", "thread"])
def test_no_process_or_thread_can_be_started(ground: Ground, ledger: Ledger, shim: Path, what: str) -> None:
    name = {"fork": "no further process can be started", "thread": "no further thread can be started"}[what]
    outcome = "The release is whole, or one sentence, after the lines of a library that broke down, and the old state."
    account = ledger.account("fault", name, outcome)
    for number in tries(1, 6):
        with account.trial():
            job = JOBS["pieces" if number % 2 else "memory"]
            place = ground.place(job)
            env = {"FAULT_CALLS": what, "FAULT_AT": str(1 + number), "FAULT_TIMES": "0", "FAULT_UNDER": ""}
            ended = ground.fork_server.run(job.arguments(), place.folder, env=env)
            ended = CompletedRun(ended.code, "\n".join(line for line in ended.errors if line.startswith("shoal: ")))
            state = place.check(ended) if ended.code >= 0 else place.next_start(ground.fork_server)
            account.whole += state == "new"
            account.refused += state != "new"
            ground.clear(place)


ODD = {
    "standard output is full": {"stdout": "/dev/full"},
    "standard error is full": {"stderr": "/dev/full"},
    "the folder for temporary files does not exist": {"env": {"TMPDIR": "/nonexistent"}},
    "the locale is plain (LC_ALL=C)": {"env": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"}},
    "there is no home": {"unset": ["HOME", "XDG_CACHE_HOME"], "env": {"HOME": "/nonexistent"}},
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_surroundings(ground: Ground, ledger: Ledger, odd: str) -> None:
    account = ledger.account("fault", odd, "The release is whole, or one sentence and the old state.")
    for number in tries(1, 4):
        with account.trial():
            job = JOBS["pieces" if number % 2 else "memory"]
            place = ground.place(job)
            loud = [word for word in job.arguments() if word != "--quiet"] if "output" in odd else job.arguments()
            ended = ground.fork_server.run(loud, place.folder, **ODD[odd])
            assert "Traceback" not in ended.stderr
            assert ended.code in (0, 2), ended
            state = place.state()
            assert place.left() == []
            account.whole += state == "new"
            account.refused += state != "new"
            ground.clear(place)


def test_from_scratch_in_a_folder_that_is_gone(ground: Ground, ledger: Ledger, tmp_path: Path) -> None:
    outcome = "The release is whole, or one sentence and the old state."
    account = ledger.account("fault", "the current folder was deleted, and all standard streams are closed", outcome)
    for number in tries(1, 3):
        with account.trial():
            place = ground.place(Job())
            deleted = tmp_path / f"gone-{number}"
            deleted.mkdir()
            names = {TABLE, RELEASE, "out.html", "out.zip"}
            arguments = [str(place.folder / word) if word in names else word for word in place.job.arguments()]
            streams = ["<&-", ">&- 2>&-", "<&- >&- 2>&-"][number]
            command = f'cd {deleted} && rmdir {deleted} && exec "$@" {streams}'
            done = subprocess.run(["bash", "-c", command, "x", sys.executable, "-m", "shoal", *arguments], check=False)
            assert done.returncode in (0, 2)
            state = place.state()
            assert place.left() == []
            account.whole += state == "new"
            account.refused += state != "new"
            ground.clear(place)


def test_the_reader_of_the_output_leaves(ground: Ground, ledger: Ledger) -> None:
    account = ledger.account("fault", "the reader of the output leaves (| head -0)", "The release is whole.")
    for number in tries(1, 2):
        with account.trial():
            place = ground.place(Job())
            loud = [word for word in place.job.arguments() if word != "--quiet"]
            pipe = str(ground.folder / f"pipe-{number}")
            os.mkfifo(pipe)
            pid = ground.fork_server.start(loud, place.folder, stdout=pipe)
            os.close(os.open(pipe, os.O_RDONLY))
            ended = ground.fork_server.wait(pid)
            assert ended.code in (0, 141), ended
            assert "Traceback" not in ended.stderr
            assert place.state() == "new"
            assert place.left() == []
            account.whole += 1


def test_a_table_from_scratch(ground: Ground) -> None:
    """What is forked gives what a run from scratch gives."""
    place = ground.place(Job())
    assert by_hand(place.job.arguments(), place.folder).code == 0
    assert place.state() == "new"
    assert (place.folder / POLICY).exists()
    assert place.table == table()

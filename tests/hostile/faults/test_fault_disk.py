"""The disk fails: full at every write of a run, over its quota, broken, read-only, forbidden."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
from pathlib import Path

import pytest
from fault_harness import JOBS, RELEASE, TABLE, Ground, Job, faults, pairs
from ledger import Account, Ledger, tries

STANDS = "One sentence; the old release, policy, report and bundle stand as they were, and nothing is left aside."
CALLS = {
    "the disk is full at a write of a run, at one after another": ("write", errno.ENOSPC, 2, 60),
    "the quota is used up at a write of a run": ("write", errno.EDQUOT, 1, 15),
    "the disk gives an error at a write of a run": ("write", errno.EIO, 1, 15),
    "the disk gives an error when a file is closed": ("close", errno.EIO, 1, 15),
    "the disk gives an error when a file is flushed": ("sync", errno.EIO, 1, 15),
    "files cannot be moved to their places": ("rename,link", errno.EIO, 2, 15),
    "the file system turns read-only during a run": ("write,open,rename,link,mkdir,unlink", errno.EROFS, 1, 30),
    "permission to write is taken away during a run": ("open,rename,mkdir", errno.EACCES, 1, 15),
}


def spread(count: int, few: int, full: int) -> list[int]:
    """Which of so many calls fail: all of them where there are tries enough, else some from the first to the last."""
    wanted = len(tries(few, full))
    return sorted({1 + round((step + 0.5) * (count - 1) / wanted) for step in range(min(wanted, count))})


def met(ground: Ground, job: Job, account: Account, env: dict[str, str], **more: object) -> None:
    """A run that meets a fault in a folder of its own, and what must stand then."""
    place = ground.place(job)
    ended = ground.fork_server.run(job.arguments(), place.folder, env={**env, "FAULT_UNDER": str(place.folder)}, **more)
    # where files can be neither moved nor removed any more, the next start does it
    lasting = env.get("FAULT_TIMES") == "0"
    state = place.check(ended, swept=not lasting, settled=not lasting)
    if lasting:
        state = place.next_start(ground.fork_server)
    if ended.code == 0:
        account.whole += 1
    else:
        assert state == "old" or lasting
        account.refused += 1
    ground.clear(place)


@pytest.mark.parametrize(("how", "name"), pairs(CALLS))
def test_calls_fail(ground: Ground, ledger: Ledger, how: str, name: str) -> None:
    account = ledger.account("fault", name, STANDS)
    calls, number, few, full = CALLS[name]
    count = ground.count(JOBS[how], calls)
    for turn, at in enumerate(spread(count, few, full)):
        with account.trial():
            times = 0 if number in (errno.EROFS, errno.EACCES) or turn % 3 == 2 else 1
            met(ground, JOBS[how], account, faults(calls, at, errno=number, times=times))


@pytest.mark.parametrize("how", JOBS)
def test_the_input_cannot_be_read(ground: Ground, ledger: Ledger, how: str) -> None:
    account = ledger.account("fault", "the disk gives an error while the table is read", STANDS)
    for at in spread(ground.count(JOBS[how], "read", name=TABLE), 1, 10):
        with account.trial():
            place = ground.place(JOBS[how])
            env = faults("read", at, errno=errno.EIO, under=place.folder / TABLE)
            ended = ground.fork_server.run(place.job.arguments(), place.folder, env=env)
            assert place.check(ended) == "old"
            assert ended.code == 2
            account.refused += 1


@pytest.mark.parametrize("how", JOBS)
def test_files_may_not_grow(ground: Ground, ledger: Ledger, how: str) -> None:
    account = ledger.account("fault", "files may not grow beyond a limit of the system", STANDS)
    largest = max(len(content) for content in ground.states(JOBS[how])[1].values())
    for number in tries(1, 12):
        with account.trial():
            place = ground.place(JOBS[how])
            most = 500 + (largest - 600) * number // 12
            ended = ground.fork_server.run(place.job.arguments(), place.folder, limits={"RLIMIT_FSIZE": most})
            assert place.check(ended) == "old"
            account.refused += 1
            ground.clear(place)


def test_a_small_disk_is_really_full(ground: Ground, ledger: Ledger, tmp_path: Path) -> None:
    """A file system in memory of a few pages, where it may be mounted; the same by the shim where not."""
    account = ledger.account("fault", "a small disk is really full", STANDS)
    disk = tmp_path / "disk"
    disk.mkdir()
    for number in tries(1, 10):
        with account.trial():
            pages = 3 + number // 2  # all outputs need more than ten
            mounted = not subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"size={pages * 4}k", "tmpfs", str(disk)],
                capture_output=True,
                check=False,
            ).returncode
            try:
                (disk / "kept").write_bytes(b"kept")
                place = ground.place(Job())
                arguments = [str(disk / RELEASE) if word == RELEASE else word for word in place.job.arguments()]
                arguments = [str(disk / "out.html") if word == "out.html" else word for word in arguments]
                env = {} if mounted else faults("write", 2 + number, errno=errno.ENOSPC, under=disk)
                ended = ground.fork_server.run(arguments, place.folder, env=env)
                assert place.check(ended) == "old"
                assert ended.code == 2
                assert "no space left" in ended.stderr
                assert os.listdir(disk) == ["kept"]
                account.refused += 1
            finally:
                if mounted:
                    subprocess.run(["umount", str(disk)], check=True)


def test_the_limits_of_this_test_are_those_of_the_runs() -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY

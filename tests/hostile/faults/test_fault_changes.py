"""The world changes during a run: the table, the files about it, the folder of the release, and what stands there."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fault_harness import JOBS, RELEASE, TABLE, CompletedRun, Ground, Job, Place, faults, pairs, table
from ledger import Ledger, tries

CHANGED = "One sentence, or a release of the table as it was read; never one of two tables mixed."


def stopped(ground: Ground, place: Place, arguments: list[str], calls: str, at: int, under: Path) -> int:
    """A run that stands still at a call, as its process id."""
    env = faults(calls, at, under=under, signal=int(signal.SIGSTOP))
    pid = ground.fork_server.start(arguments, place.folder, env=env)
    until = time.monotonic() + 120
    while time.monotonic() < until:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state in "TZ":
            return pid
        time.sleep(0.02)
    raise AssertionError("the run did not come to that call")


def went_on(ground: Ground, pid: int) -> CompletedRun:
    os.kill(pid, signal.SIGCONT)
    return ground.fork_server.wait(pid)


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"Zqname99,33,4400,Zqill777\n")


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(table(seed=2))
    other.replace(path)


def rewrite(path: Path) -> None:
    """Other bytes of the same length, and the old times."""
    before, raw = path.stat(), path.read_bytes()
    path.write_bytes(raw[:-12] + raw[-12:].replace(raw[-3:-1], b"00"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


WAYS: dict[str, Callable[[Path], None]] = {
    "is cut off": cut,
    "grows": grow,
    "is replaced by another": replace,
    "is written over, with the same length and time,": rewrite,
    "is removed": Path.unlink,
}


@pytest.mark.parametrize(("how", "way"), pairs(WAYS))
def test_the_table_changes(ground: Ground, ledger: Ledger, how: str, way: str) -> None:
    account = ledger.account("fault", f"the table {way} while it is read", CHANGED)
    count = ground.count(JOBS[how], "read", name=TABLE)
    for number in tries(1, 6):
        with account.trial():
            place = ground.place(JOBS[how])
            at = max(1, count - 1 - number * count // 8)  # from the last look at it backwards
            pid = stopped(ground, place, place.job.arguments(), "read", at, place.folder / TABLE)
            WAYS[way](place.folder / TABLE)
            changed = (place.folder / TABLE).read_bytes() if (place.folder / TABLE).exists() else None
            ended = went_on(ground, pid)
            if changed is None:
                assert not (place.folder / TABLE).exists()
            else:
                assert (place.folder / TABLE).read_bytes() == changed
            if ended.code == 0:  # it changed when all of it was read, or before the run had really begun to read it
                created = {name: (place.folder / name).read_bytes() for name in place.job.outputs}
                if created != place.new:
                    assert changed is not None
                    place.table = changed
                place.check_new()
                account.whole += 1
            else:
                (place.folder / TABLE).write_bytes(place.table)
                assert place.check(ended) == "old"
                account.refused += 1
            ground.clear(place)


def test_a_parquet_file_is_cut_off(ground: Ground, ledger: Ledger) -> None:
    """Libraries map such files into memory, and a process that looks beyond the end is killed."""
    import polars as pl

    account = ledger.account("fault", "a Parquet file is cut off while it is read", CHANGED)
    for number in tries(1, 6):
        with account.trial():
            place = ground.place(Job())
            source = place.folder / "people.parquet"
            pl.read_csv(place.folder / TABLE).write_parquet(source)
            place.others = (source.name,)
            arguments = [source.name if word == TABLE else word for word in place.job.arguments()]
            pid = stopped(ground, place, arguments, "read", 1 + number % 3, source)
            cut(source)
            ended = went_on(ground, pid)
            assert ended.code == 2
            assert place.check(ended) == "old"
            account.refused += 1
            ground.clear(place)


@pytest.mark.parametrize("what", ["hierarchy", "policy"])
def test_files_about_the_table_change(ground: Ground, ledger: Ledger, what: str) -> None:
    name = f"the {what} changes during a run"
    account = ledger.account("fault", name, "The release is one by the file as it was read, or there is one sentence.")
    for _ in tries(1, 4):
        with account.trial():
            place = ground.place(Job())
            tree = place.folder / "tree.csv"
            ages = "".join(f"{age};{age // 10 * 10};{age // 30 * 30 + 500};*\n" for age in range(18, 91))
            tree.write_text(ages)
            if what == "hierarchy":
                arguments = [
                    "anonymize",
                    TABLE,
                    "-k",
                    "4",
                    "-q",
                    "age",
                    "--identifiers",
                    "person,illness",
                    "--hierarchy",
                ]
                arguments += ["age=tree.csv", "--method", "mondrian", "--quiet", "-o", "other.csv"]
                under = tree
            else:
                under = place.folder / "given.toml"
                shutil.copy(place.folder / f"{RELEASE}.policy.toml", under)
                arguments = ["anonymize", TABLE, "--policy", under.name, "--quiet", "-o", "other.csv"]
            pid = stopped(ground, place, arguments, "close", 1, under)
            under.write_text(under.read_text().replace("9", "8"))
            ended = went_on(ground, pid)
            assert "Traceback" not in ended.stderr
            assert ended.code in (0, 2), ended
            created = (place.folder / "other.csv").exists()
            assert created is (ended.code == 0)
            assert created is (place.folder / "other.csv.policy.toml").exists()
            assert [left for left in place.left() if left.startswith(".")] == []
            account.whole += created
            account.refused += not created
            ground.clear(place)


@pytest.mark.parametrize(("how", "fate"), pairs(["removed", "moved", "replaced"]))
def test_the_folder_of_the_release_goes_away(ground: Ground, ledger: Ledger, how: str, fate: str) -> None:
    name = f"the folder of the release is {fate} during a run"
    account = ledger.account("fault", name, "One sentence; nothing appears elsewhere, and the next start sweeps.")
    for number in tries(1, 6):
        with account.trial():
            place = ground.place(JOBS[how])
            target = place.folder / "there"
            target.mkdir()
            arguments = place.job.arguments(release="there/out.csv")
            pid = stopped(ground, place, arguments, "open", 1 + number, target)
            moved = place.folder / "elsewhere"
            if fate == "removed":
                shutil.rmtree(target)
            else:
                target.rename(moved)
                if fate == "replaced":
                    target.mkdir()
            ended = went_on(ground, pid)
            place.others = ("there", "elsewhere")
            assert place.state() == "old"
            if ended.code == 0:
                assert fate == "replaced"
                assert place.left() == []
                assert sorted(os.listdir(target)) == ["out.csv", "out.csv.policy.toml"]
                account.whole += 1
            else:
                assert place.check(ended) == "old"
                assert not target.exists() or os.listdir(target) == []
                account.refused += 1
            if moved.exists():
                again = place.job.arguments(release="elsewhere/out.csv")
                assert ground.fork_server.run(again, place.folder).code == 0
                assert sorted(os.listdir(moved)) == ["out.csv", "out.csv.policy.toml"]
            ground.clear(place)


@pytest.mark.parametrize(("how", "thing"), pairs(["file", "link"]))
def test_something_appears_at_the_place_of_the_release(ground: Ground, ledger: Ledger, how: str, thing: str) -> None:
    name = f"a {thing} appears at the place of an output during a run"
    account = ledger.account(
        "fault", name, "One sentence; what appeared stands untouched, and no other output appears."
    )
    for number in tries(1, 8):
        with account.trial():
            place = ground.place(JOBS[how], released=False)
            pid = stopped(ground, place, place.job.arguments(force=False), "link", 1, place.folder)
            theirs = place.folder / place.job.outputs[number % len(place.job.outputs)]
            if thing == "file":
                theirs.write_bytes(b"theirs")
            else:
                theirs.symlink_to("nowhere")
            ended = went_on(ground, pid)
            assert ended.code == 2
            assert "exists" in ended.stderr
            if thing == "file":
                assert theirs.read_bytes() == b"theirs"
            else:
                assert theirs.readlink() == Path("nowhere")
            theirs.unlink()
            assert place.check(ended) == "old"
            account.refused += 1
            ground.clear(place)

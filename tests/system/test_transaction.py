"""Files appear together or not at all, and what a killed run had begun is finished."""

from __future__ import annotations

import hashlib
import json
import os
import signal
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.errors import OutputError
from shoal.system import transaction
from shoal.system.atomic import text_sha256
from shoal.system.transaction import FileTransaction, recover


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(folder: Path, *, force: bool, text: str = "new") -> None:
    with FileTransaction(force=force) as files:
        for name in ("release", "policy", "report"):
            files.add(folder / name).write_text(text)
        files.commit()


@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize("fails", [1, 2, 3])
def test_a_move_that_fails_takes_all_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, force: bool, fails: int
) -> None:
    if force:
        write(tmp_path, force=False, text="old")
    before, real, moved = names(tmp_path), transaction.move, []

    def move(hidden: Path, path: Path, *, force: bool) -> None:
        moved.append(path)
        if len(moved) == fails:
            raise OSError(5, "Input/output error")
        real(hidden, path, force=force)

    monkeypatch.setattr(transaction, "move", move)
    with pytest.raises(OutputError, match="input/output error"):
        write(tmp_path, force=force)
    assert names(tmp_path) == before
    assert all((tmp_path / name).read_text() == "old" for name in before)


class Killed(BaseException):
    """A process that ends here: nothing is cleared up."""


@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize("fails", [1, 2, 3])
def test_what_a_killed_run_had_begun_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, force: bool, fails: int
) -> None:
    if force:
        write(tmp_path, force=False, text="old")
    real, moved = transaction.move, []

    def move(hidden: Path, path: Path, *, force: bool) -> None:
        moved.append(path)
        if len(moved) == fails:
            raise Killed
        real(hidden, path, force=force)

    with monkeypatch.context() as patch:
        patch.setattr(transaction, "move", move)
        patch.setattr(transaction, "_roll_back", lambda _: False)
        with pytest.raises(Killed):
            write(tmp_path, force=force)
    assert len(names(tmp_path)) > 3
    recover(tmp_path)
    assert names(tmp_path) == ["policy", "release", "report"]
    assert {(tmp_path / name).read_text() for name in names(tmp_path)} == {"new"}


def test_a_living_run_is_left_alone(tmp_path: Path) -> None:
    with FileTransaction(force=False) as files:
        part = files.add(tmp_path / "release").hidden
        recover(tmp_path)
        assert part.exists()
        part.write_text("new")
        files.commit()
    assert names(tmp_path) == ["release"]


def test_a_journal_that_tells_of_other_files_moves_nothing(tmp_path: Path) -> None:
    name = ".shoal-" + "0" * 16
    (tmp_path / "precious").write_text("old")
    (tmp_path / "evil").write_text("new")
    journal = tmp_path / f"{name}{transaction.JOURNAL_SUFFIX}"
    paths = [str(tmp_path / "evil"), str(tmp_path / "precious"), str(tmp_path / f"{name}-0.before")]
    facts = json.dumps({"moves": [[*paths, True, 0, 0]], "journals": [str(journal)], "force": True})
    journal.write_text(json.dumps({"facts": facts, "sum": text_sha256(facts)}))
    recover(tmp_path)
    assert names(tmp_path) == ["evil", "precious"]
    assert (tmp_path / "precious").read_text() == "old"


def test_what_is_not_ours_is_not_swept(tmp_path: Path) -> None:
    (tmp_path / ".shoal-notes.csv").write_text("mine")
    (tmp_path / (".shoal-" + "0" * 16 + ".csv")).symlink_to(tmp_path / ".shoal-notes.csv")
    recover(tmp_path)
    assert len(os.listdir(tmp_path)) == 2


def test_a_journal_of_version_0_1_0_is_finished(tmp_path: Path) -> None:
    """It lists the release before its policy, in the folder of each; the policy is still to be moved."""
    name = ".shoal-" + "3" * 16
    (tmp_path / "out.csv").write_text("new")
    (tmp_path / f"{name}-1.csv").hardlink_to(tmp_path / "out.csv")
    (tmp_path / f"{name}-1.before").write_text("old")
    (tmp_path / f"{name}-0.toml").write_text("new")
    (tmp_path / "out.csv.policy.toml").write_text("old")
    journal = tmp_path / f"{name}.shoal-moves"
    moves = []
    for hidden, place in ((f"{name}-1.csv", "out.csv"), (f"{name}-0.toml", "out.csv.policy.toml")):
        before, stat = hidden.split(".csv")[0].split(".toml")[0] + ".before", (tmp_path / hidden).stat()
        moves.append([*(str(tmp_path / one) for one in (hidden, place, before)), True, stat.st_dev, stat.st_ino])
    facts = json.dumps({"force": True, "journals": [str(journal)], "moves": moves}, sort_keys=True)
    journal.write_text(json.dumps({"facts": facts, "sum": hashlib.sha256(facts.encode()).hexdigest()}))
    recover(tmp_path)
    assert names(tmp_path) == ["out.csv", "out.csv.policy.toml"]
    assert {(tmp_path / one).read_text() for one in names(tmp_path)} == {"new"}


class Remote:
    """An output of another storage that records what happens to it."""

    def __init__(self, steps: list[str], name: str, *, fails: str = "") -> None:
        self.hidden, self.place, self.steps, self.fails = f"far:/hidden/{name}", f"far:/{name}", steps, fails

    def _step(self, what: str) -> None:
        self.steps.append(f"{what} {self.place}")
        if what == self.fails:
            raise OutputError.unwritable(self.hidden, "a fault")

    def write_text(self, _: str) -> None:
        self._step("write")

    def flush(self) -> None:
        self._step("flush")

    def back_up(self) -> None:
        self._step("back up")

    def move(self) -> None:
        self._step("move")

    def roll_back(self) -> None:
        self._step("roll back")

    def clean_up(self) -> None:
        self._step("clean up")


def commit_with_remote(folder: Path, *, fails: str = "") -> list[str]:
    """Commit a local report with a release and a policy elsewhere; return the steps there."""
    steps: list[str] = []
    try:
        with FileTransaction(force=True) as files:
            files.add_remote(Remote(steps, "release"))
            files.add_remote(Remote(steps, "policy", fails=fails))
            files.add(folder / "report").write_text("new")
            files.commit()
    except OutputError as error:
        steps.append(error.fact)
    return steps


def test_other_storages_are_moved_first_and_backed_up_in_reverse(tmp_path: Path) -> None:
    steps = commit_with_remote(tmp_path)
    assert steps == [f"{what} far:/{name}" for what, name in STEPS]
    assert names(tmp_path) == ["report"]


STEPS = [
    *(("flush", "release"), ("flush", "policy"), ("back up", "policy"), ("back up", "release")),
    *(("move", "release"), ("move", "policy"), ("clean up", "release"), ("clean up", "policy")),
]


def test_no_local_file_appears_where_another_storage_fails(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("old")
    steps = commit_with_remote(tmp_path, fails="move")
    assert steps[-3:-1] == ["roll back far:/policy", "roll back far:/release"]
    assert steps[-1] == "'far:/policy' cannot be written (a fault)"
    assert names(tmp_path) == ["report"]
    assert (tmp_path / "report").read_text() == "old"


def test_other_storages_are_rolled_back_where_a_local_file_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(transaction, "move", full)
    steps = commit_with_remote(tmp_path)
    assert steps[-3:-1] == ["roll back far:/policy", "roll back far:/release"]
    assert "no space left" in steps[-1]
    assert names(tmp_path) == []


def test_a_system_error_without_a_local_file_is_not_about_one() -> None:
    def lose_connection() -> None:
        with FileTransaction(force=True) as files:
            files.add_remote(Remote([], "release"))
            raise ConnectionRefusedError

    with pytest.raises(ConnectionRefusedError):
        lose_connection()


def test_where_a_backup_cannot_be_restored_the_user_reads_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(self: Remote) -> None:
        raise OutputError.not_restored(self.place, "far:/kept")

    monkeypatch.setattr(Remote, "roll_back", failing)
    steps = commit_with_remote(tmp_path, fails="move")
    assert "what was there before could not be moved back" in steps[-1]


def test_a_stop_during_the_commit_waits_for_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = transaction.move

    def move(hidden: Path, path: Path, *, force: bool) -> None:
        signal.raise_signal(signal.SIGINT)
        real(hidden, path, force=force)

    monkeypatch.setattr(transaction, "move", move)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, force=False)
    assert names(tmp_path) == ["policy", "release", "report"]


def test_a_policy_is_moved_after_its_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, moved = transaction.move, []

    def move(hidden: Path, path: Path, *, force: bool) -> None:
        moved.append(path.name)
        real(hidden, path, force=force)

    monkeypatch.setattr(transaction, "move", move)
    shoal.anonymize(pl.DataFrame({"age": [1, 2, 3, 4]}), k=2, quasi_identifiers="age").save(tmp_path / "out.csv")
    assert moved == ["out.csv", "out.csv.policy.toml"]

"""Files appear together or not at all, and what a killed run had begun is finished."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from shoal.errors import OutputError
from shoal.system import transaction
from shoal.system.atomic import text_sha256
from shoal.system.transaction import FileTransaction, recover


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(folder: Path, *, force: bool, text: str = "new") -> None:
    with FileTransaction(force=force) as files:
        for name in ("policy", "release", "report"):
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
        patch.setattr(transaction, "_back", lambda _: False)
        with pytest.raises(Killed):
            write(tmp_path, force=force)
    assert len(names(tmp_path)) > 3
    recover(tmp_path)
    assert names(tmp_path) == ["policy", "release", "report"]
    assert {(tmp_path / name).read_text() for name in names(tmp_path)} == {"new"}


def test_a_living_run_is_left_alone(tmp_path: Path) -> None:
    with FileTransaction(force=False) as files:
        part = files.add(tmp_path / "release")
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

"""Scratch folders are private, locked and removed; notes survive an interrupt."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from shoal.errors import OutputError
from shoal.system.scratch import ScratchFolder, hash_facts, scratch_path, temporary_folder


def test_is_private_and_gone_at_the_end(tmp_path: Path) -> None:
    folder = scratch_path(tmp_path / "out.csv")
    with ScratchFolder(folder) as scratch:
        scratch.write_note("some", {"a": 1})
        (scratch.subfolder("inner") / "file").write_text("x")
        assert folder.stat().st_mode & 0o777 == 0o700
        assert scratch.read_note("some") == {"a": 1}
    assert not folder.exists()


def test_is_gone_after_an_error_and_stays_after_an_interrupt(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with pytest.raises(ValueError, match="broken"), ScratchFolder(folder):
        raise ValueError("broken")
    assert not folder.exists()
    with pytest.raises(KeyboardInterrupt), ScratchFolder(folder) as scratch:
        _noted(scratch)
    with ScratchFolder(folder) as again:
        assert again.read_note("some") == {"a": 1}
        again.remove("some")
        assert again.read_note("some") is None
    assert not folder.exists()


def _noted(scratch: ScratchFolder) -> None:
    scratch.write_note("some", {"a": 1})
    raise KeyboardInterrupt


def test_one_run_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with ScratchFolder(folder), pytest.raises(OutputError, match="Another run writes"), ScratchFolder(folder):
        pass


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "theirs").write_text("precious")
    with pytest.raises(OutputError, match="holds something else"), ScratchFolder(folder):
        pass
    assert (folder / "theirs").read_text() == "precious"


@pytest.mark.parametrize("damage", ["", "{", '{"facts": "{}", "sum": "0"}', "[]", '{"facts": 1}'])
def test_damaged_notes_are_none(tmp_path: Path, damage: str) -> None:
    with ScratchFolder(tmp_path / "s") as scratch:
        scratch.write_note("some", {"a": 1})
        (scratch.folder / "some.json").write_text(damage)
        assert scratch.read_note("some") is None


def test_a_fingerprint_tells_facts_apart() -> None:
    assert hash_facts({"a": 1, "b": 2}) == hash_facts({"b": 2, "a": 1})
    assert hash_facts({"a": 1}) != hash_facts({"a": 2})


def test_a_temporary_folder_removes_those_of_killed_processes_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    number = "0123456789abcdef"
    for name in (f"shoal-scratch-{number}", f"start-{number}", "shoal-scratch-photos", f"shoal-{number}"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    with temporary_folder() as living, temporary_folder() as other:
        assert living.is_dir()
        assert other.stat().st_mode & 0o777 == 0o700
        left = {path.name for path in tmp_path.iterdir()} - {living.name, other.name}
    assert left == {f"start-{number}", "shoal-scratch-photos", f"shoal-{number}"}
    assert {path.name for path in tmp_path.iterdir()} == left


def test_an_interrupt_removes_a_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(KeyboardInterrupt), temporary_folder():
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())

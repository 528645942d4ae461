"""The scratch folder: private, locked, noted, removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.engines.scratch import Scratch, fingerprint, scratch_path
from shoal.errors import OutputError


def test_is_private_and_gone_at_the_end(tmp_path: Path) -> None:
    folder = scratch_path(tmp_path / "out.csv")
    with Scratch(folder) as scratch:
        scratch.note("some", {"a": 1})
        (scratch.place("inner") / "file").write_text("x")
        assert folder.stat().st_mode & 0o777 == 0o700
        assert scratch.noted("some") == {"a": 1}
    assert not folder.exists()


def test_is_gone_after_an_error_and_stays_after_an_interrupt(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with pytest.raises(ValueError, match="broken"), Scratch(folder):
        raise ValueError("broken")
    assert not folder.exists()
    with pytest.raises(KeyboardInterrupt), Scratch(folder) as scratch:
        _noted(scratch)
    with Scratch(folder) as again:
        assert again.noted("some") == {"a": 1}
        again.forget("some")
        assert again.noted("some") is None
    assert not folder.exists()


def _noted(scratch: Scratch) -> None:
    scratch.note("some", {"a": 1})
    raise KeyboardInterrupt


def test_one_run_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with Scratch(folder), pytest.raises(OutputError, match="Another run is at work"), Scratch(folder):
        pass


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "theirs").write_text("precious")
    with pytest.raises(OutputError, match="holds something else"), Scratch(folder):
        pass
    assert (folder / "theirs").read_text() == "precious"


@pytest.mark.parametrize("damage", ["", "{", '{"facts": "{}", "sum": "0"}', "[]", '{"facts": 1}'])
def test_damaged_notes_are_none(tmp_path: Path, damage: str) -> None:
    with Scratch(tmp_path / "s") as scratch:
        scratch.note("some", {"a": 1})
        (scratch.folder / "some.json").write_text(damage)
        assert scratch.noted("some") is None


def test_a_fingerprint_tells_facts_apart() -> None:
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})

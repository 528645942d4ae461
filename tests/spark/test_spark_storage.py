"""How a release of a cluster appears: whole or not at all, and what it replaces is never lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal import cluster
from shoal.engines.spark.storage import Storage
from shoal.errors import FileError, OutputError


@pytest.fixture
def storage(spark: Any) -> Storage:
    return Storage(spark)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An old release with its policy, and a new one that is written aside."""
    for name in ("out", "scratch/out"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "part-0").write_text(name)
        (tmp_path / name / "_SUCCESS").touch()
    (tmp_path / "out.policy.toml").write_text("old")
    (tmp_path / "scratch" / "policy").write_text("new")
    return tmp_path


def appear(storage: Storage, folder: Path, *, force: bool = True) -> None:
    cluster._appear(storage, f"{folder}/scratch/out", f"{folder}/scratch/policy", f"file:{folder}/out", force=force)


def found(folder: Path) -> tuple[str, str, list[str]]:
    names = sorted(path.name for path in folder.iterdir())
    return (folder / "out" / "part-0").read_text(), (folder / "out.policy.toml").read_text(), names


def test_a_release_and_its_policy_take_the_place_of_others(storage: Storage, folder: Path) -> None:
    appear(storage, folder)
    assert found(folder) == ("scratch/out", "new", ["out", "out.policy.toml", "scratch"])


@pytest.mark.parametrize("passes", range(4))
def test_what_was_there_comes_back_where_a_move_fails(
    storage: Storage, folder: Path, monkeypatch: pytest.MonkeyPatch, passes: int
) -> None:
    moves = []
    move = Storage.move

    def failing(self: Storage, old: str, new: str) -> None:
        moves.append(new)
        if len(moves) == passes + 1:
            raise OutputError.unwritable(new, "a fault")
        move(self, old, new)

    monkeypatch.setattr(Storage, "move", failing)
    with pytest.raises(OutputError, match="a fault"):
        appear(storage, folder)
    assert found(folder) == ("out", "old", ["out", "out.policy.toml", "scratch"])


def test_nothing_is_replaced_unless_asked(storage: Storage, folder: Path) -> None:
    with pytest.raises(OutputError, match="exists"):
        appear(storage, folder, force=False)
    assert found(folder)[:2] == ("out", "old")


def test_a_store_that_moves_file_by_file_gets_its_mark_last(
    storage: Storage, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    move = Storage.move

    def watched(self: Storage, old: str, new: str) -> None:
        move(self, old, new)
        seen.append((Path(new).name, (folder / "out" / "_SUCCESS").exists()))

    monkeypatch.setattr(Storage, "move", watched)
    monkeypatch.setattr(Storage, "moves_at_once", lambda *_: False)
    appear(storage, folder)
    assert seen[-2:] == [("out", False), ("out.policy.toml", True)]


def test_an_input_that_changes_meanwhile_is_noticed(spark: Any, tmp_path: Path) -> None:
    import os

    import shoal
    from shoal.engines.spark.source import open_source

    path = tmp_path / "in.parquet"
    shoal.example_register(300).write_parquet(path)
    source = open_source(spark, str(path))
    source.check()
    os.utime(path, (1, 1))
    with pytest.raises(FileError, match="changed"):
        source.check()


def test_what_cannot_be_written_is_told_without_a_trace(storage: Storage, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="cannot be written"):
        storage.make_folder(f"{tmp_path}/file/folder")
    with pytest.raises(OutputError, match="cannot be written"):
        storage.write(f"{tmp_path}/file", "y")
    assert (tmp_path / "file").read_text() == "x"

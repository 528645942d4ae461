"""A Spark release appears completely or not at all, and replaced outputs are never lost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.engines.spark.engine import SparkEngine
from shoal.engines.spark.storage import HadoopStorage
from shoal.errors import EngineError, FileError, OutputError, PromiseError
from shoal.system.transaction import FileTransaction


@pytest.fixture
def storage(spark: Any) -> HadoopStorage:
    return HadoopStorage(spark)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with an old release and its policy, and a new release in a scratch folder."""
    for name in ("out", "scratch/released"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "part-0").write_text(name)
        (tmp_path / name / "_SUCCESS").touch()
    (tmp_path / "out.policy.toml").write_text("old")
    (tmp_path / "scratch" / "policy").write_text("new")
    return tmp_path


def publish(storage: HadoopStorage, folder: Path, *, force: bool = True) -> None:
    with FileTransaction(force=force) as files:
        for output in storage.release_outputs(f"{folder}/scratch", f"file:{folder}/out", force=force):
            files.add_remote(output)
        files.commit()


def found(folder: Path) -> tuple[str, str, list[str]]:
    names = sorted(path.name for path in folder.iterdir())
    return (folder / "out" / "part-0").read_text(), (folder / "out.policy.toml").read_text(), names


def test_a_release_and_its_policy_take_the_place_of_others(storage: HadoopStorage, folder: Path) -> None:
    publish(storage, folder)
    assert found(folder) == ("scratch/released", "new", ["out", "out.policy.toml", "scratch"])


@pytest.mark.parametrize("passes", range(4))
def test_what_was_there_comes_back_where_a_move_fails(
    storage: HadoopStorage, folder: Path, monkeypatch: pytest.MonkeyPatch, passes: int
) -> None:
    moves = []
    move = HadoopStorage.move

    def failing(self: HadoopStorage, old: str, new: str) -> None:
        moves.append(new)
        if len(moves) == passes + 1:
            raise OutputError.unwritable(new, "a fault")
        move(self, old, new)

    monkeypatch.setattr(HadoopStorage, "move", failing)
    with pytest.raises(OutputError, match="a fault"):
        publish(storage, folder)
    assert found(folder) == ("out", "old", ["out", "out.policy.toml", "scratch"])


def test_nothing_is_replaced_unless_asked(storage: HadoopStorage, folder: Path) -> None:
    with pytest.raises(OutputError, match="exists"):
        publish(storage, folder, force=False)
    assert found(folder)[:2] == ("out", "old")


def test_a_store_that_moves_file_by_file_gets_its_mark_last(
    storage: HadoopStorage, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    move = HadoopStorage.move

    def watched(self: HadoopStorage, old: str, new: str) -> None:
        move(self, old, new)
        seen.append((Path(new).name, (folder / "out" / "_SUCCESS").exists()))

    monkeypatch.setattr(HadoopStorage, "move", watched)
    monkeypatch.setattr(HadoopStorage, "has_atomic_rename", lambda *_: False)
    publish(storage, folder)
    assert seen[-2:] == [("out", False), ("out.policy.toml", True)]


def test_the_folder_is_named_where_what_was_there_cannot_come_back(
    storage: HadoopStorage, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = []
    move = HadoopStorage.move

    def failing(self: HadoopStorage, old: str, new: str) -> None:
        moves.append(new)
        if len(moves) > 2:  # the new release does not arrive, and then nothing moves any more
            raise OutputError.unwritable(new, "a fault")
        move(self, old, new)

    monkeypatch.setattr(HadoopStorage, "move", failing)
    with pytest.raises(OutputError, match=r"\.shoal-old-") as caught:
        publish(storage, folder)
    (kept,) = folder.glob(".shoal-old-*")
    assert kept.name in str(caught.value)
    assert (kept / "out" / "part-0").read_text() == "out"
    assert (kept / "out.policy.toml").read_text() == "old"


OPTIONS: dict[str, Any] = {
    "k": 4,
    "quasi_identifiers": ["height_cm"],
    "identifiers": ["person_id", "name"],
    "method": "hm",
}


@pytest.fixture
def register(tmp_path: Path) -> Path:
    path = tmp_path / "register"
    path.mkdir()
    shoal.example_register(300).write_parquet(path / "a [1] ü.parquet")
    return path


def test_an_input_that_changes_meanwhile_is_not_released(
    spark: Any, register: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver = SparkEngine.write

    def changing(self: SparkEngine, *given: Any, **named: Any) -> Any:
        os.utime(next(register.iterdir()), (1, 1))
        return deliver(self, *given, **named)

    monkeypatch.setattr(SparkEngine, "write", changing)
    with pytest.raises(FileError, match="changed"):
        shoal.anonymize_file(register, tmp_path / "out", engine="spark", **OPTIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["register"]


def test_a_record_that_a_worker_lost_is_missed(
    spark: Any, register: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another record occurs twice, so that the count is right."""
    from shoal.engines.spark import engine

    read = engine.read_parquet

    def losing(session: Any, folder: str, *given: Any) -> Any:
        found = read(session, folder, *given)
        return found.selectExpr("if(row = 7, 8, row) as row", "* except (row)") if folder.endswith("/output") else found

    monkeypatch.setattr(engine, "read_parquet", losing)
    with pytest.raises(PromiseError, match="occur twice"):
        shoal.anonymize_file(register, tmp_path / "out", engine="spark", **OPTIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["register"]


def test_the_input_is_never_replaced(spark: Any, register: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in register.iterdir()}
    (tmp_path / "link").symlink_to(register)
    for source, target in [
        (register, register),
        (tmp_path / "link", register),
        (tmp_path / "reg*", register),
        (register, register / "out"),
    ]:
        with pytest.raises(OutputError, match="input"):
            shoal.anonymize_file(source, target, engine="spark", force=True, **OPTIONS)
    assert {path.name: path.read_bytes() for path in register.iterdir()} == before


def test_no_file_of_a_folder_is_left_out_in_silence(spark: Any, register: Path, tmp_path: Path) -> None:
    (register / "older").mkdir()
    shoal.example_register(50).write_parquet(register / "older" / "b.parquet")
    with pytest.raises(EngineError, match="1 file"):
        shoal.anonymize_file(register, tmp_path / "out", engine="spark", **OPTIONS)


def test_folders_that_are_named_after_a_value(spark: Any, tmp_path: Path) -> None:
    """Files and releases may have any name."""
    for code in ("01", "02"):
        (tmp_path / "register" / f"ward={code}").mkdir(parents=True)
        path = tmp_path / "register" / f"ward={code}" / "a [1] ü.parquet"
        shoal.example_register(200, seed=int(code)).write_parquet(path)
    name = "a [1] {b} * ünïcode %20"
    more: dict[str, Any] = {"sensitive": ["diagnosis"], "l": 2}
    made = shoal.anonymize_file(tmp_path / "register", tmp_path / name, engine="spark", **OPTIONS, **more)
    assert made.verification.ok
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["register", name, f"{name}.policy.toml"])
    parts = sorted((tmp_path / name).glob("[!_.]*"))
    assert {path.suffix for path in parts} == {".parquet"}
    found = pl.concat([pl.read_parquet(path, glob=False) for path in parts]).group_by("ward").len()
    assert sorted(found.rows()) == [("01", 200), ("02", 200)]


def test_what_cannot_be_written_is_told_without_a_trace(storage: HadoopStorage, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="cannot be written"):
        storage.make_folder(f"{tmp_path}/file/folder")
    with pytest.raises(OutputError, match="cannot be written"):
        storage.write(f"{tmp_path}/file", "y")
    assert (tmp_path / "file").read_text() == "x"

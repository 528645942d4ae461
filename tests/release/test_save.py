"""A release is saved with its policy and further files: all of them, or none."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import OutputError
from shoal.release.save import SavedRelease

OPTIONS: dict[str, Any] = {"k": 3, "quasi_identifiers": "age", "method": "mondrian"}
OUTPUTS = ["out.csv", "out.csv.policy.toml", "report.txt"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    pl.DataFrame({"age": [20, 21, 22, 30, 31, 32, 33] * 30}).write_csv(path)
    return path


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "in.csv"}


def save(source: Path, how: str, report: Any, *, force: bool = False) -> None:
    target, extra = source.parent / "out.csv", {source.parent / "report.txt": report}
    if how == "memory":
        shoal.anonymize(source, **OPTIONS).save(target, force=force, extra_files=lambda _: extra)
    else:
        shoal.anonymize_file(source, target, force=force, extra_files=lambda _: extra, **OPTIONS)


@pytest.mark.parametrize("how", ["memory", "pieces"])
def test_the_policy_has_the_facts_about_the_file(source: Path, how: str) -> None:
    save(source, how, "a report")
    found = state(source.parent)
    assert sorted(found) == OUTPUTS
    output = tomllib.loads(found["out.csv.policy.toml"].decode())["output"]
    assert list(output) == ["file", "records", "classes", "min_class", "sha256"]
    assert (output["file"], output["records"]) == ("out.csv", 210)
    assert output["sha256"] == hashlib.sha256(found["out.csv"]).hexdigest()


@pytest.mark.parametrize("how", ["memory", "pieces"])
@pytest.mark.parametrize("force", [True, False])
def test_nothing_appears_where_a_further_file_cannot_be_written(source: Path, how: str, force: bool) -> None:
    if force:
        save(source, how, "the old report")
    before = state(source.parent)

    def full(_: SavedRelease, place: Path) -> None:
        place.write_text("half a report")
        raise OSError(28, "No space left on device", str(place))

    with pytest.raises(OutputError, match=r"report\.txt' cannot be written \(no space left on device\)") as caught:
        save(source, how, full, force=force)
    assert ".shoal-" not in str(caught.value)
    assert state(source.parent) == before


def test_a_writer_gets_the_verified_file_with_its_policy(source: Path) -> None:
    def write(saved: SavedRelease, place: Path) -> None:
        assert saved.proof.ok
        assert saved.policy.output["sha256"] == hashlib.sha256(saved.path.read_bytes()).hexdigest()
        assert not (source.parent / "out.csv").exists()
        place.write_text("written")

    save(source, "memory", write)
    assert state(source.parent)["report.txt"] == b"written"

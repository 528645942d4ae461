"""Bundles of releases that were made out of core: written, verified, repeated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal as package
from shoal.engines import memory_budget

ROLES = ["-q", "age,height_cm", "--identifiers", "person_id,name", "--drop-others", "--sensitive", "diagnosis"]
OPTIONS = ["-k", "4", "-l", "2", "--strata", "sex", "--method", "mdav", "--memory", "1GB", *ROLES]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: 200)


@pytest.fixture
def released(shoal: Any, tmp_path: Path) -> Path:
    """A folder with a table, its release, report and bundle."""
    package.example_register(900).write_csv(tmp_path / "people.csv")
    files = ["--bundle", tmp_path / "out.zip", "--report", tmp_path / "out.html"]
    run = shoal("anonymize", tmp_path / "people.csv", *OPTIONS, "-o", tmp_path / "out.csv", *files)
    assert run.code == 0, run.err
    return tmp_path


def test_the_bundle_is_verified_by_its_own_files(released: Path) -> None:
    result = package.verify_bundle(released / "out.zip")
    assert result.ok
    assert not result.undecided
    assert result.verification is not None
    assert result.verification.min_class >= 4
    assert [check.model for check in result.verification.models] == ["distinct-l(2)"]
    assert (released / "out.html").stat().st_size > 10_000


def test_its_counts_are_those_of_the_release(released: Path) -> None:
    frame = pl.read_csv(released / "out.csv")
    counts = package.verify_bundle(released / "out.zip").verification
    assert counts is not None
    assert counts.classes == frame.select("age", "height_cm").n_unique()
    assert counts.min_class == frame.group_by("age", "height_cm", "sex").len()["len"].min()


@pytest.mark.parametrize("source", ["out.zip", "out.csv.policy.toml"])
def test_it_is_repeated_in_parts_with_the_same_bytes(shoal: Any, released: Path, source: str) -> None:
    inputs = ["--input", released / "people.csv", "-o", released / "again.csv"]
    run = shoal("replay", released / source, *inputs, "--json")
    assert json.loads(run.out)["replay"] == "identical"
    assert (released / "again.csv").read_bytes() == (released / "out.csv").read_bytes()


def test_in_memory_its_policy_makes_groups_of_the_whole_table(released: Path) -> None:
    release = package.replay(released / "people.csv", policy=released / "out.csv.policy.toml")
    assert release.policy.pieces is None
    release.save(released / "whole.csv")
    assert package.verify(released / "whole.csv", k=4, quasi_identifiers=["age", "height_cm"], strata="sex").ok


def test_spark_writes_no_bundle(shoal: Any, tmp_path: Path) -> None:
    package.example_register(100).write_parquet(tmp_path / "in.parquet")
    outputs = ["-o", tmp_path / "out", "--engine", "spark", "--bundle", tmp_path / "out.zip"]
    run = shoal("anonymize", tmp_path / "in.parquet", "-k", 3, *ROLES, *outputs)
    assert run.code == 2
    assert "A bundle holds one file of a release" in run.err
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]

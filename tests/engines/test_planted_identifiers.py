"""Every interface refuses or warns about planted names, addresses and personal numbers."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given

import shoal
from naive.planted import Planted, Release, check, planted, plantings
from shoal.cli.main import shoal as command_line
from shoal.engines import memory_budget
from shoal.errors import ColumnError, ShoalWarning

OPTIONS: dict[str, Any] = {"k": 3, "quasi_identifiers": ["age"], "method": "mondrian"}


def _frame(frame: pl.DataFrame, _: Path, roles: dict[str, Any]) -> pl.DataFrame:
    return shoal.anonymize(frame, **OPTIONS, **roles).table


def _pandas(frame: pl.DataFrame, _: Path, roles: dict[str, Any]) -> pl.DataFrame:
    return pl.from_pandas(shoal.anonymize(frame.to_pandas(), **OPTIONS, **roles).table)


def _arrow(frame: pl.DataFrame, _: Path, roles: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(shoal.anonymize(frame.to_arrow(), **OPTIONS, **roles).table)


def _file(frame: pl.DataFrame, folder: Path, roles: dict[str, Any]) -> pl.DataFrame:
    frame.write_csv(folder / "in.csv")
    shoal.anonymize(folder / "in.csv", **OPTIONS, **roles).save(folder / "out.csv")
    return pl.read_csv(folder / "out.csv", infer_schema=False)


def _pieces(frame: pl.DataFrame, folder: Path, roles: dict[str, Any]) -> pl.DataFrame:
    frame.write_parquet(folder / "in.parquet")
    shoal.anonymize_file(folder / "in.parquet", folder / "out.parquet", **OPTIONS, **roles)
    return pl.read_parquet(folder / "out.parquet")


def _command(frame: pl.DataFrame, folder: Path, roles: dict[str, Any], *more: str) -> pl.DataFrame:
    frame.write_csv(folder / "in.csv")
    options = [f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}") for name, value in roles.items()]
    given = ["anonymize", str(folder / "in.csv"), "-k", "3", "-q", "age", "--method", "mondrian", "--quiet", *more]
    command_line.main([*given, *options, "-o", str(folder / "out.csv")], standalone_mode=False)
    return pl.read_csv(folder / "out.csv", infer_schema=False)


def _command_in_pieces(frame: pl.DataFrame, folder: Path, roles: dict[str, Any]) -> pl.DataFrame:
    return _command(frame, folder, roles, "--memory", "1GB")


INTERFACES: dict[str, Release] = {
    "polars": _frame,
    "pandas": _pandas,
    "pyarrow": _arrow,
    "file": _file,
    "pieces": _pieces,
    "command": _command,
    "command in pieces": _command_in_pieces,
}


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: 50)


@pytest.mark.parametrize("interface", INTERFACES)
def test_nothing_planted_leaves_without_a_word(interface: str) -> None:
    @given(plantings())
    def released(drawn: Planted) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            check(INTERFACES[interface], drawn)

    released()


def test_policies_and_warnings_of_a_release_in_pieces(tmp_path: Path) -> None:
    table = planted("name", "answered", rows=120, distinct=90).frame.with_columns(answered=pl.lit("none"))
    source, target, later = tmp_path / "in.parquet", tmp_path / "out.parquet", tmp_path / "later.parquet"
    table.write_parquet(source)
    with pytest.warns(
        ShoalWarning, match=r"^2 columns have no role .*: 'answered', 'answer'\. Drop them with drop_oth"
    ):
        made = shoal.anonymize_file(source, target, **OPTIONS)
    assert made.policy.keep == ()
    policy = f"{target}.policy.toml"
    planted("name", "answered", rows=120, distinct=90).frame.write_parquet(later)
    with pytest.raises(
        ColumnError, match=r"'answered' \(contains names .* make a new one, and drop it with identifiers="
    ):
        shoal.replay_file(later, tmp_path / "next.parquet", policy=policy)
    old = tmp_path / "old.toml"
    old.write_text(Path(policy).read_text().replace("keep = []\n", ""))
    again = shoal.replay_file(later, tmp_path / "next.parquet", policy=old)
    assert any(sentence.startswith("1 unassigned column looks like an identifier") for sentence in again.warnings)

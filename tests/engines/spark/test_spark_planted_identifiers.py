"""Spark releases refuse or warn about planted names, addresses and personal numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from naive.planted import check, planted
from shoal.engines import memory_budget
from shoal.errors import ColumnError

OPTIONS: dict[str, Any] = {"k": 3, "quasi_identifiers": ["age"], "method": "mondrian"}


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: 50)


@pytest.mark.parametrize(("kind", "label"), [("mail", "column_7"), ("forename", "Vorname")])
def test_nothing_planted_leaves_a_frame_without_a_word(spark: Any, kind: str, label: str) -> None:
    def release(frame: pl.DataFrame, folder: Path, roles: dict[str, Any]) -> pl.DataFrame:
        source = folder / "in.parquet"
        frame.with_row_index("place").write_parquet(source)
        theirs = spark.read.parquet(str(source))
        roles = {**roles, "keep": [*filter(None, [roles.get("keep")]), "place"]}
        released = shoal.anonymize(theirs, **OPTIONS, **roles)
        return pl.DataFrame(released.toArrow()).sort("place")

    check(release, planted(kind, label, rows=120, distinct=70, gaps=5))


def test_nothing_planted_leaves_a_folder_without_a_word(spark: Any) -> None:
    def release(frame: pl.DataFrame, folder: Path, roles: dict[str, Any]) -> pl.DataFrame:
        frame.write_parquet(folder / "in.parquet")
        shoal.anonymize_file(folder / "in.parquet", folder / "out", engine="spark", **OPTIONS, **roles)
        return pl.read_parquet(folder / "out" / "*.parquet")

    check(release, planted("phone", "Telefon", rows=120, distinct=70))


def test_policies_and_warnings_of_a_frame(spark: Any, tmp_path: Path) -> None:
    later = planted("mail", "answered", rows=120, distinct=90).frame
    later.write_parquet(tmp_path / "later.parquet")
    later.with_columns(answered=pl.lit("none")).write_parquet(tmp_path / "in.parquet")
    made = shoal.anonymize(spark.read.parquet(str(tmp_path / "in.parquet")), **OPTIONS)
    assert any("2 columns have no role" in sentence for sentence in made.warnings)
    with pytest.raises(ColumnError, match=r"'answered' \(contains e-mail addresses\); the policy does not decide"):
        shoal.replay(spark.read.parquet(str(tmp_path / "later.parquet")), policy=made.policy)
    with pytest.raises(ColumnError, match="no column 'anwser'; did you mean 'answer'"):
        shoal.anonymize(spark.read.parquet(str(tmp_path / "in.parquet")), keep="anwser", **OPTIONS)

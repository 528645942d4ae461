"""Warnings about broken dependencies are the same out of core as in memory, for chunks of any size."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.engines.memory_budget import MemoryBudget
from shoal.release.anonymize_file import anonymize_file

ROWS = 900
OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"recode": {"admission": "interval", "postcode": "lcs"}},
    {"max_suppression": 0.05},
    {"missing_values": "impute"},
    {"shuffle": True},
]


def people() -> pl.DataFrame:
    """Return postcodes with their regions, admissions before discharges, and ages that follow from dates of birth."""
    draw = np.random.default_rng(11)
    codes = draw.integers(0, 40, ROWS)
    admitted = [dt.date(2024, 1, 1) + dt.timedelta(int(days)) for days in draw.integers(0, 366, ROWS)]
    stays = [dt.timedelta(int(days)) for days in draw.integers(0, 9, ROWS)]
    born = [dt.date(1930, 1, 1) + dt.timedelta(int(days)) for days in draw.integers(0, 30_000, ROWS)]
    ages = [(dt.date(2025, 1, 1) - day).days // 365 for day in born]
    gone = draw.random(ROWS) < 0.04
    return pl.DataFrame(
        {
            "postcode": [f"{10_000 + code}" for code in codes],
            "region": [f"r{code % 5}" for code in codes],
            "admission": admitted,
            "discharge": [day + stay for day, stay in zip(admitted, stays, strict=True)],
            "born": born,
            "age": [None if lost else age for lost, age in zip(gone, ages, strict=True)],
            "cost": draw.integers(100_000, 999_999, ROWS) / 100,
        }
    )


def write(path: Path) -> Path:
    frame = people()
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.stem == "german":
        days = pl.col("admission", "discharge", "born").dt.strftime("%d.%m.%Y")
        cost = pl.col("cost").map_elements(lambda cost: f"{cost:.2f}".replace(".", ",") + " €", return_dtype=pl.String)
        frame.with_columns(days, cost, pl.col("age").cast(pl.String).fill_null("k.A.")).write_csv(path, separator=";")
    else:
        frame.write_csv(path)
    return path


def broken(warnings: tuple[str, ...]) -> list[str]:
    return [sentence for sentence in warnings if sentence.startswith(("Dependency", "Category"))]


@pytest.mark.parametrize("name", ["plain.csv", "german.csv", "typed.parquet"])
@pytest.mark.parametrize("decisions", OPTION_SETS, ids=[" ".join(asked) or "plain" for asked in OPTION_SETS])
def test_the_same_dependencies_are_told(
    name: str, decisions: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"k": 4, "quasi_identifiers": ["postcode", "admission", "age"], "method": "mondrian", **decisions}
    asked |= {"keep": ["region", "discharge", "born", "cost"], "kinds": {"postcode": "nominal"}}
    source = write(tmp_path / name)
    expected = broken(shoal.anonymize(source, **asked).warnings)
    assert bool(expected) == ("recode" not in decisions)  # what is generalized stays true
    for rows in (10_000, 61):
        monkeypatch.setattr(MemoryBudget, "chunk_rows", rows)
        made = anonymize_file(source, tmp_path / f"out{rows}{source.suffix}", **asked)
        assert made.parts.n_parts == 1
        assert broken(made.warnings) == expected
    assert not any("dependencies" in note for note in made.evaluation.notes)

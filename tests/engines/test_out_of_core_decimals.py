"""Numbers keep the decimals and types of their columns, in memory, out of core and on Spark."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.domain import Policy
from shoal.release.anonymize_file import anonymize_file, replay_file

ROWS = 700
NAMES = ["whole", "fixed", "mixed", "noise", "narrow"]
OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"keep_totals": True},
    {"recode": "median"},
    {"missing_values": "impute"},
    {"max_suppression": 0.05},
    {"exact_means": True},
]


def columns() -> dict[str, list[str]]:
    """Return cells as text: integers, two decimals, up to two, all digits, and one decimal; some cells are missing."""
    rng = np.random.default_rng(3)
    found = {
        "whole": [str(number) for number in rng.integers(20, 70, ROWS)],
        "fixed": [f"{number / 4:.2f}" for number in rng.integers(-200, 999, ROWS)],
        "mixed": rng.choice(["65.0", "12.25", "-3.5", "1e3", "7"], ROWS).tolist(),
        "noise": [repr(number) for number in rng.normal(size=ROWS).tolist()],
        "narrow": [str(number / 10) for number in rng.integers(0, 5000, ROWS)],
    }
    for name in ("whole", "fixed", "mixed"):
        found[name] = ["" if gone else cell for cell, gone in zip(found[name], rng.random(ROWS) < 0.05, strict=True)]
    return found


def typed() -> pl.DataFrame:
    types = {"whole": pl.Int8, "mixed": pl.Float64, "noise": pl.Float64, "narrow": pl.Float32}
    cells = {name: [None if cell == "" else cell for cell in column] for name, column in columns().items()}
    fixed = pl.Series("fixed", [None if cell is None else Decimal(cell) for cell in cells["fixed"]], pl.Decimal(9, 2))
    rest = [pl.Series(name, cells[name]).cast(pl.Float64).cast(dtype) for name, dtype in types.items()]
    return pl.DataFrame([fixed, *rest]).select(NAMES)


def write(path: Path) -> Path:
    if path.suffix == ".parquet":
        typed().write_parquet(path)
        return path
    mark, point = (";", ",") if path.stem == "german" else (",", ".")
    rows = zip(*columns().values(), strict=True)
    lines = [mark.join(NAMES), *(mark.join(cell.replace(".", point) for cell in row) for row in rows)]
    path.write_text("\n".join([*lines, ""]))
    return path


def options(**more: Any) -> dict[str, Any]:
    return {"k": 5, "quasi_identifiers": NAMES, "method": "mdav", **more}


@pytest.mark.parametrize("more", OPTION_SETS, ids=str)
@pytest.mark.parametrize("name", ["plain.csv", "german.csv", "typed.parquet"])
def test_one_piece_is_the_release_in_memory(tmp_path: Path, name: str, more: dict[str, Any]) -> None:
    source = write(tmp_path / name)
    here, there = tmp_path / f"here{source.suffix}", tmp_path / f"there{source.suffix}"
    shoal.anonymize(source, **options(**more)).save(here)
    anonymize_file(source, there, **options(**more))
    assert here.read_bytes() == there.read_bytes()


def test_files_show_the_decimals_of_their_columns(tmp_path: Path) -> None:
    source, target = write(tmp_path / "german.csv"), tmp_path / "out.csv"
    anonymize_file(source, target, **options())
    cells = [line.split(";") for line in target.read_text().splitlines()[1:]]
    shown = [[cell.partition(",")[2] for cell in column if cell] for column in zip(*cells, strict=True)]
    lengths = [{len(digits) for digits in column} for column in shown]
    assert lengths[0] == {0}
    assert lengths[1] == {2}
    assert lengths[2] <= {0, 1, 2}
    assert max(lengths[3]) > 12
    assert lengths[4] == {1}


def test_an_older_policy_makes_its_release_again(tmp_path: Path) -> None:
    """Older policies round integers only, to 64 bits, if at all; other means have all digits."""
    source = write(tmp_path / "typed.parquet")
    policy = shoal.anonymize(source, **options()).policy
    for rounded, dtype in ((True, pl.Int64), (False, pl.Float64)):
        older = policy.to_toml().replace("exact_means = false", f"round_integers = {str(rounded).lower()}")
        before = Policy.from_toml(older.encode(), path="older.toml")
        made = shoal.replay(source, policy=before).table
        assert made.dtypes == [dtype, *[pl.Float64] * 4]
        exact = shoal.anonymize(source, **options(exact_means=True)).table
        assert made.drop("whole").equals(exact.drop("whole"))
        assert made["whole"].cast(pl.Float64).equals(exact["whole"].round() if rounded else exact["whole"])
        (tmp_path / f"{rounded}.toml").write_text(older)
        target = tmp_path / f"{rounded}.parquet"
        replay_file(source, target, policy=tmp_path / f"{rounded}.toml")
        assert pl.read_parquet(target).equals(made)


def test_spark_keeps_types_and_decimals(spark: Any, tmp_path: Path) -> None:
    del spark
    source = write(tmp_path / "typed.parquet")
    anonymize_file(source, tmp_path / "here.parquet", **options(keep_totals=True))
    anonymize_file(source, tmp_path / "there", engine="spark", **options(keep_totals=True))
    here = pl.read_parquet(tmp_path / "here.parquet")
    there = pl.concat([pl.read_parquet(part) for part in sorted((tmp_path / "there").glob("part-*.parquet"))])
    assert here.schema == typed().schema
    assert there.equals(here)

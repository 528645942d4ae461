"""Dependencies between columns that a release breaks are found and counted, and no others."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal import data
from shoal.data import BrokenDependency, Table, dependencies
from shoal.domain import Kind, Schema

N = 600
CHANCE = np.random.default_rng(7)


def table(cells: dict[str, Any]) -> Table:
    return data.read_table(pl.DataFrame(cells))


def result(
    before: dict[str, Any], after: dict[str, Any], *quasi: str, dates: tuple[str, ...] = ()
) -> list[BrokenDependency]:
    """What is broken; the frames hold the same columns."""
    original = table(before)
    kinds = [(name, Kind.DATE if name in dates else kind) for name, kind in data.column_kinds(original)]
    schema = Schema.assign(kinds, quasi_identifiers=quasi)
    return list(data.broken_dependencies(original, table({**before, **after}), schema))


def towns(rows: int = N) -> dict[str, list[str]]:
    """Forty postcodes, each in one of five regions."""
    codes = CHANCE.integers(0, 40, rows)
    return {"postcode": [f"{10000 + code}" for code in codes], "region": [f"r{code % 5}" for code in codes]}


def naive_pairs(before: dict[str, Any], after: dict[str, Any], one: str, other: str) -> int:
    """The records with a pair of old values that no record had."""
    old = list(zip(before[one], before[other], strict=True))
    new = list(zip(after[one], after[other], strict=True))
    return sum(pair not in set(old) and pair[0] in set(before[one]) and pair[1] in set(before[other]) for pair in new)


@pytest.mark.parametrize("missing", [0, 7])
def test_a_column_that_determines_another(missing: int) -> None:
    before = towns()
    before["region"] = [None if missing and row % 50 == missing else word for row, word in enumerate(before["region"])]  # type: ignore[list-item]
    after = {name: list(cells) for name, cells in before.items()}
    after["postcode"][:100] = after["postcode"][100:200]
    after["postcode"][200:210] = ["*"] * 10
    expected = naive_pairs(before, after, "postcode", "region") if not missing else None
    (one,) = result(before, after, "postcode")
    assert (one.kind, one.columns, one.of) == ("determined", ("postcode", "region"), N)
    assert one.count == expected if expected is not None else 0 < one.count <= 100
    assert result(before, before, "postcode") == []
    other = {"ward": ["a", "b"] * (N // 2)}
    assert result({**before, **other}, after, "ward") == [], "neither is a quasi-identifier"


def test_few_exceptions_are_no_break_and_many_no_dependency() -> None:
    for exceptions, there in ((3, True), (60, False)):
        before = towns()
        before["region"][:exceptions] = [f"r{(int(word[1]) + 1) % 5}" for word in before["region"][:exceptions]]
        after = {**before, "postcode": [*before["postcode"][300:], *before["postcode"][:300]]}
        assert [one.columns for one in result(before, after, "postcode")] == ([("postcode", "region")] if there else [])
        assert result(before, before, "postcode") == []


@pytest.mark.parametrize("seed", range(8))
def test_chance_is_no_dependency(seed: int) -> None:
    chance = np.random.default_rng(seed)
    before = {
        "a": chance.choice(["x", "y"], N, p=[0.97, 0.03]).tolist(),
        "b": [f"b{value}" for value in chance.integers(0, 400, N)],
        "c": chance.choice(["u", "v", "w"], N).tolist(),
        "d": chance.integers(0, 50, N).tolist(),
        "e": chance.normal(0, 1, N).tolist(),
        "row": [f"n{row}" for row in range(N)],
    }
    after = {name: chance.permutation(cells).tolist() for name, cells in before.items()}
    assert [one for one in result(before, after, *before) if one.kind != "shrunk"] == []


def test_columns_that_determine_each_other_are_told_once() -> None:
    before = towns()
    before["code"] = [f"c{word}" for word in before["region"]]
    after = {**before, "region": before["region"][::-1]}
    pairs = [one.columns for one in result(before, after, "region")]
    assert sorted(pairs) == [("postcode", "region"), ("region", "code")]


def test_an_order_of_dates() -> None:
    days = CHANCE.integers(0, 1000, N)
    start = dt.date(2020, 1, 1)
    before = {
        "admission": [start + dt.timedelta(int(day)) for day in days],
        "discharge": [
            start + dt.timedelta(int(day + stay)) for day, stay in zip(days, CHANCE.integers(0, 30, N), strict=True)
        ],
    }
    after = {"admission": [day + dt.timedelta(20) for day in before["admission"]]}
    expected = sum(one > other for one, other in zip(after["admission"], before["discharge"], strict=True))
    assert result(before, after, "admission") == [BrokenDependency("ordered", ("admission", "discharge"), expected, N)]
    assert expected > 100
    texts = {name: [day.isoformat() for day in cells] for name, cells in before.items()}
    later = {"admission": [day.isoformat() for day in after["admission"]]}
    assert result(texts, later, "admission") == []
    both = ("admission", "discharge")
    assert result(texts, later, "admission", dates=both) == [
        BrokenDependency("ordered", ("admission", "discharge"), expected, N)
    ]


def test_an_order_of_numbers_and_intervals() -> None:
    low = CHANCE.normal(100, 20, N)
    before = {"low": low.tolist(), "high": (low + CHANCE.exponential(5, N)).tolist(), "tall": (low + 500).tolist()}
    after = {"high": [100.0] * N}
    assert result(before, after, "high") == [BrokenDependency("ordered", ("low", "high"), int((low > 100).sum()), N)]
    wide = {"high": ["[90-110]"] * N}
    assert result(before, wide, "high") == [BrokenDependency("ordered", ("low", "high"), int((low > 110).sum()), N)]


def test_an_age_and_a_date_of_birth() -> None:
    last = dt.date(2024, 1, 1)
    days = CHANCE.integers(0, 30_000, N)
    before = {
        "born": [last - dt.timedelta(int(day)) for day in days],
        "age": [int(day / 365.2425) for day in days],
        "seen": [last + dt.timedelta(int(day)) for day in CHANCE.integers(0, 5, N)],
    }
    after = {"age": [age + 5.0 * (row < 40) for row, age in enumerate(before["age"])]}
    (one,) = result(before, after, "age")
    assert (one.kind, one.columns, one.count) == ("aged", ("age", "born"), 40)
    near = {"age": [age + 0.5 for age in before["age"]]}
    assert result(before, near, "age") == []
    visits = [last + dt.timedelta(int(day)) for day in CHANCE.integers(0, 9000, N)]
    before |= {
        "seen": visits,
        "age": [int((day - born).days / 365.2425) for day, born in zip(visits, before["born"], strict=True)],
    }
    after = {"born": [dt.date(1990, 1, 1)] * N}
    aged = [one for one in result(before, after, "born") if one.kind == "aged"]
    assert [one.columns for one in aged] == [("age", "born", "seen")]
    assert aged[0].count > N // 2


def test_categories_that_shrink() -> None:
    before = {"sex": ["f"] * 300 + ["m"] * 270 + ["x"] * 28 + ["y"] * 2}
    after = {"sex": ["f"] * 330 + ["m"] * 260 + ["x"] * 10}
    assert result(before, after, "sex") == [BrokenDependency("shrunk", ("sex",), 1, 3)]
    general = {"sex": ["*"] * 500 + ["f"] * 50 + ["m"] * 45 + ["x"] * 5}
    assert result(before, general, "sex") == [], "of what is left, x has the share that it had"
    assert result(before, {"sex": ["*"] * 600}, "sex") == []


def test_large_tables_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    before = towns()
    after = {"postcode": before["postcode"][::-1]}
    (whole,) = result(before, after, "postcode")
    monkeypatch.setattr(dependencies, "_MOST", 200)
    monkeypatch.setattr(dependencies, "_MIN_VIOLATIONS", 100)
    (some,) = result(before, after, "postcode")
    assert (whole.of, some.of) == (N, 200)
    assert some.count == naive_pairs(
        {name: cells[::3] for name, cells in before.items()},
        {"postcode": after["postcode"][::3], "region": before["region"][::3]},
        "postcode",
        "region",
    )


def sentences(release: Any) -> list[str]:
    return [text for text in release.warnings if text.startswith(("Dependency", "Category", "Dependencies"))]


@pytest.mark.parametrize("kind", ["polars", "pandas", "arrow", "csv", "shuffled"])
def test_the_release_tells_in_one_line_and_no_cell(kind: str, tmp_path: Path) -> None:
    frame = shoal.example_register(rows=1500).select("age", "sex", "postcode", "region", "admission_date", "diagnosis")
    frame = frame.with_columns(discharge=pl.col("admission_date") + pl.duration(days=3))
    frame.write_csv(tmp_path / "in.csv")
    source: Any = {
        "pandas": pd.DataFrame(frame.to_dict(as_series=False)), "arrow": frame.to_arrow(), "csv": tmp_path / "in.csv",
    }.get(kind, frame)  # fmt: skip
    options: dict[str, Any] = {
        "k": 5,
        "quasi_identifiers": ["age", "sex", "postcode", "admission_date"],
        "method": "mdav",
    }
    release = shoal.anonymize(source, **options, shuffle=kind == "shuffled")
    message = sentences(release)
    order = release.row_metadata.order
    place = range(1500) if order is None else np.argsort(order)
    displayed = [data.text_list(release.released, name) for name in ("postcode", "admission_date")]
    there = set(zip(frame["postcode"], frame["region"], strict=True))
    regions = frame["region"].to_list()
    broken = sum((displayed[0][at], regions[row]) not in there for row, at in enumerate(place))
    days = frame["discharge"].to_list()
    late = sum(dt.date.fromisoformat(str(displayed[1][at])) > days[row] for row, at in enumerate(place))
    assert message == sorted(
        [
            (
                f"Dependency broken: column 'postcode' determines 'region', but {broken:,} of 1,500 released records"
                " have a pair that no record had; drop 'region', or name that too as a quasi-identifier."
            ),
            (
                "Dependency broken: column 'admission_date' is at most 'discharge' in the whole table, but not in"
                f" {late:,} of 1,500 released records; drop 'discharge', or name that too as a quasi-identifier."
            ),
        ],
        key=lambda text: -(broken if "region" in text else late),
    )
    assert all("\n" not in text for text in message)
    cells = {*frame["postcode"], *frame["region"], *map(str, frame["admission_date"])}
    assert not [cell for cell in cells for text in message if cell in text]


def test_the_remedy_works() -> None:
    names = ["age", "sex", "occupation", "income", "postcode", "region"]
    frame = shoal.example_register(rows=1500).select(names)
    options: dict[str, Any] = {"k": 5, "quasi_identifiers": names, "method": "mdav"}
    (message,) = sentences(shoal.anonymize(frame, **options))
    assert message.endswith("or generalize (--recode postcode=lcs --recode region=lcs).")
    assert sentences(shoal.anonymize(frame, **options, recode={"postcode": "lcs", "region": "lcs"})) == []
    assert sentences(shoal.anonymize(frame.drop("region"), **{**options, "quasi_identifiers": names[:-1]})) == []


def test_columns_of_any_type_are_looked_at_or_passed_over() -> None:
    rows = range(120)
    cells: dict[str, Any] = {
        "q": [row % 30 for row in rows],
        "nothing": [None] * 120,
        "nan": [float("nan")] * 120,
        "infinite": [float("inf") if row % 2 else 1.0 for row in rows],
        "flag": [row % 2 == 0 for row in rows],
        "list": [[row % 3] for row in rows],
        "struct": [{"a": row % 3} for row in rows],
        "time": [dt.time(row % 24) for row in rows],
        "long": [dt.timedelta(row) for row in rows],
        "bytes": [bytes([row % 5]) for row in rows],
        "old": [dt.date(1, 1, 1) + dt.timedelta(row) for row in rows],
        "zoned": [dt.datetime(2020, 1, 1, row % 24, tzinfo=dt.UTC) for row in rows],
        "huge": [10**17 + row % 7 for row in rows],
    }
    frame = pl.DataFrame(cells).with_columns(
        pl.Series("object", [1, "x", None] * 40, dtype=pl.Object),
        pl.col("q").cast(pl.String).cast(pl.Categorical).alias("label"),
        pl.col("q").cast(pl.Decimal(10, 2)).alias("decimal"),
    )
    shuffled = frame.select(pl.exclude("object").sample(fraction=1, shuffle=True, seed=1), "object")
    names = [name for name in frame.columns if name not in ("list", "struct", "object")]
    one, two = data.read_table(frame), data.read_table(shuffled.select(frame.columns))
    schema = Schema.assign(data.column_kinds(one), quasi_identifiers=names)
    assert all(one.count <= one.of for one in data.broken_dependencies(one, two, schema))
    assert data.broken_dependencies(one, one, schema) == ()
    days = {"day": ["2020-01-01", "9999-99-99"] * 60, "q": cells["q"]}
    release = shoal.anonymize(pl.DataFrame(days), k=4, quasi_identifiers="q", kinds={"q": "numeric"})
    assert release.verification.ok

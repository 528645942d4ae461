"""Verification on Spark, compared with that of the same table in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import data
from shoal.domain import Schema
from shoal.domain.privacy_models import parse_models
from shoal.engines.spark.parquet_source import open_parquet
from shoal.engines.spark.verify_parquet import verify_on_spark
from shoal.errors import ColumnError, DataError, OptionError
from shoal.metrics.registry import get_measure

MODELS = {"ill": ["distinct-l(2)", "t-equal(0.4)"], "pay": "t-ordered(0.3)"}


@pytest.fixture
def persons(tmp_path: Path) -> Path:
    rng, n = np.random.default_rng(1), 240

    def pick(*cells: Any) -> list[Any]:
        return [cells[place] for place in rng.integers(0, len(cells), n)]

    home = rng.integers(0, 80, n)
    frame = pl.DataFrame(
        {
            "age": pick(0.0, -0.0, 1.5, None, float("nan")),
            "town": pick("x", "y"),
            "region": (home % 2).astype(np.float64),
            "home": home,
            "ill": pick("flu", "Flu", "gout", None),
            "pay": pick(1.0, 2.5, 3.0, None),
        },
        schema_overrides={"age": pl.Float64, "pay": pl.Float64},
    )
    frame.write_parquet(tmp_path / "persons.parquet")
    return tmp_path / "persons.parquet"


def on_spark(spark: Any, path: Path, **options: Any) -> Any:
    kinds = data.column_kinds(data.read_table(path))
    schema = Schema.assign(kinds, quasi_identifiers=["age", "town"], sensitive=["ill", "pay"])
    source = open_parquet(spark, str(path))
    folder = str(path.parent / "statistics")
    return verify_on_spark(
        source, folder, k=3, quasi_identifiers=["age", "town"], schema=schema, records=240, **options
    )


@pytest.mark.parametrize(("strata", "households"), [((), ""), (("region",), "home")])
def test_the_result_is_that_in_memory(spark: Any, persons: Path, strata: tuple[str, ...], households: str) -> None:
    found = on_spark(
        spark,
        persons,
        models=parse_models(MODELS),
        sensitive=["ill", "pay"],
        strata=strata,
        households=households,
    )
    names = ["age", "town"]
    here = shoal.verify(
        persons, k=3, quasi_identifiers=names, models=MODELS, strata=strata, households=households or None
    )
    facts, expected = found.proof.to_dict(), here.to_dict()
    for check in expected["models"]:
        check["reached"] = pytest.approx(check["reached"])
    assert facts == expected
    sizes = data.class_sizes(data.read_table(persons), names).tolist()
    assert found.class_sizes == {size: sizes.count(size) // size for size in sorted(set(sizes))}
    whole = shoal.evaluate(persons, persons, quasi_identifiers=names, sensitive=["ill", "pay"]).disclosures
    for column, figures in whole.items():
        assert {name: get_measure(name).finalize(found.disclosures[column]) for name in figures} == figures


def test_households_are_checked(spark: Any, persons: Path) -> None:
    with pytest.raises(DataError, match="households are in different strata"):
        on_spark(spark, persons, households="home", strata=["town"])
    with pytest.raises(DataError, match="names no household in"):
        on_spark(spark, persons, households="age")


def test_a_frame_is_verified_on_its_cluster(spark: Any, persons: Path) -> None:
    frame = spark.read.parquet(str(persons))
    options = {"k": 3, "quasi_identifiers": ["town", "age"], "models": MODELS, "strata": "region", "households": "home"}
    expected = shoal.verify(persons, **options)
    proof = shoal.verify(frame, **options)
    assert proof.verdict == expected.verdict
    assert (proof.records, proof.min_class, proof.violations, proof.unit) == (
        expected.records,
        expected.min_class,
        expected.violations,
        "households",
    )
    assert [check.violations for check in proof.models] == [check.violations for check in expected.models]


def test_what_a_cluster_does_not_count_is_refused(spark: Any, persons: Path) -> None:
    frame = spark.read.parquet(str(persons))
    with pytest.raises(OptionError, match="cannot be counted in pieces"):
        shoal.verify(frame, k=3, quasi_identifiers="age", missing_values="wildcard")
    with pytest.raises(OptionError, match="against needs the whole table in memory"):
        shoal.verify(frame, k=3, quasi_identifiers="age", against=frame)
    with pytest.raises(ColumnError, match="no column 'pal'"):
        shoal.verify(frame, k=3, quasi_identifiers="age", models={"pal": "distinct-l(2)"})


def test_frames_are_evaluated_on_their_cluster(spark: Any, persons: Path) -> None:
    original = spark.read.parquet(str(persons))
    path = persons.with_name("released.parquet")
    pl.read_parquet(persons).with_columns(age=pl.lit(1.0)).write_parquet(path)
    options = {"k": 3, "quasi_identifiers": ["age", "town"], "sensitive": "pay", "models": {"ill": "distinct-l(2)"}}
    whole = shoal.evaluate(persons, path, **options)
    found = shoal.evaluate(original, spark.read.parquet(str(path)), **options)
    assert found.disclosures == whole.disclosures
    for mine, theirs in ((found.before, whole.before), (found.after, whole.after)):
        assert mine == {name: pytest.approx(theirs[name]) for name in mine}
    assert [check.violations for check in found.models] == [check.violations for check in whole.models]
    assert found.loss == {}
    assert "the released values of an original record are not known" in found.notes[-1]
    with pytest.raises(OptionError, match="give both tables as Spark DataFrames"):
        shoal.evaluate(original, path, **options)
    with pytest.raises(DataError, match="has 240 records and the release 10"):
        shoal.evaluate(original, original.limit(10), **options)


def test_frames_with_a_key_are_measured_as_in_memory(spark: Any, tmp_path: Path) -> None:
    source, path = tmp_path / "people.parquet", tmp_path / "released.parquet"
    shoal.example_register(300).drop("name").write_parquet(source)
    names = ["age", "height_cm", "sex", "birth_date"]
    made = shoal.anonymize(source, k=4, quasi_identifiers=names, keep="person_id", sensitive="diagnosis", recode="lcs")
    made.table.write_parquet(path)
    options = {"k": 4, "quasi_identifiers": names, "sensitive": "diagnosis", "models": {"diagnosis": "distinct-l(2)"}}
    whole = shoal.evaluate(source, path, **options)
    frame, release = spark.read.parquet(str(source)), spark.read.parquet(str(path)).orderBy("height_cm")
    found = shoal.evaluate(frame, release, on="person_id", **options)
    assert found.disclosures == whole.disclosures
    assert found.loss["information_loss"] is not None
    for mine, theirs in ((found.loss, whole.loss), (found.before, whole.before), (found.after, whole.after)):
        same = {name: theirs[name] if figure is None else pytest.approx(theirs[name]) for name, figure in mine.items()}
        assert mine == same
    assert set(found.changes) == set(whole.changes)
    for column, figures in found.changes.items():
        assert figures == {name: pytest.approx(whole.changes[column][name]) for name in figures}
    with pytest.raises(DataError, match="'sex' does not identify every record"):
        shoal.evaluate(frame, release, on="sex", **options)
    moved = release.selectExpr("*", "concat(person_id, 'x') as other").drop("person_id")
    with pytest.raises(DataError, match="lacks the value of 300 records"):
        shoal.evaluate(frame, moved.withColumnRenamed("other", "person_id"), on="person_id", **options)
    with pytest.raises(ColumnError, match="no column 'nobody'"):
        shoal.evaluate(frame, release, on="nobody", **options)

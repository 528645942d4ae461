"""Edge cases of mixed tables: missing values beside extreme numbers, missing dates, time zones, imputed values."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal import data
from shoal.domain import Schema
from shoal.errors import DataError, OptionError
from shoal.microaggregation.households import merge_households

GAP = "category", "wildcard", "impute"


@pytest.mark.parametrize("way", GAP)
@pytest.mark.parametrize("method", ["mdav", "mondrian", "hac"])
def test_gaps_beside_the_largest_numbers(way: str, method: str) -> None:
    """The sum of a column may be beyond the range of floats; the stand-in of a gap is not."""
    huge = pl.DataFrame({"x": [1.7e308, 1.6e308, None, 1e308, 1.5e308, 1.2e308, 1.1e308, 1.4e308]})
    release = shoal.anonymize(huge, k=2, quasi_identifiers="x", method=method, missing_values=way)
    assert release.verification.ok
    assert 0 < release.evaluation.information_loss < 20


@pytest.mark.parametrize("value", [0.1, 1e22, 1e300])
def test_gaps_in_a_constant_column_lie_nowhere_else(value: float) -> None:
    frame = pl.DataFrame({"x": [value] * 7 + [None] * 3, "y": list(range(10))})
    for way in GAP:
        release = shoal.anonymize(frame, k=2, quasi_identifiers=["x", "y"], method="mdav", missing_values=way)
        assert release.evaluation.columns["x"] == 0
        assert set(release.table["x"].drop_nulls()) == {value}
    hidden = shoal.anonymize(frame, k=2, quasi_identifiers=["x", "y"], method="mdav", missing_values="suppress")
    assert hidden.evaluation.columns["x"] == 0


def test_stand_ins_do_not_widen_a_class() -> None:
    release = shoal.anonymize(
        pl.DataFrame({"x": [1, 2, None, 98, 99, 100]}), k=3, quasi_identifiers="x", method="mondrian", recode="interval"
    )
    assert release.table["x"].to_list() == ["[1-2]"] * 3 + ["[98-100]"] * 3
    assert release.evaluation.extent == pytest.approx((1 + 2) / 2 / 99)


@pytest.mark.parametrize("method", ["mondrian", "mondrian-extent", "xmondrian"])
def test_missing_numbers_are_far_from_those_that_are_there(method: str) -> None:
    frame = pl.DataFrame({"x": [None, 50.0, None, 50.5, None, 49.5, None, 50.2]})
    release = shoal.anonymize(frame, k=4, quasi_identifiers="x", method=method)
    assert release.table["x"].is_null().to_list() == frame["x"].is_null().to_list()


def test_a_household_is_what_its_known_members_are() -> None:
    frame = pl.DataFrame({"c": ["B", None, None, "A", "A", "A", "A"], "x": [7.0, None, None, 1.0, 2.0, 3.0, 4.0]})
    schema = Schema.assign(data.column_kinds(data.read_table(frame)), quasi_identifiers=["c", "x"])
    for way in GAP:
        records = data.encode_records(data.read_table(frame), schema, missing=way)
        units = merge_households(records, np.array([0, 0, 0, 1, 1, 2, 2]))
        names = [records.categories[0].hierarchy.nodes[code] for code in units.codes[:, 0]]
        assert names == ["B", "A", "A"]
        assert units.values[:, 0].tolist() == [7.0, 1.5, 3.5]
        assert not units.missing.any()
        assert np.array_equal(units.space.matrix[:, :1], units.matrix)


def test_a_word_for_missing_among_dates(tmp_path: Path) -> None:
    source = tmp_path / "days.csv"
    source.write_text("day,x\n" + "".join(f"2026-01-{day:02},1\n" for day in range(1, 12)) + "NA,2\n")
    release = shoal.anonymize(source, k=4, quasi_identifiers="day", recode="interval")
    assert [str(column.kind) for column in release.policy.schema.columns] == ["date", "numeric"]
    assert release.table["day"].str.contains(r"^\[2026-01-\d\d to 2026-01-\d\d\]$").all()


def test_ordinal_numbers_with_a_gap() -> None:
    frame = pl.DataFrame({"stage": [1, 2, 3, 4, 1, 2, 3, 4, None], "x": list(range(9))})
    release = shoal.anonymize(frame, k=3, quasi_identifiers=["stage", "x"], kinds={"stage": "ordinal"})
    assert release.verification.ok


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Madrid"])
def test_times_keep_their_zone_and_intervals_tell_it(zone: str) -> None:
    times = pd.to_datetime(["2026-07-01 10:00", "2026-07-01 12:00", "2026-07-02 09:00"] * 2).tz_localize(zone)
    frame = pd.DataFrame({"time": times})
    assert shoal.anonymize(frame, k=3, quasi_identifiers="time").table["time"].dtype == frame["time"].dtype
    for table in (frame, pl.from_pandas(frame)):
        shown = shoal.anonymize(table, k=6, quasi_identifiers="time", recode="interval").table["time"]
        low, high = (time.tz_convert("UTC").strftime("%Y-%m-%d %H:%M:%S+00:00") for time in (times.min(), times.max()))
        assert set(shown) == {f"[{low} to {high}]"}


def test_what_a_reader_measures_is_what_the_release_says() -> None:
    frame = pl.DataFrame(
        {
            "x": [1.0, 2, 3, 4, 5, 6],
            "empty": pl.Series([None] * 6, dtype=pl.Float64),
            "day": [date(2026, 1, day) for day in range(1, 7)],
            "c": ["a", "b", None, "a", "a", "a"],
        }
    )
    for way in GAP:
        for recode in (None, "generalize"):
            release = shoal.anonymize(frame, k=3, quasi_identifiers=frame.columns, missing_values=way, recode=recode)
            told = shoal.evaluate(frame, release.table, quasi_identifiers=frame.columns, k=3, missing_values=way)
            assert told.loss == pytest.approx(release.evaluation.loss)
            assert told.columns == pytest.approx(release.evaluation.columns)


def test_wildcards_make_no_classes_to_measure() -> None:
    frame = pl.DataFrame({"x": [1, None, 2, 8, None, 9], "c": list("aabbcc")})
    release = shoal.anonymize(frame, k=3, quasi_identifiers=["x", "c"], missing_values="wildcard")
    assert release.evaluation.c_avg is release.evaluation.extent is None


def test_totals_are_kept_by_means_only() -> None:
    frame = pl.DataFrame({"x": [1, 2, 4, 8, 9, 9], "y": [1.0, 3, 5, 7, 9, 11]})
    options = {"k": 3, "quasi_identifiers": ["x", "y"], "keep_totals": True}
    with pytest.raises(OptionError, match="no numeric quasi-identifier is recoded to its mean"):
        shoal.anonymize(frame, recode="median", **options)
    release = shoal.anonymize(frame, recode={"y": "interval"}, **options)
    assert release.table["x"].sum() == frame["x"].sum()
    assert any("('y') are not kept" in sentence for sentence in release.warnings)


def test_weights_that_no_record_can_have() -> None:
    frame = pl.DataFrame({"x": range(6), "w": [1.7e308] * 6})
    with pytest.raises(DataError, match="Column 'w' has sampling weights"):
        shoal.anonymize(frame, k=3, quasi_identifiers="x", sampling_weights="w")


def test_weights_of_columns_beyond_all_measure() -> None:
    frame = pl.DataFrame({"x": [float(i) for i in range(6)], "y": [1e300, -1e300, 0.0, 1.0, 2.0, 3.0]})
    release = shoal.anonymize(frame, k=3, quasi_identifiers=["x", "y"], weights={"x": 1e-300, "y": 1e300})
    assert release.verification.ok


def test_households_in_a_stratum_without_the_gaps_of_the_table() -> None:
    frame = pl.DataFrame(
        {
            "pay": [1.0, 2.0, 3.0, 4.0, 5.0, None, 7.0, 8.0],
            "region": ["a", "a", "a", "a", "b", "b", "b", "b"],
            "home": list("abcdefgh"),
        }
    )
    release = shoal.anonymize(
        frame, k=2, quasi_identifiers="pay", identifiers="home", strata="region", households="home"
    )
    assert release.verification.ok

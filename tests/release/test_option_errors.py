"""Options that cannot be satisfied: one sentence each, with names and numbers and without a cell, and no release."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.errors import ColumnError, DataError, OptionError, ShoalError

SECRET = "Xk7Zq"
TREE = {"all": {"upper": [f"{SECRET}a", f"{SECRET}b"], "lower": [f"{SECRET}c"]}}


def people(rows: int = 24) -> pl.DataFrame:
    """Regions of 12, 8 and 4 records, households of 2, three illnesses that fall unevenly over the regions."""
    place = np.arange(rows)
    return pl.DataFrame(
        {
            "age": 20 + place,
            "pay": 31415.5 + place,
            "ill": [f"{SECRET}{'aab'[p % 3] if p < 20 else 'c'}" for p in range(rows)],
            "region": [f"{SECRET}{'n' if p < 12 else 's' if p < 20 else 'w'}" for p in range(rows)],
            "home": [f"{SECRET}{p // 2}" for p in range(rows)],
            "weight": 1.5 + place,
        }
    )


OPTIONS: dict[str, Any] = {"k": 3, "quasi_identifiers": ["age", "pay"], "sensitive": "ill", "method": "mdav"}

BAD: dict[str, tuple[dict[str, Any], type[ShoalError], str]] = {
    "sensitive and quasi-identifier": ({"sensitive": "age"}, ColumnError, "quasi-identifier and as sensitive"),
    "l without a sensitive column": ({"sensitive": (), "l": 2}, OptionError, "no column is named as sensitive"),
    "l above what there is": ({"l": 4}, OptionError, r"reaches l = 3 on column 'ill', .* ask for l = 3 or less"),
    "l not whole": ({"l": 2.5}, OptionError, "distinct-l.2.5. is out of range; give l as a whole number"),
    "l of 1": ({"l": 1}, OptionError, "give l above 1"),
    "l a word": ({"l": "two"}, OptionError, "'l' has a value"),
    "t above 1": ({"t": 1.5}, OptionError, "give t from 0 to 1"),
    "t negative": ({"t": -0.1}, OptionError, "give t from 0 to 1"),
    "t not a number": ({"t": float("nan")}, OptionError, "'t' has a value"),
    "t below what a stratum has": ({"t": 0.2, "strata": "region"}, OptionError,
        r"A stratum of \d+ records as a whole reaches t = 0\.\d+ on column 'ill'.* ask for t = 0\.\d+ or more"),
    "l above what a stratum has": ({"l": 2, "strata": "region"}, OptionError,
        "A stratum of 4 records as a whole reaches no l above 1"),
    "unknown model": ({"models": {"ill": "p-sensitive(3)"}}, OptionError, "no privacy model 'p-sensitive.3.'"),
    "model without its number": ({"models": {"ill": "distinct-l"}}, OptionError, "no privacy model"),
    "model of no column": ({"models": {"il": "distinct-l(2)"}}, ColumnError, "no column 'il'"),
    "model on a quasi-identifier": ({"models": {"age": "distinct-l(2)"}}, ColumnError, "is a quasi-identifier"),
    "model on another column": ({"models": {"region": "distinct-l(2)"}}, ColumnError, "name it among the sensitive"),
    "models not by column": ({"models": ["distinct-l(2)"]}, OptionError, "'models' has a value"),
    "order of words": ({"models": {"ill": "t-ordered(0.5)"}}, ColumnError, "needs numbers, dates or an order"),
    "no hierarchy for t": ({"models": {"ill": "t-hierarchical(0.5)"}}, ColumnError, "has no hierarchy"),
    "unknown way with gaps": ({"missing_values": "ignore"}, OptionError, "no missing_values 'ignore'"),
    "alpha above 1": ({"missing_values": "wildcard", "alpha": 1.5}, OptionError, "'alpha' .* from 0 to 1"),
    "alpha negative": ({"alpha": -1}, OptionError, "'alpha' .* from 0 to 1"),
    "alpha a word": ({"alpha": "half"}, OptionError, "'alpha' .* from 0 to 1"),
    "suppression above 1": ({"max_suppression": 1.5}, OptionError, "'max_suppression' .* from 0 to 1"),
    "suppression negative": ({"max_suppression": -0.5}, OptionError, "'max_suppression' .* from 0 to 1"),
    "budget below k": ({"max_suppression": 0.1}, OptionError, "allows 2 of 24 records, and fewer than k = 3"),
    "bounds the wrong way round": ({"bounds": {"age": (90, 0)}}, OptionError, "'bounds' has a value"),
    "one bound": ({"bounds": {"age": (90,)}}, OptionError, "'bounds' has a value"),
    "bounds of no column": ({"bounds": {"agee": (0, 90)}}, ColumnError, "did you mean 'age'"),
    "bounds of another column": ({"bounds": {"weight": (0, 90)}}, ColumnError, "no column 'weight'"),
    "bounds not by column": ({"bounds": [(0, 90)]}, OptionError, "'bounds' has a value"),
    "bounds that the data break": ({"bounds": {"age": (0, 40)}}, DataError,
        r"outside its bounds in 3 of 24 records \(the first is record 22\)"),
    "unknown stratum": ({"strata": "regoin"}, ColumnError, "did you mean 'region'"),
    "stratum twice": ({"strata": ["region", "region"]}, ColumnError, "named twice"),
    "stratum below k": ({"k": 5, "strata": "region"}, DataError, "1 of 3 strata have fewer than k = 5 records"),
    "stratum below k households": ({"strata": "region", "households": "home"}, DataError,
        "1 of 3 strata have fewer than k = 3 households, the smallest 2"),
    "unknown household": ({"households": "hom"}, ColumnError, "did you mean 'home'"),
    "household as quasi-identifier": ({"households": "age"}, ColumnError, "the household at once"),
    "households across strata": ({"households": "region", "strata": "home"}, DataError,
        "The members of 3 households are in different strata"),
    "large household": ({"households": "region", "k": 2, "largest_household": 8}, DataError,
        r"largest household has 12 members, more than the 8 that are allowed \(too large: 1 household\)"),
    "largest household of none": ({"households": "home", "largest_household": 0}, OptionError, "'largest_household'"),
    "fewer than k households": ({"households": "region", "k": 4}, OptionError, "k = 4 is more than the 3 households"),
    "unknown weights": ({"sampling_weights": "wieght"}, ColumnError, "did you mean 'weight'"),
    "weights of a quasi-identifier": ({"sampling_weights": "pay"}, ColumnError, "the sampling weight at once"),
    "weights of text": ({"sampling_weights": "region"}, ColumnError, "'region' is nominal where numbers are needed"),
    "dates that are none": ({"kinds": {"region": "date"}, "quasi_identifiers": ["age", "region"]}, DataError,
        r"has no date where dates are needed in 24 of 24 records \(the first is record 1\)"),
    "hierarchy that lacks a sensitive value": ({"t": 0.9, "hierarchies": {"ill": {"all": [f"{SECRET}a"]}}}, ShoalError,
        r"'ill' has 2 values \(of 3, in \d+ records\) that its hierarchy lacks"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_it_is_told_in_a_sentence_without_a_cell(case: str) -> None:
    options, error, words = BAD[case]
    frame = people()
    with pytest.raises(error, match=words) as caught:
        shoal.anonymize(frame, **{**OPTIONS, **options})
    assert SECRET not in str(caught.value)
    assert "31415" not in str(caught.value)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
    assert frame.equals(people())


@pytest.mark.parametrize("weight", [0.0, -2.0, None, float("inf"), float("nan")])
def test_weights_that_weigh_nothing_are_refused(weight: float | None) -> None:
    frame = people().with_columns(pl.when(pl.col("age") == 25).then(weight).otherwise(pl.col("weight")).alias("weight"))
    with pytest.raises(DataError, match=r"'weight' has .* zero, .* in 1 of 24 records \(the first is record 6\)"):
        shoal.anonymize(frame, sampling_weights="weight", **OPTIONS)


def test_a_record_without_a_household_is_refused() -> None:
    frame = people().with_columns(pl.when(pl.col("age") == 25).then(None).otherwise(pl.col("home")).alias("home"))
    with pytest.raises(DataError, match=r"names no household in 1 of 24 records \(the first is record 6\)"):
        shoal.anonymize(frame, households="home", **OPTIONS)


def test_gaps_are_refused_where_that_is_asked() -> None:
    frame = people().with_columns(pl.when(pl.col("age") > 40).then(None).otherwise(pl.col("age")).alias("age"))
    with pytest.raises(DataError, match=r"missing values in 3 of 24 records \(the first is record 22\)"):
        shoal.anonymize(frame, missing_values="refuse", **OPTIONS)


def test_numbers_and_words_in_one_column_are_refused() -> None:
    frame = pd.DataFrame({"x": [1, 2, SECRET, 4, 5, 6]})
    with pytest.raises(DataError, match="text where numbers are needed in 1 of 6 records") as caught:
        shoal.anonymize(frame, k=2, quasi_identifiers="x")
    assert SECRET not in str(caught.value)
    dates = pd.DataFrame({"x": [date(2026, 1, 1), SECRET, date(2026, 1, 2), 3]}, dtype=object)
    with pytest.raises(ShoalError) as caught:
        shoal.anonymize(dates, k=2, quasi_identifiers="x", kinds={"x": "date"}, method="mdav")
    assert SECRET not in str(caught.value)


def test_a_date_that_does_not_exist_is_refused() -> None:
    frame = pl.DataFrame({"day": ["2026-02-28", "2026-02-30", "2026-03-01", "2026-03-02"]})
    with pytest.raises(DataError, match=r"no date where dates are needed in 1 of 4 records \(the first is record 2\)"):
        shoal.anonymize(frame, k=2, quasi_identifiers="day", kinds={"day": "date"}, method="mdav")


@pytest.mark.parametrize("options", [
    {"alpha": 2.0}, {"alpha": "x"}, {"missing_values": "impute"}, {"strata": "regoin"}, {"households": "hom"},
    {"models": {"ill": "nonsense"}}, {"models": {"age": "distinct-l(2)"}},
])  # fmt: skip
def test_verify_refuses_as_well(options: dict[str, Any]) -> None:
    with pytest.raises(ShoalError, match=r"; .*\.$"):
        shoal.verify(people(), k=3, quasi_identifiers=["age", "pay"], **options)


@pytest.mark.parametrize("options", [
    {"alpha": -1.0}, {"missing_values": "ignore"}, {"sampling_weights": "wieght"}, {"households": "hom"},
    {"sampling_weights": "region"},
])  # fmt: skip
def test_evaluate_refuses_as_well(options: dict[str, Any]) -> None:
    with pytest.raises(ShoalError, match=r"; .*\.$"):
        shoal.evaluate(people(), people(), quasi_identifiers=["age", "pay"], **options)

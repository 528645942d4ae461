"""Date hierarchies: days, months, quarters, years and decades."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy import Hierarchy


def test_all_levels() -> None:
    tree = Hierarchy.from_dates(["2026-03-05"])
    assert tree.path("2026-03-05") == ("2026-03-05", "2026-03", "2026-Q1", "2026", "2020s", "*")


def test_a_time_goes_under_its_day() -> None:
    tree = Hierarchy.from_dates(["2026-03-05T10:30:00Z", "2026-03-05", "2026-03-05 23:59"])
    assert tree.children("2026-03-05") == ("2026-03-05 23:59", "2026-03-05T10:30:00Z")
    assert tree.leaves == tree.children("2026-03-05")


@pytest.mark.parametrize(("month", "quarter"), [(1, 1), (3, 1), (4, 2), (6, 2), (7, 3), (9, 3), (10, 4), (12, 4)])
def test_quarters(month: int, quarter: int) -> None:
    assert f"1999-Q{quarter}" in Hierarchy.from_dates([dt.date(1999, month, 1)])


def test_some_levels() -> None:
    values = ["2026-03-05", "2031-01-01"]
    assert Hierarchy.from_dates(values, levels=("month", "year")).path("2026-03-05")[1:] == ("2026-03", "2026", "*")
    assert Hierarchy.from_dates(values, levels="decade", root="ever").children("ever") == ("2020s", "2030s")


def test_objects_are_named_as_they_are_shown() -> None:
    values = [dt.date(2026, 3, 5), dt.datetime(2026, 3, 5, 10, 30), np.datetime64("2026-03-05T10:30:00")]
    tree = Hierarchy.from_dates(values)
    assert tree.children("2026-03-05") == ("2026-03-05 10:30:00",)


@given(st.lists(st.dates(), min_size=1))
def test_dates_stay_in_their_order(days: list[dt.date]) -> None:
    tree = Hierarchy.from_dates(days)
    assert list(tree.leaves) == sorted({day.isoformat() for day in days})
    for day in days:
        assert f"{day.year // 10 * 10:04}s" in tree.path(day.isoformat())


@pytest.mark.parametrize(
    "value", ["secret", "2026-13-01", "2026-02-30", "05/03/2026", "2026-03", "0000-01-01", "2026-03-05x", 20260305]
)
def test_values_that_are_no_dates_are_counted(value: Any) -> None:
    with pytest.raises(HierarchyError, match="1 of 2 values is not a date such") as caught:
        Hierarchy.from_dates(["2026-01-01", value])
    assert "secret" not in str(caught.value)


def test_no_values() -> None:
    with pytest.raises(HierarchyError, match="no value"):
        Hierarchy.from_dates([])
    with pytest.raises(HierarchyError, match="1 of 1 value is empty"):
        Hierarchy.from_dates([None])


@pytest.mark.parametrize("levels", [(), ("year", "month"), ("week",), ("day", "day"), 5, [["day"]]])
def test_bad_levels(levels: Any) -> None:
    with pytest.raises(OptionError, match="'levels'"):
        Hierarchy.from_dates(["2026-01-01"], levels=levels)

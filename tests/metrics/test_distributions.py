"""Distributions for charts: every record is in one bar or blank, and bins are round."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive.pairs import draw
from shoal.metrics.distributions import ALL_OTHERS, distributions

TREE = shoal.Hierarchy.from_dict({"all": {"north": ["a", "b"], "south": ["c", "d"]}})
pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")


@given(st.integers(0, 2**32 - 1))
def test_every_record_is_in_one_bar_or_blank(seed: int) -> None:
    pair = draw(seed)
    result = distributions(pair)
    assert [one.name for one in result] == list(pair.quasi_identifiers)
    for one in result:
        assert sum(one.before) + one.blank_before == pair.records
        if one.name in pair.numeric:
            j = pair.numeric.index(one.name)
            assert one.blank_after == pair.is_released_missing(j).sum()
            assert sum(one.after) == pair.records - (pair.is_original_missing(j) | pair.is_released_missing(j)).sum()
            known = pair.original_values[j][~pair.is_original_missing(j)]
            for place, (low, high) in enumerate(zip(one.edges, one.edges[1:], strict=False)):
                last = place == len(one.before) - 1
                inside = (known >= low) & ((known < high) | (last & (known <= high)))
                assert one.before[place] == inside.sum()
        else:
            assert sum(one.after) + one.blank_after == pair.records
        assert len(one.labels) == len(one.before) == len(one.after)


@pytest.mark.parametrize(
    ("numbers", "edges"),
    [
        (range(101), np.arange(0.0, 111.0, 10.0)),
        ([0.0, 0.12], np.arange(13) / 100 + 0.0),
        ([-7, 5], np.arange(-7.0, 7.0)),
        ([3.3, 3.3], [3.3, 3.3]),
        ([-0.8e308, 0.8e308], [-0.8e308, 0.8e308]),
    ],
)
def test_edges_are_round(numbers: object, edges: list[float]) -> None:
    table = pl.DataFrame({"n": pl.Series(list(numbers), dtype=pl.Float64)})  # type: ignore[call-overload]
    (result,) = distributions(shoal.anonymize(table, k=2, quasi_identifiers="n").metric_inputs)
    assert result.kind == "numbers"
    if len(edges) == 2:
        assert result.edges[0] <= edges[0] <= edges[1] <= result.edges[-1]
        assert sum(result.before) == len(table)
    else:
        assert result.edges == pytest.approx([*edges, *result.edges[len(edges) :]])
        assert len(result.edges) - len(edges) in (0, 1)


def test_dates_have_dates_for_labels() -> None:
    days = pl.date_range(date(2000, 1, 1), date(2000, 3, 31), eager=True)
    (result,) = distributions(shoal.anonymize(pl.DataFrame({"day": days}), k=3, quasi_identifiers="day").metric_inputs)
    assert result.kind == "dates"
    assert result.labels[0].startswith("1999-12-")
    assert (sum(result.before), sum(result.after)) == (91, 91)
    released = shoal.anonymize(pl.DataFrame({"day": days}), k=3, quasi_identifiers="day")
    assert released.metric_inputs.dates == ("day",)


def test_rare_categories_are_together() -> None:
    words = [f"w{number:02}" for number in range(20) for _ in range(number + 2)]
    table = pl.DataFrame({"s": words})
    (result,) = distributions(shoal.anonymize(table, k=2, quasi_identifiers="s").metric_inputs)
    assert (len(result.labels), result.labels[0], result.labels[-1], result.others) == (13, "w19", ALL_OTHERS, 8)
    assert sum(result.before) == sum(result.after) == len(words)


def test_levels_of_a_hierarchy_are_counted() -> None:
    table = pl.DataFrame({"x": ["a", "b", "c", "c", "d", "d"]})
    release = shoal.anonymize(table, k=2, quasi_identifiers="x", hierarchies={"x": TREE}, recode="lcs")
    (result,) = distributions(release.metric_inputs)
    assert sum(records for _, records in result.depths) == 6
    assert (2, 2) in result.depths


@pytest.mark.parametrize(("missing", "blank"), [("category", 2), ("wildcard", 2), ("impute", 0)])
def test_blank_cells_are_counted_as_the_table_shows_them(missing: str, blank: int) -> None:
    table = pl.DataFrame({"s": ["a", "a", "b", "b", None, None]})
    release = shoal.anonymize(table, k=2, quasi_identifiers="s", missing_values=missing)
    (result,) = distributions(release.metric_inputs)
    assert result.blank_before == 2
    assert result.blank_after == release.table["s"].null_count() == blank

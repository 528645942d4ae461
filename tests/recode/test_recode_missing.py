"""Recoding with missing cells, suppressed records and sampling weights, compared with the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.recoding import SUPPRESSED, lower_median, mean, mode, released
from shoal.domain import CategoricalColumn, DateColumn, IntegerColumn, Kind, Partition, Records, Scale, TextColumn
from shoal.hierarchy import Hierarchy
from shoal.recode import integer_columns, recode
from shoal.recode.number_aggregates import median

WORDS = ("a", "b", "c", "*")
TREE = Hierarchy(WORDS, (3, 3, 3, 3))
ROWS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.one_of(st.none(), st.integers(-9, 9)),
        st.one_of(st.none(), st.integers(0, 2)),
        st.sampled_from([1.0, 2.0, 0.5, 10.0]),
        st.integers(0, 6).map(lambda drawn: drawn == 0),
    ),
    min_size=1,
    max_size=25,
)


def table(numbers: list[Any], codes: list[Any], *, gap: bool = False, dates: tuple[str, ...] = ()) -> Records:
    """A column of numbers and one of categories, None where missing; stand-ins are 99 and the first word."""
    values = np.array([[99.5 if number is None else number] for number in numbers], dtype=float)
    words, tree = (("?", *WORDS), Hierarchy(("?", *WORDS), (4,) * 5)) if gap else (WORDS, TREE)
    column = CategoricalColumn(
        "c", Kind.NOMINAL, tree, 1.0 - np.eye(len(words)), n_steps=1, missing_code=0 if gap else None
    )
    places = np.array([[0 if code is None else code + gap] for code in codes], dtype=np.int64)
    is_missing = np.array([[n is None, c is None] for n, c in zip(numbers, codes, strict=True)])
    scale = Scale.standardized(values)
    return Records(("n", "c"), values, scale, np.ones(2), (column,), places, missing=is_missing, dates=dates)


def groups_of(labels: list[int]) -> Partition:
    return Partition(np.unique(labels, return_inverse=True)[1].astype(np.int64), k=1, method="none")


def displayed(column: Any, *, star: bool) -> list[Any]:
    """The released cells as the oracle has them."""
    if isinstance(column, TextColumn):
        words = [None if place < 0 else column.words[place] for place in column.codes]
        return [SUPPRESSED if star and word == "*" else word for word in words]
    numbers = (
        column.numbers
        if isinstance(column, IntegerColumn)
        else column.days
        if isinstance(column, DateColumn)
        else column
    )
    return [None if number != number else number for number in numbers.tolist()]


def expected(cells: list[Any], drawn: list[Any], missing: str, center: Any, *, weighted: bool) -> list[Any]:
    labels, weights, hidden = [row[0] for row in drawn], [row[3] for row in drawn], [row[4] for row in drawn]
    weights = weights if weighted else [1.0] * len(drawn)
    return released(cells, labels, weights, missing=missing, suppressed=hidden, center=center)


@pytest.mark.parametrize("missing", ["category", "wildcard", "impute"])
@pytest.mark.parametrize("weighted", [False, True])
@given(drawn=ROWS)
def test_cells_are_those_of_the_definition(missing: str, weighted: bool, drawn: list[Any]) -> None:
    numbers, codes = [row[1] for row in drawn], [row[2] for row in drawn]
    hidden = np.array([row[4] for row in drawn])
    options: dict[str, Any] = {"missing": missing, "suppressed": hidden}
    options["weights"] = np.array([row[3] for row in drawn]) if weighted else None
    records, groups = table(numbers, codes), groups_of([row[0] for row in drawn])

    release = recode(records, groups, recodings={"n": "mean", "c": "mode"}, **options)
    expected_cells = expected(numbers, drawn, missing, mean, weighted=weighted)
    expected_cells = [None if cell is SUPPRESSED else cell for cell in expected_cells]
    result = displayed(release["n"], star=False)
    assert [cell is None for cell in result] == [cell is None for cell in expected_cells]
    assert [cell for cell in result if cell is not None] == pytest.approx(
        [c for c in expected_cells if c is not None], abs=1e-12
    )

    expected_cells = expected(codes, drawn, missing, mode, weighted=weighted)
    words = [cell if cell is None or cell is SUPPRESSED else WORDS[cell] for cell in expected_cells]
    assert displayed(release["c"], star=True) == words
    same = recode(records, groups, recodings={"n": "mean", "c": "centroid"}, **options)["c"]
    assert displayed(same, star=True) == words  # without a hierarchy the centroid is the mode

    wide = recode(records, groups, recodings={"n": "interval", "c": "lcs"}, **options)
    pairs = expected(numbers, drawn, missing, lambda cells, _: (min(cells), max(cells)), weighted=weighted)
    negative = any(pair is not None and pair is not SUPPRESSED and pair[0] < 0 for pair in pairs)
    between = " to " if negative else "-"
    texts = [
        pair
        if pair is None or pair is SUPPRESSED
        else str(pair[0])
        if pair[0] == pair[1]
        else f"[{pair[0]}{between}{pair[1]}]"
        for pair in pairs
    ]
    assert displayed(wide["n"], star=True) == texts


@given(drawn=ROWS)
def test_the_weighted_median_is_the_lower_one(drawn: list[Any]) -> None:
    numbers = [0 if row[1] is None else row[1] for row in drawn]
    labels = groups_of([row[0] for row in drawn])
    weights = np.array([row[3] for row in drawn])
    result = median(np.array(numbers, dtype=float)[:, None], labels.labels, labels.count, weights)[:, 0]
    for group in range(labels.count):
        rows = np.flatnonzero(labels.labels == group)
        assert result[group] == lower_median([numbers[row] for row in rows], weights[rows].tolist())


def test_half_of_the_weight_is_enough_for_a_value() -> None:
    records, groups = table([1, None, 3, None], [0, None, 1, None]), groups_of([0, 0, 1, 1])
    ways = {"n": "mean", "c": "mode"}
    release = recode(records, groups, recodings=ways)
    assert displayed(release["n"], star=False) == [1, 1, 3, 3]
    assert displayed(release["c"], star=False) == ["a", "a", "b", "b"]
    release = recode(records, groups, recodings=ways, weights=np.array([1.0, 2.0, 2.0, 1.0]))
    assert displayed(release["n"], star=False) == [None, None, 3, 3]
    assert displayed(release["c"], star=False) == [None, None, "b", "b"]


def test_the_node_that_stands_for_missing_is_a_missing_cell() -> None:
    records, groups = table([1, 1, 1, 1, 1, 1], [None, None, 0, None, 1, 1], gap=True), groups_of([0, 0, 0, 1, 1, 1])
    ways = {"n": "mean", "c": "mode"}
    assert displayed(recode(records, groups, recodings=ways)["c"], star=False) == [None] * 3 + ["b"] * 3
    wildcard = recode(records, groups, recodings=ways, missing="wildcard")["c"]
    assert displayed(wildcard, star=False) == [None, None, "a", None, "b", "b"]
    assert (
        displayed(recode(records, groups, recodings=ways, missing="impute")["c"], star=False) == ["a"] * 3 + ["b"] * 3
    )
    wide = recode(records, groups, recodings={"n": "mean", "c": "lcs"})["c"]
    assert displayed(wide, star=False) == ["*"] * 6


def test_a_group_without_a_cell_gets_the_value_of_the_table() -> None:
    records, groups = table([None, None, 4, 8], [None, None, 2, 2]), groups_of([0, 0, 1, 1])
    release = recode(records, groups, recodings={"n": "mean", "c": "mode"}, missing="impute")
    assert displayed(release["n"], star=False) == [6, 6, 6, 6]
    assert displayed(release["c"], star=False) == ["c"] * 4


@pytest.mark.parametrize("missing", ["category", "wildcard", "impute"])
@pytest.mark.parametrize("ways", [("mean", "mode"), ("median", "centroid"), ("interval", "lcs")])
def test_columns_without_any_cell_are_missing(missing: str, ways: tuple[str, str]) -> None:
    for dates in ((), ("n",)):
        records = table([None, None], [None, None], dates=dates)
        release = recode(records, groups_of([0, 0]), recodings=dict(zip("nc", ways, strict=True)), missing=missing)
        assert displayed(release["n"], star=False) == displayed(release["c"], star=False) == [None, None]


def test_suppressed_records_have_a_star_whatever_the_root_is_called() -> None:
    values = np.zeros((3, 0))
    tree = Hierarchy(("France", "Japan", "World"), (2, 2, 2))
    column = CategoricalColumn("c", Kind.HIERARCHICAL, tree, 1.0 - np.eye(3))
    codes = np.array([[0], [1], [0]])
    records = Records(("c",), values, Scale.raw(values), np.ones(1), (column,), codes)
    hidden = np.array([False, False, True])
    release = recode(records, groups_of([0, 0, 0]), recodings={"c": "lcs"}, suppressed=hidden)["c"]
    assert [release.words[place] for place in release.codes] == ["World", "World", "*"]
    assert release.codes.tolist() == [2, 2, 3]


def test_suppressed_records_give_no_value() -> None:
    records, groups = table([2, 4, 90, None], [0, 0, 1, None]), groups_of([0, 0, 0, 1])
    hidden = np.array([False, False, True, True])
    release = recode(records, groups, recodings={"n": "mean", "c": "lcs"}, suppressed=hidden)
    assert displayed(release["n"], star=False) == [3, 3, None, None]
    assert displayed(release["c"], star=False) == ["a", "a", "*", "*"]


def test_whole_numbers_with_gaps_stay_whole() -> None:
    records, groups = table([1, 2, None, None], [0, 0, 0, 0]), groups_of([0, 0, 1, 1])
    precisions = integer_columns(records, None)  # the stand-in of a missing cell is no whole number, and does not count
    release = recode(records, groups, recodings={"n": "mean", "c": "mode"}, precisions=precisions)["n"]
    assert isinstance(release, IntegerColumn)
    assert displayed(release, star=False) == [2, 2, None, None]


def test_dates_are_days_where_the_column_has_days_only_and_else_seconds() -> None:
    groups, ways = groups_of([0, 0, 1, 1]), {"n": "mean", "c": "mode"}
    release = recode(table([10, 13, None, None], [0] * 4, dates=("n",)), groups, recodings=ways)["n"]
    assert isinstance(release, DateColumn)
    assert displayed(release, star=False) == [12, 12, None, None]
    second = 1 / 86_400
    times = recode(table([0, 1 / 3, 2 * second, 2.5 * second], [0] * 4, dates=("n",)), groups, recodings=ways)["n"]
    assert times.format() == ["1970-01-01 04:00:00"] * 2 + ["1970-01-01 00:00:02"] * 2


def test_means_stay_within_the_bounds_of_the_column() -> None:
    cells = [(-a / 10, b / 100) for a in range(1, 40) for b in range(1, 40)]
    for low, high in cells:  # low + (high - low) is above high in some of them
        values = np.array([[low], [high]])
        records = Records(("a",), values, Scale.raw(values), np.ones(1))
        release = recode(records, groups_of([0, 0]), recodings={"a": "mean"}, weights=np.array([1e-3, 1e17]))["a"]
        assert release.max() <= high

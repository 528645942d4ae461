"""Rounding that keeps totals, compared with all choices of neighbors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.recoding import nearest_total
from shoal.domain import IntegerColumn, Partition, Precision, Records, Scale
from shoal.recode import INTEGER, recode, round_to_total

GROUPS = st.lists(st.lists(st.integers(-20, 20), min_size=1, max_size=6), min_size=1, max_size=9)


def recode_values(values: list[list[float]], **options):
    column = np.array([[value] for group in values for value in group], dtype=float)
    labels = np.repeat(np.arange(len(values)), [len(group) for group in values])
    records = Records(("a",), column, Scale.standardized(column), np.ones(1))
    groups = Partition(labels, k=1, method="none")
    given = {"recodings": {"a": "mean"}, "precisions": {"a": Precision(0, 0)}, "keep_totals": True, **options}
    return recode(records, groups, **given)["a"].numbers


@given(GROUPS)
def test_as_near_as_the_sizes_allow(groups: list[list[int]]) -> None:
    centers, sizes = [sum(group) / len(group) for group in groups], [len(group) for group in groups]
    total = sum(map(sum, groups))
    rounded, left = round_to_total(np.array(centers), np.array(sizes), total)
    assert all(
        number in (math.floor(center), math.ceil(center)) for number, center in zip(rounded, centers, strict=True)
    )
    assert left == total - (rounded * sizes).sum()
    assert abs(left) == nearest_total(centers, sizes, total)


def test_the_greatest_fractions_go_up() -> None:
    rounded, left = round_to_total(np.array([1.2, 2.5, 3.5, 4.9, 7.0]), np.full(5, 3), 57)
    assert (rounded.tolist(), left) == ([1, 3, 3, 5, 7], 0)
    rounded, left = round_to_total(np.array([1.5, 1.5]), np.array([3, 2]), 8)
    assert (rounded.tolist(), left) == ([2, 1], 0)


def test_a_total_that_no_choice_has_leaves_the_least_over() -> None:
    rounded, left = round_to_total(np.array([0.5, 0.5]), np.array([4, 4]), 3)
    assert (rounded.tolist(), left) == ([1, 0], -1)
    rounded, left = round_to_total(np.array([2.0, 3.0]), np.array([4, 4]), 100)
    assert (rounded.tolist(), left) == ([2, 3], 80)


def test_many_groups_have_no_rest() -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(5, 10, 20_000)
    sums = rng.integers(0, 1000, 20_000) * sizes + rng.integers(0, sizes)
    rounded, left = round_to_total(sums / sizes, sizes, int(sums.sum()))
    assert left == 0
    assert int((rounded * sizes).sum()) == int(sums.sum())


def test_large_whole_weights_have_no_rest() -> None:
    rng = np.random.default_rng(6)
    sizes = rng.integers(2_000, 90_000, 300)
    center = rng.random(300) * 50
    total = round(float((sizes * center).sum()))
    rounded, left = round_to_total(center, sizes.astype(float), total)
    assert left == 0
    assert int((rounded * sizes).sum()) == total


def test_weights_that_are_not_whole_come_near() -> None:
    rng = np.random.default_rng(7)
    sizes, center = rng.random(200) * 9 + 1, rng.random(200) * 50
    total = float((sizes * center).sum())
    rounded, left = round_to_total(center, sizes, total)
    assert left == pytest.approx(total - float((sizes * rounded).sum()), abs=1e-9)
    assert abs(left) <= sizes.max() / 2


@given(GROUPS)
def test_a_release_keeps_its_total_where_every_record_may_move(groups: list[list[int]]) -> None:
    column = recode_values(
        [*groups, [0], [1]]
    )  # lone records are whole already; what the others leave over stays as it is
    total, result = sum(map(sum, groups)) + 1, int(column.sum())
    centers, sizes = [sum(group) / len(group) for group in groups], [len(group) for group in groups]
    assert (column == np.rint(column)).all()
    assert abs(total - result) == nearest_total(centers, sizes, total - 1)
    assert column.min() >= min(0, min(map(min, groups)))
    assert column.max() <= max(1, max(map(max, groups)))


def test_without_the_option_each_group_is_rounded_by_itself() -> None:
    groups = [[1, 2], [1, 2], [1, 2], [1, 2]]
    assert recode_values(groups, keep_totals=False).sum() == 16
    assert recode_values(groups).sum() == 12


def test_totals_with_weights() -> None:
    weights = np.array([3.0, 1.0, 2.0, 2.0, 1.0, 3.0])
    values = [[1, 4], [2, 3], [7, 8]]
    flat = np.array([value for group in values for value in group])
    assert (recode_values(values, weights=weights) * weights).sum() == (flat * weights).sum()


def test_a_total_with_gaps_is_that_of_the_filled_column() -> None:
    values = np.array([[1.0], [2.0], [0.0], [5.0], [6.0], [6.0]])
    is_missing = np.array([[False], [False], [True], [False], [False], [False]])
    records = Records(("a",), values, Scale.standardized(values), np.ones(1), missing=is_missing)
    groups = Partition(np.array([0, 0, 0, 1, 1, 1]), k=3, method="none")
    options = {"recodings": {"a": "mean"}, "precisions": {"a": INTEGER}, "keep_totals": True}
    assert recode(records, groups, **options)["a"].tolist() == [1, 1, 1, 6, 6, 6]  # 3 * 1.5 + 17 = 21.5
    wild = recode(records, groups, missing="wildcard", **options)["a"]
    assert isinstance(wild, IntegerColumn)
    assert np.nansum(wild.numbers) == 20

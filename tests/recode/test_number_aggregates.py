"""Group means and medians, compared with their definitions."""

from __future__ import annotations

import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.domain import Partition, Records, Scale
from shoal.recode import INTEGER, recode
from shoal.recode.number_aggregates import mean, median

GROUPED = st.lists(st.tuples(st.integers(0, 3), st.floats(-1e9, 1e9)), min_size=1, max_size=30)


def aggregate(values: np.ndarray, labels: list[int], **options) -> dict:
    names = tuple("abc"[: values.shape[1]])
    records = Records(names, values, Scale.standardized(values), np.ones(values.shape[1]))
    ways = dict.fromkeys(names, options.pop("way", "mean"))
    return recode(records, Partition(np.array(labels), k=2, method="none"), recodings=ways, **options)


@given(GROUPED)
def test_mean_and_median_are_those_of_the_groups(rows) -> None:
    _, labels = np.unique([label for label, _ in rows], return_inverse=True)
    values = np.array([[value] for _, value in rows])
    groups = labels.max() + 1
    for group in range(groups):
        inside = values[labels == group, 0].tolist()
        exact = float(sum(map(Fraction, inside)) / len(inside))
        spread = max(map(abs, inside)) or 1.0
        assert mean(values, labels, groups)[group, 0] == pytest.approx(
            exact, abs=1e-12 * max(spread, np.abs(values).max())
        )
        assert median(values, labels, groups)[group, 0] == pytest.approx(statistics.median(inside), rel=1e-15)


@pytest.mark.parametrize("value", [0.1, 1e300, -1e-300, 1e15 + 1, 5e-324])
def test_equal_values_keep_their_value(value: float) -> None:
    values = np.full((7, 1), value)
    for way in ("mean", "median"):
        assert set(aggregate(values, [0, 0, 0, 1, 1, 1, 1], way=way)["a"].tolist()) == {value}


def test_huge_values_do_not_overflow() -> None:
    values = np.array([[1.7e308], [1.7e308], [-1.7e308], [1.6e308]])
    assert aggregate(values, [0, 0, 1, 1])["a"].tolist() == pytest.approx([1.7e308, 1.7e308, -5e306, -5e306])


def test_whole_numbers_stay_whole_by_older_policies_and_halves_go_to_even() -> None:
    values = np.array([[1, 0.5], [2, 1.5], [4, 2.0], [5, 3.0]])
    released = aggregate(values, [0, 0, 1, 1], precisions={"a": INTEGER})
    assert released["a"].dtype == np.int64
    assert released["a"].tolist() == [2, 2, 4, 4]
    assert released["b"].tolist() == [1.0, 1.0, 2.5, 2.5]


def test_no_negative_zero_tells_records_apart() -> None:
    values = np.array([[-0.0], [0.0], [-1.0], [1.0]])
    released = aggregate(values, [0, 0, 1, 1])["a"]
    assert not np.signbit(released).any()

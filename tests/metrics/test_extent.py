"""The mean extent of classes: equal to a count cell by cell, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import mondrian_mixed
from shoal.metrics.extent import extent

NONE = np.empty((4, 0), dtype=np.int64)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 30), numbers=st.integers(0, 2), codes=st.integers(0, 3))
def test_equals_a_count_cell_by_cell(seed: int, n: int, numbers: int, codes: int) -> None:
    draw = np.random.default_rng(seed)
    values, places = draw.normal(size=(n, numbers)), 2 * draw.integers(0, 5, (n, codes))
    labels, ordinal = draw.integers(0, 4, n), [bool(draw.integers(0, 2)) for _ in range(codes)]
    result = extent(values.T, places.T, ordinal, labels)
    assert result == pytest.approx(mondrian_mixed.extent(values, places, ordinal, labels) if numbers + codes else 0.0)


def test_by_hand() -> None:
    labels = np.array([0, 0, 1, 1])
    codes = np.array([[0, 0], [3, 3], [7, 7], [7, 7]])
    assert extent(np.array([[0.0], [1], [2], [4]]).T, NONE.T, [], labels) == pytest.approx((2 * 0.25 + 2 * 0.5) / 4)
    assert extent([], codes[:, :1].T, [False], labels) == pytest.approx(2 * 0.5 / 4)
    assert extent([], codes.T, [True, False], labels) == pytest.approx(2 * (0.5 + 0.5) / 8)


def test_one_class_covers_everything_and_single_records_nothing() -> None:
    values, codes = np.array([[1.0, 5], [2, 5], [3, 5]]), np.array([[0], [1], [2]])
    assert extent(values.T, codes.T, [False], np.zeros(3, dtype=np.int64)) == pytest.approx(2 / 3)
    assert extent(values.T, codes.T, [False], np.arange(3)) == 0.0


def test_huge_numbers_have_a_finite_extent() -> None:
    values = np.array([[-1.7e308], [0.0], [0.0], [1.7e308]])
    assert extent(values.T, NONE.T, [], np.array([0, 0, 1, 1])) == pytest.approx(0.5)

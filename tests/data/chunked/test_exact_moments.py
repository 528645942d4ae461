"""Exact sums, compared with fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.chunked.exact_moments import ExactMoments
from shoal.domain import Scale

finite = st.floats(allow_nan=False, allow_infinity=False)
weighted = st.lists(st.tuples(finite, st.integers(1, 10**12)), max_size=8)


def moments(pairs: list[tuple[float, int]]) -> ExactMoments:
    return ExactMoments.of(
        np.array([value for value, _ in pairs]), np.array([count for _, count in pairs], dtype=np.int64)
    )


@settings(max_examples=max(settings().max_examples // 5, 1))
@given(weighted, weighted)
def test_sums_are_exact_and_add_up(one: list[tuple[float, int]], two: list[tuple[float, int]]) -> None:
    found, both = moments(one) + moments(two), one + two
    assert found == moments(both)
    assert found.count == sum(count for _, count in both)
    assert Fraction(found.sum, 2**1074) == sum((Fraction(value) * count for value, count in both), Fraction(0))
    assert Fraction(found.squares, 2**2148) == sum((Fraction(value) ** 2 * count for value, count in both), Fraction(0))
    if both:
        assert (found.low, found.high) == (min(value for value, _ in both), max(value for value, _ in both))
        assert found.low <= found.mean <= found.high


@pytest.mark.parametrize("shift", [0.0, 1e6, -1e8])
def test_the_scale_is_that_of_the_numbers(shift: float) -> None:
    values = np.random.default_rng(1).lognormal(3, 2, 40_000) + shift
    exponent, center, spread = ExactMoments.of(values, np.ones(len(values), dtype=np.int64)).standardized()
    scale = Scale.standardized(values[:, None])
    assert exponent == scale.exponent[0]
    assert math.isclose(center, scale.center[0], rel_tol=1e-12)
    assert math.isclose(spread, scale.spread[0], rel_tol=1e-12)


@pytest.mark.parametrize("values", [[], [0.0], [5.0, 5.0], [1e308, 1e308], [5e-324]])
def test_what_is_constant_moves_to_zero(values: list[float]) -> None:
    found = ExactMoments.of(np.array(values), np.ones(len(values), dtype=np.int64))
    assert found.standardized() == (0, values[0] if values else 0.0, 1.0)
    assert found.mean == (values[0] if values else 0.0)


def test_the_largest_and_the_smallest_numbers_have_a_spread() -> None:
    huge = np.array([1.7976931348623157e308, -1.7976931348623157e308])
    assert ExactMoments.of(huge, np.ones(2, dtype=np.int64)).standardized() == (1024, 0.0, pytest.approx(math.sqrt(2)))
    tiny = np.array([5e-324, 0.0])
    exponent, center, spread = ExactMoments.of(tiny, np.ones(2, dtype=np.int64)).standardized()
    assert math.isfinite(center)
    assert (exponent, spread) == (-1073, pytest.approx(math.sqrt(0.125)))

"""Exponents of made-up times."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measuring.fit import exponent

SIZES = [1_000 * 2**i for i in range(8)]


@given(power=st.floats(0.2, 3), unit=st.floats(1e-9, 1e-3), count=st.integers(2, 8))
def test_a_power_is_found_again(power: float, unit: float, count: int) -> None:
    sizes = SIZES[:count]
    assert exponent(sizes, [unit * n**power for n in sizes]) == pytest.approx(power)


def test_the_upper_half_counts() -> None:
    """What a run costs anyway, or another way for small tables, hides nothing."""
    times = [1.0] * 4 + [(n / SIZES[4]) ** 2 for n in SIZES[4:]]
    assert exponent(SIZES, times) == pytest.approx(2)
    across = np.log(SIZES)
    whole = np.polyfit(across, np.log(times), 1)[0]
    assert whole < 1.5


def test_three_sizes_count_where_there_are_so_many() -> None:
    assert exponent(SIZES[:4], [9.0, 1.0, 2.0, 4.0]) == pytest.approx(1)


def test_one_size_tells_no_growth() -> None:
    with pytest.raises(ValueError, match="two sizes"):
        exponent([1_000], [1.0])

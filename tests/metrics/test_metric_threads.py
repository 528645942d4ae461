"""Metrics on several threads: the same values to the last bit, and the same numpy warnings."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.domain.scale import times_power_of_two
from shoal.errors import ShoalWarning
from shoal.system import threads

COLUMNS = ["age", "sex", "region", "education", "income"]


def test_figures_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.metrics.inputs.BLOCK_RECORDS", 64)
    table = shoal.example_register(500)
    result = []
    for count in (1, 2, 5):
        with threads.use_threads(count), warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            roles = {"quasi_identifiers": COLUMNS, "identifiers": ["person_id", "name"], "sensitive": ["diagnosis"]}
            release = shoal.anonymize(table, k=3, method="mondrian", **roles)
            result.append((release.evaluation.to_dict(), release.partition.semantic_loss, release.table.rows()))
    assert result[1:] == result[:1] * 2


def test_what_is_set_around_shared_work_is_set_inside() -> None:
    huge = np.array([1e308, 1e308])
    with threads.use_threads(2), np.errstate(over="ignore"):
        assert list(threads.parallel_map(lambda number: float((huge * number).sum()), [10, 100])) == [np.inf, np.inf]


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=5), st.integers(-2200, 2200))
def test_a_product_is_ldexp_to_the_last_bit(numbers: list[float], exponent: int) -> None:
    values = np.array(numbers)
    with np.errstate(all="ignore"):
        product, expected = times_power_of_two(values, exponent), np.ldexp(values, exponent)
    assert product.tobytes() == expected.tobytes()

"""Mondrian, strict and relaxed: equal to the naive version, with the properties that the paper states."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_oracles import records, tables

import naive
from naive import clusters
from shoal.domain import Records, Scale
from shoal.microaggregation.registry import get_method, run

ORACLES = {"mondrian": clusters.mondrian, "mondrian-relaxed": clusters.mondrian_relaxed}
GENEROUS = settings(suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("method", ORACLES)
@GENEROUS
@given(values=tables(), k=st.integers(2, 12), standardized=st.booleans())
def test_equals_its_oracle(method: str, values: np.ndarray, k: int, standardized: bool) -> None:
    given, k = records(values, standardized=standardized), min(k, len(values))
    labels = run(given, k=k, method=method).labels
    assert labels.tolist() == naive.renumbered(ORACLES[method](given.matrix, k))


@pytest.mark.parametrize("method", ORACLES)
@pytest.mark.parametrize("columns", [1, 4])
def test_equals_its_oracle_on_many_records(method: str, columns: int) -> None:
    values = np.random.default_rng(columns).standard_normal((2000, columns)).round(1)
    given = records(values)
    assert run(given, k=5, method=method).labels.tolist() == naive.renumbered(ORACLES[method](given.matrix, 5))


@GENEROUS
@given(values=tables(), k=st.integers(2, 6))
def test_no_group_could_be_cut_further(values: np.ndarray, k: int) -> None:
    k = min(k, len(values))
    given = records(values)
    labels = run(given, k=k, method="mondrian").labels
    for group in range(labels.max() + 1):
        for column in given.matrix[labels == group].T:
            below = np.array([(column <= value).sum() for value in column])
            assert not ((below >= k) & (len(column) - below >= k)).any()


@GENEROUS
@given(values=tables(), k=st.integers(2, 6))
def test_strict_keeps_equal_records_together(values: np.ndarray, k: int) -> None:
    labels = run(records(values), k=min(k, len(values)), method="mondrian").labels
    for record in np.unique(values, axis=0):
        assert len(set(labels[(values == record).all(axis=1)])) == 1


@pytest.mark.parametrize("n", [24, 100, 999])
def test_strict_groups_have_at_most_2k_minus_1_records_without_ties(n: int) -> None:
    sizes = run(records(np.random.default_rng(n).permutation(n * 3).reshape(n, 3) / 7), k=4, method="mondrian").sizes
    assert sizes.max() <= 7


def test_the_cut_below_the_median_is_tried() -> None:
    labels = run(records(np.array([[0.0], [0], [0], [1], [1], [1], [1], [2]])), k=3, method="mondrian").labels
    assert labels.tolist() == [0, 0, 0, 1, 1, 1, 1, 1]


def test_the_next_column_is_tried_where_the_widest_cannot_be_cut() -> None:
    values = np.array([[9.0, 1], [5, 1], [5, 2], [5, 2], [5, 3], [5, 3]])
    labels = run(records(values), k=2, method="mondrian").labels
    assert labels.tolist() == [0, 0, 1, 1, 2, 2]


def test_a_weight_makes_a_column_wider() -> None:
    values = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    groups = []
    for weights in ([4.0, 1.0], [1.0, 4.0]):
        weighted = Records(("a", "b"), values, Scale.standardized(values), np.array(weights))
        groups.append(run(weighted, k=2, method="mondrian-relaxed").labels.tolist())
    assert groups == [[0, 0, 1, 1], [0, 1, 0, 1]]


def test_the_registry_tells_that_equal_records_set_no_limit() -> None:
    assert get_method("mondrian").largest_group_text == "as many as are equal"
    assert get_method("mondrian-relaxed").largest_group_text == "2k-1"
    assert run(records(np.ones((50, 2))), k=2, method="mondrian").count == 1

"""µ-Approx against its oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_oracles import records, tables

import naive
from naive import trees
from shoal import kernels
from shoal.domain import Space, no_progress
from shoal.microaggregation.registry import run


def assert_equal(values: np.ndarray, k: int, *, standardized: bool = True) -> None:
    given = records(values, standardized=standardized)
    labels = run(given, k=k, method="mu-approx").labels
    assert labels.tolist() == naive.renumbered(trees.mu_approx(given.matrix, k))


@settings(suppress_health_check=list(HealthCheck))
@given(values=tables(), k=st.integers(2, 9), standardized=st.booleans())
def test_equals_its_oracle(values: np.ndarray, k: int, standardized: bool) -> None:
    values = values[:80]
    assert_equal(values, min(k, len(values)), standardized=standardized)


@pytest.mark.parametrize("k", [2, 3, 5, 8])
def test_equals_its_oracle_on_larger_trees(k: int) -> None:
    assert_equal(np.random.default_rng(k).standard_normal((120, 3)), k)


@pytest.mark.parametrize("k", range(2, 12))
def test_no_tree_is_left_above_its_bound(k: int) -> None:
    """Paths, stars, caterpillars and random trees: what the data would seldom grow."""
    n = 90
    noise = np.random.default_rng(k)
    matrix = noise.standard_normal((n, 2))
    rows = np.arange(1, n)
    for above in (rows - 1, rows * 0, rows // 2, rows // (k + 1), noise.integers(0, rows), rows - 1 - (rows - 1) % k):
        up = np.concatenate([[-1], above])
        labels = kernels.graphs.neighbor_forest.decompose(
            Space.of_numbers(matrix), up, np.zeros(n, dtype=np.int64), k, progress=no_progress
        )
        edges = {(row, int(up[row])) for row in range(1, n)}
        sizes = np.unique(labels, return_counts=True)[1]
        assert k <= sizes.min() <= sizes.max() <= max(2 * k - 1, 3 * k - 5)
        expected = np.empty(n, dtype=np.int64)
        for number, part in enumerate(trees.decomposed(matrix, list(range(n)), edges, k)):
            expected[part] = number
        assert naive.renumbered(labels) == naive.renumbered(expected)

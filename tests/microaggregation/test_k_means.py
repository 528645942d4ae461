"""K-means: equal to its oracle, and clusters that are there are found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_oracles import records, tables

import naive
from naive import clusters
from shoal import kernels
from shoal.domain import Space
from shoal.microaggregation.registry import run


@settings(suppress_health_check=list(HealthCheck))
@given(values=tables(), k=st.integers(2, 12), standardized=st.booleans())
def test_equals_its_oracle(values: np.ndarray, k: int, standardized: bool) -> None:
    given, k = records(values, standardized=standardized), min(k, len(values))
    labels = run(given, k=k, method="k-means").labels
    assert labels.tolist() == naive.renumbered(clusters.k_means(given.matrix, k))


@pytest.mark.parametrize(("p", "k"), [(1, 3), (3, 2), (6, 10)])
def test_equals_its_oracle_on_many_records(p: int, k: int) -> None:
    given = records(np.exp(np.random.default_rng(p).standard_normal((400, p))))
    assert run(given, k=k, method="k-means").labels.tolist() == naive.renumbered(clusters.k_means(given.matrix, k))


def test_clusters_of_any_size_are_found() -> None:
    noise = np.random.default_rng(5)
    truth = np.repeat(np.arange(12), noise.integers(5, 10, 12))
    values = 100 * noise.standard_normal((12, 3))[truth] + noise.standard_normal((len(truth), 3))
    assert run(records(values), k=5, method="k-means").labels.tolist() == truth.tolist()


def test_equal_records_do_not_slow_it_down() -> None:
    sizes = run(records(np.ones((200_000, 2))), k=3, method="k-means").sizes
    assert sizes.min() == 3
    assert sizes.max() <= 5


@given(keys=st.lists(st.integers(-3, 3), min_size=1, max_size=70))
def test_the_sort_keeps_the_order_of_equal_keys(keys: list[int]) -> None:
    line = kernels.splits.two_means.init(Space.of_numbers(np.zeros((len(keys), 1))))
    line.keys[0], line.order[0] = keys, np.arange(len(keys))
    kernels.splits.two_means.sort(line, len(keys))
    assert line.order[0].tolist() == np.argsort(keys, kind="stable").tolist()
    assert line.keys[0].tolist() == sorted(keys)

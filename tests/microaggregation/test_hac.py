"""HAC and its variants give the partition of their oracles, whatever the linkage, the metric and the leftovers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_oracles import records, tables

import naive
import shoal
from naive import hac as oracle
from shoal.domain import Space
from shoal.errors import OptionError
from shoal.kernels import agglomerative
from shoal.microaggregation import hac
from shoal.microaggregation.registry import run

ORACLES = {"hac": oracle.hac, "hac-max": oracle.hac_max, "hac-priority": oracle.hac_priority}
MOST = 36
"""Records for the oracle, which compares all pairs before every merge."""


def assert_equal(values: np.ndarray, method: str, k: int, *, standardized: bool = True, **options: str) -> None:
    given = records(values, standardized=standardized)
    labels = run(given, k=k, method=method, options=options).labels
    assert labels.tolist() == naive.renumbered(ORACLES[method](given.matrix, k, **options))


@pytest.mark.parametrize("method", ORACLES)
@settings(suppress_health_check=list(HealthCheck))
@given(
    values=tables(),
    k=st.integers(2, 8),
    linkage=st.sampled_from(hac.LINKAGES),
    metric=st.sampled_from(hac.METRICS[:4]),
    leftovers=st.sampled_from(hac.LEFTOVERS),
    standardized=st.booleans(),
)
def test_equals_its_oracle(method: str, values, k, linkage, metric, leftovers, standardized) -> None:
    values = values[:MOST]
    metric = "euclidean" if linkage == "ward" else metric
    options = {"linkage": linkage, "metric": metric, "leftovers": leftovers}
    assert_equal(values, method, min(k, len(values)), standardized=standardized, **options)


@pytest.mark.parametrize("leftovers", hac.LEFTOVERS)
@pytest.mark.parametrize("link", hac.LINKAGES)
@pytest.mark.parametrize("method", ORACLES)
def test_a_grid_with_many_ties(method: str, link: str, leftovers: str) -> None:
    values = np.random.default_rng(3).integers(0, 5, (48, 2)).astype(float)
    assert_equal(values, method, 4, standardized=False, linkage=link, leftovers=leftovers)


@pytest.mark.parametrize("link", hac.LINKAGES)
def test_squares_that_underflow(link: str) -> None:
    values = np.column_stack([np.ones(40), np.random.default_rng(1).standard_normal(40) * 1e-161])
    for metric in ("euclidean", "mahalanobis"):
        run(records(values, standardized=False), k=3, method="hac", options={"linkage": link, "metric": metric})
    assert_equal(values, "hac", 3, standardized=False, linkage=link)


def mahalanobis(values: np.ndarray) -> np.ndarray:
    inverse = np.linalg.pinv(np.atleast_2d(np.cov(values.T)))
    difference = values[:, None] - values[None]
    return np.einsum("abi,ij,abj->ab", difference, inverse, difference)


@pytest.mark.parametrize("columns", [[0], [0, 1, 2], [3, 1, 4, 0, 5]], ids=["one", "three", "constant and collinear"])
def test_whitened_distances_are_those_of_mahalanobis(columns: list[int]) -> None:
    noise = np.random.default_rng(5).standard_normal((40, 3)) @ np.array([[2.0, 1, 0], [0, 1, 3], [1, 1, 1]])
    values = np.column_stack([noise, np.full(40, 0.1), noise[:, 0] - 2 * noise[:, 1], noise[:, 1] + 7])[:, columns]
    white = hac._whitened(Space.of_numbers(values)).matrix
    ours = ((white[:, None] - white[None]) ** 2).sum(axis=2)
    assert white.shape[1] == np.linalg.matrix_rank(values - values.mean(axis=0))
    assert ours == pytest.approx(mahalanobis(values), abs=1e-9)


def test_mahalanobis_does_not_know_the_units_of_any_mixture_of_columns() -> None:
    values = np.random.default_rng(6).standard_normal((60, 3))
    mixed = values @ np.array([[1.0, 9, 0], [0, 1, 0], [5, 0, 0.01]])
    for method in ORACLES:
        one, other = (shoal.partition(x, k=3, method=method, metric="mahalanobis").labels for x in (values, mixed))
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("method", ORACLES)
@pytest.mark.parametrize("metric", ["mahalanobis", "maximum"])
def test_equal_records_are_no_obstacle(method: str, metric: str) -> None:
    for values in (np.full((17, 2), 0.1), np.repeat([[0.0, 1.0], [1.0, 0.0]], [9, 11], axis=0)):
        for leftovers in hac.LEFTOVERS:
            partition = shoal.partition(values, k=3, method=method, metric=metric, leftovers=leftovers)
            assert 3 <= partition.sizes.min() <= partition.sizes.max() <= 5


def test_a_leftover_that_finds_all_groups_full_makes_one_split() -> None:
    values = np.array([0.0, 1.0, 2.1, 3.3, 4.6, 100.0])
    for leftovers in hac.LEFTOVERS:
        partition = shoal.partition(values, k=3, method="hac", leftovers=leftovers)
        assert partition.labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_the_linkages_and_metrics_are_numbered_as_in_the_kernel() -> None:
    assert [getattr(agglomerative, name.upper()) for name in hac.LINKAGES] == [0, 1, 2, 3, 4]
    assert [getattr(agglomerative, name.upper().replace("-", "_")) for name in hac.METRICS[:4]] == [0, 1, 2, 3]


@pytest.mark.parametrize("method", ORACLES)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"linkage": "singel"}, "There is no linkage 'singel'; did you mean 'single'"),
        ({"metric": "cosine"}, "There is no metric 'cosine'"),
        ({"leftovers": 1}, "There is no leftovers"),
        ({"linkage": "ward", "metric": "manhattan"}, "Option 'metric' .* with ward linkage"),
    ],
)
def test_bad_options_are_refused(method: str, options: dict, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        shoal.partition(np.eye(6), k=2, method=method, **options)


def test_too_many_records_are_refused() -> None:
    with pytest.raises(OptionError, match="at most 20,000 records"):
        shoal.partition(np.arange(20_001.0), k=2, method="hac")

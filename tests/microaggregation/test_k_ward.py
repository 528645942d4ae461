"""k-Ward gives the partition of its oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_oracles import records, tables

import naive
from naive import hac as oracle
from shoal.microaggregation.registry import run


def assert_equal(values: np.ndarray, k: int, *, standardized: bool) -> None:
    given = records(values, standardized=standardized)
    labels = run(given, k=k, method="k-ward").labels
    assert labels.tolist() == naive.renumbered(oracle.k_ward(given.matrix, k))


@settings(suppress_health_check=list(HealthCheck))
@given(values=tables(), k=st.integers(2, 8), standardized=st.booleans())
def test_equals_its_oracle(values: np.ndarray, k: int, standardized: bool) -> None:
    values = values[:40]
    assert_equal(values, min(k, len(values)), standardized=standardized)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_a_grid_with_many_ties(k: int) -> None:
    assert_equal(np.random.default_rng(k).integers(0, 5, (80, 2)).astype(float), k, standardized=False)


def test_groups_that_are_split_again_and_again() -> None:
    assert_equal(1.5 ** np.arange(60.0)[:, None], 3, standardized=False)


def test_many_equal_records_take_no_time() -> None:
    values = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]], 700, axis=0)
    partition = run(records(values, standardized=False), k=3, method="k-ward")
    assert partition.sizes.max() < 6
    assert naive.sse(values, partition.labels) == 0.0


def test_progress_does_not_go_back() -> None:
    reported: list[tuple[int, int]] = []
    values = 1.5 ** np.arange(90.0)[:, None]
    run(records(values), k=3, method="k-ward", progress=lambda *step: reported.append(step))
    assert reported == sorted(reported)
    assert reported[-1] == (90, 90)

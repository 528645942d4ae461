"""The minimum spanning tree partition against its oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_oracles import records, tables

import naive
from naive import trees
from shoal.errors import OptionError
from shoal.microaggregation.registry import run


def assert_equal(values: np.ndarray, k: int, *, standardized: bool = True, split: str = "diameter") -> None:
    given = records(values, standardized=standardized)
    labels = run(given, k=k, method="mst", options={"split": split}).labels
    assert labels.tolist() == naive.renumbered(trees.mst(given.matrix, k, split))


@settings(suppress_health_check=list(HealthCheck))
@given(
    values=tables(), k=st.integers(2, 8), standardized=st.booleans(), split=st.sampled_from(["diameter", "centroid"])
)
def test_equals_its_oracle(values: np.ndarray, k: int, standardized: bool, split: str) -> None:
    values = values[:60]
    assert_equal(values, min(k, len(values)), standardized=standardized, split=split)


def test_clusters_that_lie_apart_are_kept_apart() -> None:
    noise = np.random.default_rng(0)
    cluster = np.repeat(np.arange(10), 5)
    values = 100.0 * noise.permutation(10)[cluster, None] + noise.standard_normal((50, 2))
    shuffled = noise.permutation(50)
    labels = run(records(values[shuffled]), k=3, method="mst").labels
    assert labels.tolist() == naive.renumbered(cluster[shuffled])


def test_a_path_of_many_records() -> None:
    partition = run(records(np.arange(10_000.0)[:, None]), k=4, method="mst")
    assert partition.sizes.max() <= 7


@pytest.mark.parametrize("split", ["radius", "", 2, None])
def test_split_is_one_of_two(split: object) -> None:
    with pytest.raises(OptionError, match="no split"):
        run(records(np.eye(6)), k=2, method="mst", options={"split": split})

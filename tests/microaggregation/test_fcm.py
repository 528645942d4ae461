"""Fuzzy c-means: equal to its oracle; its memberships are those of the textbook."""

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
    labels = run(given, k=k, method="fcm").labels
    assert labels.tolist() == naive.renumbered(clusters.fcm(given.matrix, k))


def test_equals_its_oracle_on_many_records() -> None:
    given = records(np.exp(np.random.default_rng(2).standard_normal((400, 3))))
    assert run(given, k=4, method="fcm").labels.tolist() == naive.renumbered(clusters.fcm(given.matrix, 4))


@pytest.mark.parametrize("power", [0, 1, 3])
def test_centers_move_as_in_the_textbook(power: int) -> None:
    noise = np.random.default_rng(power)
    matrix, centers = noise.standard_normal((30, 2)), noise.standard_normal((4, 2))
    cloud = kernels.fuzzy_c_means.FuzzyClusters(
        Space.of_numbers(matrix), np.full(30, -1), centers.copy(), np.zeros((4, 2)), np.zeros(4)
    )
    tree = kernels.box_tree.box_tree.build_tree(Space.of_numbers(centers), np.arange(4))
    kernels.fuzzy_c_means.assign(cloud, tree, power, 0, 30)
    kernels.fuzzy_c_means.update_centers(cloud)
    m = 1 + 2.0**-power
    squared = ((matrix[:, None] - centers) ** 2).sum(axis=2)
    memberships = 1 / ((squared[:, :, None] / squared[:, None, :]) ** (1 / (m - 1))).sum(axis=2)
    expected = (memberships**m).T @ matrix / (memberships**m).sum(axis=0)[:, None]
    assert cloud.centers == pytest.approx(expected, rel=1e-4)
    assert cloud.labels.tolist() == memberships.argmax(axis=1).tolist()


def test_a_record_on_a_center_belongs_to_it_alone() -> None:
    matrix = np.array([[0.0], [1.0], [1.0]])
    cloud = kernels.fuzzy_c_means.c_means(
        Space.of_numbers(matrix), np.array([[0.0], [1.0], [1.0]]), 3, tick=lambda: None
    )
    assert cloud.labels.tolist() == [0, 1, 1]
    assert cloud.centers.tolist() == [[0.0], [1.0], [1.0]]


def test_one_cluster_that_cannot_be_told_apart_goes_to_mdav() -> None:
    given = records(np.ones((20, 2)))
    assert run(given, k=3, method="fcm").labels.tolist() == run(given, k=3, method="mdav-1").labels.tolist()

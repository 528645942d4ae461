"""Agglomerative clustering against a comparison of all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from naive import hac as oracle
from shoal.domain import Space, no_progress
from shoal.kernels import agglomerative

LINKAGES = ["single", "complete", "average", "centroid", "ward"]
METRICS = ["euclidean", "squared-euclidean", "manhattan", "maximum"]


def outcome(matrix, k, most, link, metric, by_size, progress=no_progress):
    rule = agglomerative.LinkageRule(LINKAGES.index(link), METRICS.index(metric), k, most, by_size)
    return agglomerative.agglomerate(Space.of_numbers(matrix), np.arange(len(matrix)), rule, progress=progress)


@pytest.mark.parametrize("by_size", [False, True])
@pytest.mark.parametrize("link", LINKAGES)
@pytest.mark.parametrize(("k", "most"), [(2, 3), (4, 4), (4, 7), (5, 60), (60, 60)])
def test_clusters_and_their_ages(link: str, k: int, most: int, by_size: bool) -> None:
    for seed, metric in enumerate(METRICS if link != "ward" else METRICS[1:2]):
        noise = np.random.default_rng(seed)
        for matrix in (noise.standard_normal((60, 3)), noise.integers(0, 4, (60, 2)).astype(float)):
            names, born = outcome(matrix, k, most, link, metric, by_size)
            alone = {row: [row] for row in range(60)}
            clusters, ages = oracle.agglomerate(matrix, alone, k, most, link, metric, by_size)
            assert {name: np.flatnonzero(names == name).tolist() for name in np.unique(names)} == clusters
            assert {name: born[name] for name in clusters} == ages


def test_clusters_at_the_start_stay_together() -> None:
    matrix = np.random.default_rng(2).standard_normal((30, 2))
    home = np.arange(30)
    home[[4, 9, 29]] = 4
    rule = agglomerative.LinkageRule(agglomerative.WARD, agglomerative.SQUARED_EUCLIDEAN, 3, 30, False)
    names, _ = agglomerative.agglomerate(Space.of_numbers(matrix), home, rule, progress=no_progress)
    assert names[4] == names[9] == names[29]
    assert np.unique(names, return_counts=True)[1].min() >= 3


def test_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.random.default_rng(4).standard_normal((200, 3))
    whole = outcome(matrix, 3, 5, "average", "euclidean", False)[0]
    reported: list[int] = []
    monkeypatch.setattr(agglomerative, "SLICE", 1)
    sliced = outcome(matrix, 3, 5, "average", "euclidean", False, lambda done, total: reported.append(done))[0]
    assert sliced.tolist() == whole.tolist()
    assert len(reported) > 200
    assert reported == sorted(reported)
    assert reported[-1] < 200

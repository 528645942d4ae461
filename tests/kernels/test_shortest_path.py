"""The shortest path over an order against all possible cuts."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from shoal.domain import Space, no_progress
from shoal.kernels.orders import shortest_path


@pytest.mark.parametrize("p", [1, 3])
@pytest.mark.parametrize("k", [2, 3])
def test_the_best_cut(p: int, k: int) -> None:
    for seed in range(20):
        ordered = np.random.default_rng(seed).standard_normal((12, p)) + 1e4
        labels = shortest_path.shortest_path(Space.of_numbers(ordered), k, progress=no_progress)
        assert naive.sse(ordered, labels) == pytest.approx(naive.best_cut(ordered, k), rel=1e-9)


def test_groups_are_runs_of_k_to_2k_minus_1_records() -> None:
    labels = shortest_path.shortest_path(
        Space.of_numbers(np.random.default_rng(0).standard_normal((500, 2))), 7, progress=no_progress
    )
    sizes = np.bincount(labels)
    assert (np.diff(labels) <= 0).all()
    assert 7 <= sizes.min() <= sizes.max() <= 13


def test_of_equal_costs_the_smaller_last_group_wins() -> None:
    labels = shortest_path.shortest_path(Space.of_numbers(np.zeros((7, 1))), 2, progress=no_progress)
    assert np.bincount(labels).tolist() == [2, 2, 3]


def test_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ordered = np.sort(np.random.default_rng(1).standard_normal((300, 1)), axis=0)
    whole = shortest_path.shortest_path(Space.of_numbers(ordered), 4, progress=no_progress)
    reported: list[int] = []
    monkeypatch.setattr(shortest_path, "SLICE", 500)
    sliced = shortest_path.shortest_path(
        Space.of_numbers(ordered), 4, progress=lambda done, total: reported.append(done)
    )
    assert sliced.tolist() == whole.tolist()
    assert len(reported) > 3
    assert reported[-1] == 300

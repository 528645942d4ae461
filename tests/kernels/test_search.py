"""The searches against sorting all distances."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from shoal.kernels import search, tree


def planted(seed: int, n: int, p: int, *, ties: bool) -> tuple[np.ndarray, tree.Tree]:
    noise = np.random.default_rng(seed)
    matrix = noise.integers(0, 3, (n, p)).astype(float) if ties else noise.standard_normal((n, p))
    return matrix, tree.plant(matrix, np.arange(n), matrix.mean(axis=0))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "p"), [(1, 1), (16, 2), (17, 3), (300, 4), (5000, 6)])
def test_nearest_and_farthest_while_records_leave(n: int, p: int, ties: bool) -> None:
    matrix, planting = planted(n, n, p, ties=ties)
    left = list(range(n))
    noise = np.random.default_rng(n)
    for _ in range(12):
        point = matrix[noise.integers(n)] + noise.integers(0, 2) * noise.standard_normal(p)
        far = naive.distances(matrix, point)
        expected = sorted(left, key=lambda row: (far[row], row))[:7]
        distance, rows = np.empty(7), np.empty(7, dtype=np.int64)
        search.nearest(planting, point, distance, rows)
        assert rows[: len(expected)].tolist() == expected
        assert distance[: len(expected)].tolist() == far[expected].tolist()
        assert (rows[len(expected) :] == search.NOBODY).all()
        if left:
            who, best = search.farthest(planting, point)
            assert who == min(left, key=lambda row: (-far[row], row))
            assert best == far[who]
        for row in noise.permutation(left)[: n // 12 + 1].tolist():
            tree.remove(planting, row)
            left.remove(row)


@pytest.mark.parametrize("n", [1, 15, 16, 17, 255, 256, 257, 4096, 4097, 9001])
def test_a_tree_holds_every_record_once_and_its_boxes_hold_the_records(n: int) -> None:
    matrix, planting = planted(n, n, 2, ties=False)
    taken = np.arange(tree.WIDTH) < planting.held[:, None]
    assert sorted(planting.rows[taken].tolist()) == list(range(n))
    assert planting.filled[0].sum() == n
    assert planting.low[0].min(axis=1).tolist() == matrix.min(axis=0).tolist()
    assert planting.high[0].max(axis=1).tolist() == matrix.max(axis=0).tolist()


def test_bounds_enclose_the_distances() -> None:
    matrix, planting = planted(5, 4000, 5, ties=False)
    low, high = np.empty(tree.WIDTH), np.empty(tree.WIDTH)
    first_leaf = len(planting.below)
    for point in (*matrix[:20], matrix[0] + 100.0):
        far = naive.distances(matrix, point)
        for node in range(first_leaf, len(planting.above)):
            block, slot = divmod(int(planting.above[node]), tree.WIDTH)
            inside = far[planting.rows[node - first_leaf, : planting.held[node - first_leaf]]]
            search.gaps(planting.low[block], planting.high[block], point, low)
            search.spans(planting.low[block], planting.high[block], planting.reach[block], planting.anchor, point, high)
            assert low[slot] <= inside.min()
            assert inside.max() <= high[slot]

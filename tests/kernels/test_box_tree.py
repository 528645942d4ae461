"""Searches in the box tree against sorting all distances."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from shoal.domain import Space
from shoal.kernels.box_tree import box_tree, neighbors


def planted(seed: int, n: int, p: int, *, ties: bool) -> tuple[np.ndarray, box_tree.BoxTree]:
    noise = np.random.default_rng(seed)
    matrix = noise.integers(0, 3, (n, p)).astype(float) if ties else noise.standard_normal((n, p))
    return matrix, box_tree.build_tree(Space.of_numbers(matrix), np.arange(n))


def assert_found(planting: box_tree.BoxTree, point: np.ndarray, far: np.ndarray, left: list[int]) -> None:
    """The seven records left that are nearest to a point and the seven farthest are those that sorting finds."""
    expected = sorted(left, key=lambda row: (far[row], row))[:7]
    distance, rows = np.empty(7), np.empty(7, dtype=np.int64)
    neighbors.nearest(planting, point, distance, rows)
    assert rows[: len(expected)].tolist() == expected
    assert distance[: len(expected)].tolist() == far[expected].tolist()
    assert (rows[len(expected) :] == neighbors.NO_RECORD).all()
    if left:
        expected = sorted(left, key=lambda row: (-far[row], row))[:7]
        neighbors.farthest(planting, point, distance, rows)
        assert rows[: len(expected)].tolist() == expected
        assert distance[: len(expected)].tolist() == far[expected].tolist()
        assert (rows[len(expected) :] == neighbors.NO_RECORD).all()


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "p"), [(1, 1), (32, 2), (33, 3), (300, 4), (5000, 6)])
def test_nearest_and_farthest_while_records_leave(n: int, p: int, ties: bool) -> None:
    matrix, planting = planted(n, n, p, ties=ties)
    left = list(range(n))
    noise = np.random.default_rng(n)
    for _ in range(12):
        point = matrix[noise.integers(n)] + noise.integers(0, 2) * noise.standard_normal(p)
        far = naive.distances(matrix, point)
        assert_found(planting, point, far, left)
        for row in noise.permutation(left)[: n // 12 + 1].tolist():
            box_tree.remove(planting, row)
            left.remove(row)


@pytest.mark.parametrize("n", [1, 31, 32, 33, 255, 256, 1023, 1024, 1025, 9001])
def test_a_tree_holds_every_record_once_and_its_boxes_hold_the_records(n: int) -> None:
    matrix, planting = planted(n, n, 2, ties=False)
    taken = np.arange(box_tree.WIDTH) < planting.leaf_sizes[:, None]
    assert sorted(planting.rows[taken].tolist()) == list(range(n))
    assert planting.counts[0].sum() == n
    sketch = (matrix - planting.anchor).astype(np.float32)
    assert planting.low[0].min(axis=1).tolist() == sketch.min(axis=0).tolist()
    assert planting.high[0].max(axis=1).tolist() == sketch.max(axis=0).tolist()


@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e-25])
def test_bounds_enclose_the_sketched_distances(scale: float) -> None:
    matrix, planting = planted(5, 4000, 5, ties=False)
    matrix *= scale
    planting = box_tree.build_tree(Space.of_numbers(matrix), np.arange(4000))
    low, high, inside = (np.empty(box_tree.WIDTH, dtype=np.float32) for _ in range(3))
    first_leaf = len(planting.children)
    for point in (*matrix[:20], matrix[0] + 100.0 * scale):
        sketch, _, norm = neighbors.approximate(planting, point)
        for node in range(first_leaf, len(planting.parents)):
            block, slot = divmod(int(planting.parents[node]), box_tree.WIDTH)
            neighbors.leaf_distances(planting.coords[node - first_leaf], sketch, inside)
            held = inside[: planting.leaf_sizes[node - first_leaf]]
            neighbors.box_lower_bounds(planting.low[block], planting.high[block], sketch, low)
            neighbors.box_upper_bounds(
                planting.low[block], planting.high[block], planting.max_norms[block], sketch, norm, high
            )
            assert low[slot] <= held.min()
            assert held.max() <= high[slot]


@pytest.mark.parametrize("outlier", [0.0, 1e3, 1e6, 1e9])
def test_a_sketched_distance_is_off_by_no_more_than_its_blur(outlier: float) -> None:
    matrix = np.random.default_rng(6).standard_normal((500, 13))
    matrix[7] += outlier
    planting = box_tree.build_tree(Space.of_numbers(matrix), np.arange(500))
    found = np.empty(box_tree.WIDTH, dtype=np.float32)
    for point in matrix[:20]:
        sketch, blur, _ = neighbors.approximate(planting, point)
        far = np.sqrt(naive.distances(matrix, point))
        for leaf, held in enumerate(planting.leaf_sizes):
            neighbors.leaf_distances(planting.coords[leaf], sketch, found)
            off = np.abs(np.sqrt(found[:held].astype(float)) - far[planting.rows[leaf, :held]])
            assert (off <= blur + far[planting.rows[leaf, :held]] * 2**-19).all()


@pytest.mark.parametrize("outlier", [1e3, 1e9, 1e15])
def test_searches_stay_exact_where_the_sketch_sees_nothing(outlier: float) -> None:
    """Far from the anchor, near neighbors are one point to the sketch; the exact distances decide."""
    matrix = np.random.default_rng(8).standard_normal((400, 3))
    matrix[5] = outlier
    planting = box_tree.build_tree(Space.of_numbers(matrix), np.arange(400))
    for point in matrix[:12]:
        far = naive.distances(matrix, point)
        distance, rows = np.empty(5), np.empty(5, dtype=np.int64)
        neighbors.nearest(planting, point, distance, rows)
        assert rows.tolist() == sorted(range(400), key=lambda row: (far[row], row))[:5]
        neighbors.farthest(planting, point, distance, rows)
        assert rows.tolist() == sorted(range(400), key=lambda row: (-far[row], row))[:5]

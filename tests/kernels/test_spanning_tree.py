"""The minimum spanning tree and its cuts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from naive import trees
from shoal.domain import Space, no_progress
from shoal.kernels.graphs import neighbor_forest, spanning_tree


def kruskal(matrix: np.ndarray) -> float:
    """The length of a minimum spanning tree, by joining the nearest two trees."""
    n, total = len(matrix), 0.0
    tree = list(range(n))
    pairs = sorted((float(((matrix[a] - matrix[b]) ** 2).sum()), a, b) for a, b in combinations(range(n), 2))
    for length, a, b in pairs:
        if tree[a] != tree[b]:
            total += length
            tree = [tree[a] if label == tree[b] else label for label in tree]
    return total


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "p"), [(1, 1), (2, 3), (30, 1), (40, 2), (80, 5)])
def test_no_spanning_tree_is_shorter(n: int, p: int, ties: bool) -> None:
    noise = np.random.default_rng(n)
    matrix = noise.integers(0, 3, (n, p)).astype(float) if ties else noise.standard_normal((n, p))
    kept = matrix.copy()
    tree = spanning_tree.minimum_spanning_tree(Space.of_numbers(matrix), progress=no_progress)
    assert (matrix == kept).all()
    assert tree.lengths.sum() == pytest.approx(kruskal(matrix), rel=1e-12)
    assert sorted(tree.order.tolist()) == list(range(n))
    edges = [(tree.lengths[row], row, tree.parents[row]) for row in tree.order[1:]]
    assert edges == trees.spanning(matrix)


def test_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.random.default_rng(1).standard_normal((300, 2))

    def everything() -> list[list[int]]:
        tree = spanning_tree.minimum_spanning_tree(Space.of_numbers(matrix), progress=hear)
        up, roots = neighbor_forest.grow(Space.of_numbers(matrix), 3, progress=hear)
        cut = spanning_tree.cut_longest(tree, 3, progress=hear)
        return [
            cut.tolist(),
            up.tolist(),
            neighbor_forest.decompose(Space.of_numbers(matrix), up, roots, 3, progress=hear).tolist(),
        ]

    reported: list[tuple[int, int]] = []

    def hear(done: int, total: int) -> None:
        reported.append((done, total))

    whole = everything()
    few = len(reported)
    monkeypatch.setattr(spanning_tree, "SLICE", 1)
    monkeypatch.setattr(neighbor_forest, "SLICE", 1)
    assert everything() == whole
    assert len(reported) > 10 * few
    assert all(0 <= done <= total == 300 for done, total in reported)

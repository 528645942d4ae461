"""The leaves of Ward's tree in order: against merging the nearest two of all, and against a plain chain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import tours
from shoal.domain import Space, no_progress
from shoal.kernels.graphs import neighbor_lists
from shoal.kernels.orders import ward_leaf_order


def points_of(point: np.ndarray) -> list[list[int]]:
    """The records of each point."""
    return [np.flatnonzero(point == number).tolist() for number in range(point.max() + 1)]


def order_of(space: Space) -> tuple[list[int], list[list[int]]]:
    first, point = space.distinct()
    return ward_leaf_order.leaf_order(space.take(first), np.bincount(point), progress=no_progress).tolist(), points_of(
        point
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [2, 3, 40])
def test_the_tree_is_that_of_the_nearest_two_of_all(n: int, seed: int) -> None:
    matrix = np.random.default_rng(seed).standard_normal((n, 2))
    matrix = np.repeat(matrix, np.random.default_rng(seed).integers(1, 4, n), axis=0)
    order, points = order_of(Space.of_numbers(matrix))
    assert order == tours.ward(matrix, points)


@given(steps=st.integers(1, 6), n=st.integers(1, 40), columns=st.integers(1, 3), seed=st.integers(0, 10**6))
def test_ties_go_as_in_a_plain_chain(steps: int, n: int, columns: int, seed: int) -> None:
    matrix = np.random.default_rng(seed).integers(0, steps, (n, columns)).astype(float)
    order, points = order_of(Space.of_numbers(matrix))
    assert order == tours.chained_ward(matrix, points)


def test_one_point() -> None:
    assert order_of(Space.of_numbers(np.ones((5, 2))))[0] == [0]


def test_each_cell_has_a_tree_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ward_leaf_order, "CELL_SIZE", 20)
    matrix = np.random.default_rng(2).standard_normal((70, 2))
    order, _ = order_of(Space.of_numbers(matrix))
    expected = []
    for rows in neighbor_lists.median_cells(Space.of_numbers(matrix), 20):
        expected += rows[tours.ward(matrix[rows], [[row] for row in range(len(rows))])].tolist()
    assert order == expected
    assert sorted(order) == list(range(70))


def test_slices_change_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    space, reported = Space.of_numbers(np.random.default_rng(1).standard_normal((200, 3))), []
    whole = ward_leaf_order.leaf_order(space, np.ones(200, dtype=np.int64), progress=no_progress)
    monkeypatch.setattr(ward_leaf_order, "SLICE", 10_000)
    sliced = ward_leaf_order.leaf_order(
        space, np.ones(200, dtype=np.int64), progress=lambda *step: reported.append(step)
    )
    assert np.array_equal(sliced, whole)
    assert reported == sorted(reported)
    assert len(reported) > 5

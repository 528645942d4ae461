"""Points in which nothing is farther apart than in the space."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.domain import Space
from shoal.search import embed
from shoal.search.embedding import _coordinates


def apart(points: np.ndarray) -> np.ndarray:
    return ((points[:, None] - points[None]) ** 2).sum(axis=2)


def tree_table(draw: np.random.Generator, size: int) -> np.ndarray:
    """Distances of Wu and Palmer in a random tree; the last node is the root."""
    parent = [int(draw.integers(i + 1, size)) for i in range(size - 1)] + [-1]
    above = []
    for node in range(size):
        path = [node]
        while parent[path[-1]] >= 0:
            path.append(parent[path[-1]])
        above.append(path)
    table = np.zeros((size, size))
    for a in range(size):
        for b in range(size):
            common = next(node for node in above[a] if node in above[b])
            table[a, b] = 1.0 - 2.0 * len(above[common]) / (len(above[a]) + len(above[b]))
    return table


def tables(draw: np.random.Generator) -> list[np.ndarray]:
    ranks = np.abs(np.subtract.outer(np.arange(7), np.arange(7))) / 6.0
    return [1.0 - np.eye(5), ranks, tree_table(draw, 12)]


def test_no_distance_is_exceeded() -> None:
    for seed in range(40):
        draw = np.random.default_rng(seed)
        for table in tables(draw):
            square = float(draw.random()) * 3.0 * table**2
            taken = draw.random(len(table)) < 0.6
            taken[0] = True
            for most in (1, 3, 64):
                found = _coordinates(square, taken, most)
                assert found.shape[1] <= most
                assert (apart(found)[taken] <= square[taken]).all()


@pytest.mark.parametrize("which", [0, 1])
def test_equality_and_ranks_are_kept(which: int) -> None:
    table = tables(np.random.default_rng(0))[which]
    found = _coordinates(table**2, np.ones(len(table), dtype=bool), 64)
    assert apart(found) == pytest.approx(table**2, abs=1e-8)


def test_a_space_of_numbers_stays_as_it_is_but_for_constant_columns() -> None:
    numbers = np.random.default_rng(0).normal(size=(6, 3))
    numbers[:, 1] = 4.0
    assert (embed(Space.of_numbers(numbers)) == numbers[:, [0, 2]]).all()


def test_a_mixed_space_is_nowhere_exceeded() -> None:
    draw = np.random.default_rng(5)
    given = tables(draw)
    codes = np.column_stack([draw.integers(0, len(table), 30) for table in given])
    space = Space.of(draw.normal(size=(30, 2)), codes, given, np.array([1.0, 0.5, 2.0]))
    true = apart(space.matrix[:, :2])
    for j, table in enumerate(given):
        true += (1.0, 0.5, 2.0)[j] * table[np.ix_(codes[:, j], codes[:, j])] ** 2
    found = apart(embed(space))
    assert (found <= true + 1e-12).all()
    assert found.sum() > 0.5 * true.sum()


def test_nodes_without_a_distance_have_one_place() -> None:
    table = (1.0 - np.eye(4))[[0, 0, 1, 2]][:, [0, 0, 1, 2]]
    found = _coordinates(table, np.ones(4, dtype=bool), 64)
    assert (found[0] == found[1]).all()
    assert apart(found) == pytest.approx(table, abs=1e-8)
    torn = table.copy()
    torn[0, 2] = torn[2, 0] = 0.5
    assert _coordinates(torn, np.ones(4, dtype=bool), 64).shape == (4, 0)
    assert _coordinates(np.zeros((3, 3)), np.ones(3, dtype=bool), 64).shape == (3, 0)

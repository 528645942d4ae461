"""Points of numbers and categories: searches against sorting all distances, and sketches that never say too much."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_box_tree import assert_found

import naive
from naive.mixed import Mixed
from shoal.domain import Space, no_progress
from shoal.domain.space import _sketch
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.distances import distances
from shoal.kernels.box_tree import box_tree
from shoal.kernels.sequential import farthest_pair, unassigned

EXACT = 2.0**32


def grown(nodes: int, noise: np.random.Generator) -> np.ndarray:
    """Wu-Palmer distances in a random tree."""
    above = [int(noise.integers(0, number)) for number in range(1, nodes)]
    hierarchy = Hierarchy.from_edges((f"n{number}", f"n{parent}") for number, parent in enumerate(above, start=1))
    return np.rint(distances(hierarchy) * EXACT) / EXACT


def senseless(nodes: int, noise: np.random.Generator) -> np.ndarray:
    """Whole quarters, drawn for each pair; none between some that differ."""
    table = np.tril(noise.integers(0, 5, (nodes, nodes)), -1) / 4.0
    return table + table.T


def drawn(kind: str, n: int, seed: int) -> tuple[Mixed, Space]:
    """The same points for the oracle and for the kernels."""
    noise = np.random.default_rng(seed)
    tables = {
        "trees": [grown(60, noise), grown(9, noise)],
        "wide": [grown(700, noise), 1.0 - np.eye(4)],
        "senseless": [senseless(8, noise), senseless(3, noise)],
        "constant": [grown(5, noise), 1.0 - np.eye(3)],
        "no numbers": [grown(60, noise), senseless(5, noise), 1.0 - np.eye(6)],
    }[kind]
    numbers = noise.integers(0, 4, (n, 0 if kind == "no numbers" else 2)).astype(float)
    codes = np.column_stack([noise.integers(0, len(table), n) for table in tables])
    if kind == "constant":
        numbers[:], codes[:, 1] = 0.3, 2
    weights = np.array([1.0, 0.05, 0.5])[: len(tables)]
    return Mixed(np.column_stack([numbers, codes]), tables, weights), Space.of(numbers, codes, tables, weights)


KINDS = ["trees", "wide", "senseless", "constant", "no numbers"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 33, 300, 3000])
def test_nearest_and_farthest_while_records_leave(kind: str, n: int) -> None:
    mixed, space = drawn(kind, n, seed=n)
    planting, left, noise = box_tree.build_tree(space, np.arange(n)), list(range(n)), np.random.default_rng(n)
    for turn in range(12):
        point = mixed[int(noise.integers(n))].copy()
        if turn % 2:  # a center: between the numbers, at a node that may have no record
            point[: space.n_numeric] += noise.standard_normal(space.n_numeric)
            point[space.n_numeric :] = [noise.integers(len(table)) for table in mixed.tables]
        far = mixed.distances(point)
        assert_found(planting, point, far, left)
        for row in noise.permutation(left)[: n // 12 + 1].tolist():
            box_tree.remove(planting, row)
            left.remove(row)


@pytest.mark.parametrize("kind", KINDS)
def test_the_most_distant_pair(kind: str) -> None:
    mixed, space = drawn(kind, 200, seed=7)
    table = np.array([mixed.distances(point) for point in mixed])
    expected = min(combinations(range(200), 2), key=lambda pair: (-table[pair], pair))
    assert farthest_pair.farthest_pair(unassigned.init(space), progress=no_progress) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_the_center_is_that_of_the_records_left(kind: str) -> None:
    mixed, space = drawn(kind, 120, seed=8)
    state = unassigned.init(space)
    for row in range(0, 120, 3):
        unassigned.assign(state, row, 0)
        expected = naive.mean(mixed, unassigned.unassigned_rows(state).tolist())
        assert unassigned.centroid(state) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_some_points_and_other_points_have_their_sketches(kind: str) -> None:
    _, space = drawn(kind, 50, seed=9)
    rows = np.arange(0, 50, 3)
    some, others = space.take(rows), space.with_points(space.matrix[rows])
    assert some.sketched_points.tolist() == others.sketched_points.tolist() == space.sketched_points[rows].tolist()
    assert some.matrix.tolist() == others.matrix.tolist() == space.matrix[rows].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_sketched_points_are_never_too_far_apart(kind: str) -> None:
    mixed, space = drawn(kind, 150, seed=10)
    true = np.array([mixed.distances(point) for point in mixed])
    apart = ((space.sketched_points[:, None] - space.sketched_points[None]) ** 2).sum(axis=2)
    assert (apart <= true * (1 + 1e-12)).all()
    assert (true - apart <= space.sketch_error * (1 + 1e-12)).all()


def assert_sketched(square: np.ndarray) -> None:
    places, beyond = _sketch(square)
    apart = ((places[:, None] - places[None]) ** 2).sum(axis=2)
    assert places.shape == (len(square), 2)
    assert (apart <= square).all()
    assert (square - apart <= beyond).all()


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    """Any symmetric table of distances, and those of random trees."""
    nodes, noise = draw(st.integers(1, 14)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        return grown(max(nodes, 2), noise)
    if draw(st.booleans()):
        return senseless(nodes, noise)
    table = np.tril(np.rint(noise.random((nodes, nodes)) ** draw(st.integers(1, 4)) * EXACT) / EXACT, -1)
    return table + table.T


@given(table=tables(), weight=st.sampled_from([1.0, 0.3, 1e-6]))
@example(table=np.zeros((1, 1)), weight=1.0)
@example(table=np.zeros((3, 3)), weight=1.0)
@example(table=1.0 - np.eye(2), weight=1.0)
@example(table=1.0 - np.eye(500), weight=1.0)
def test_a_sketch_never_says_too_much_and_tells_what_it_leaves_out(table: np.ndarray, weight: float) -> None:
    assert_sketched(weight * table**2)


def test_a_sketch_of_a_line_leaves_nothing_out() -> None:
    rank = np.arange(7.0)
    _, beyond = _sketch(((rank[:, None] - rank[None]) / 6.0) ** 2)
    assert beyond == pytest.approx(0.0, abs=1e-8)


def test_more_than_500_nodes_have_no_sketch() -> None:
    _, space = drawn("wide", 40, seed=11)
    assert not space.sketch[:700].any()
    assert space.sketch[700:].any()
    assert space.sketch_error >= space.squared_distances[: 700 * 700].max()


def test_these_distances_are_hard_to_sketch() -> None:
    """Or the tests above would show less: no triangle holds in the one table, and no coordinates give the other."""
    table = senseless(8, np.random.default_rng(300))
    assert (table[:, None, :] > table[:, :, None] + table[None, :, :]).any()
    square = grown(60, np.random.default_rng(300)) ** 2
    centered = square - square.mean(axis=0)
    assert np.linalg.eigvalsh(centered.mean(axis=1)[:, None] - centered)[0] < -0.01

"""Tours and the leaves of Ward's tree as orders to cut: the orders of mixed records, and the cut of a ring."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mixed_records import mixed_records
from test_oracles import records

import naive
from naive import orders, tours
from naive.mixed import Mixed
from shoal.domain import Records, Space, no_progress
from shoal.kernels.graphs import neighbor_lists
from shoal.kernels.orders import greedy_edges, two_opt, ward_leaf_order
from shoal.microaggregation.registry import run
from shoal.microaggregation.stages import best_cut_of_tour, order_by_points


def ring_cut(matrix: naive.Table, order: list[int], k: int) -> naive.Labels:
    """The best cut of an order, then of the same ring from the middle one of the cuts on."""
    labels = orders.shortest_path(matrix, order, k)
    parted = [i for i in range(1, len(order)) if labels[order[i]] != labels[order[i - 1]]]
    if not parted:
        return labels
    halfway = parted[len(parted) // 2]
    return orders.shortest_path(matrix, order[halfway:] + order[:halfway], k)


def expanded(points: list[int], point: np.ndarray) -> list[int]:
    """The records of one point after those of another."""
    return [row for number in points for row in np.flatnonzero(point == number)]


@given(drawn=mixed_records(), most=st.integers(1, 12))
def test_a_tour_of_any_points_visits_each_once_and_is_never_longer_than_before(drawn: Records, most: int) -> None:
    lists = neighbor_lists.nearest_neighbors(drawn.space, most)
    begun = greedy_edges.greedy_path(drawn.space, lists)
    done = two_opt.shorten(drawn.space, lists, begun, progress=no_progress)
    table = Mixed.of(drawn)
    assert sorted(begun) == sorted(done) == list(range(drawn.count))
    assert tours.length(table, done.tolist()) <= tours.length(table, begun.tolist()) * (1 + 1e-12)


@given(drawn=mixed_records())
def test_the_leaves_of_mixed_records_are_those_of_a_plain_chain(drawn: Records) -> None:
    first, point = drawn.space.distinct()
    order = ward_leaf_order.leaf_order(drawn.space.take(first), np.bincount(point), progress=no_progress)
    points = [np.flatnonzero(point == number).tolist() for number in range(len(first))]
    assert order.tolist() == tours.chained_ward(Mixed.of(drawn), points)


@given(drawn=mixed_records(), k=st.integers(2, 6))
def test_ward_mhm_is_the_cut_of_these_leaves(drawn: Records, k: int) -> None:
    table, k = Mixed.of(drawn), min(k, drawn.count)
    _, point = drawn.space.distinct()
    points = [np.flatnonzero(point == number).tolist() for number in range(int(point.max()) + 1)]
    order = expanded(tours.chained_ward(table, points), point)
    expected = naive.renumbered(orders.shortest_path(table, order, k))
    assert run(drawn, k=k, method="ward-mhm").labels.tolist() == expected


@given(drawn=mixed_records(), k=st.integers(2, 6))
def test_tour_mhm_is_the_cut_of_the_tour_from_its_longest_edge_on(drawn: Records, k: int) -> None:
    table, k = Mixed.of(drawn), min(k, drawn.count)
    first, point = drawn.space.distinct()
    space, points = drawn.space.take(first), table[first]
    lists = neighbor_lists.nearest_neighbors(space, 10)
    begun = ward_leaf_order.leaf_order(space, np.bincount(point), progress=no_progress)
    line = two_opt.shorten(space, lists, begun, progress=no_progress).tolist()
    gaps = [tours.apart(points, line[i - 1], line[i]) for i in range(len(line))]
    start = gaps.index(max(gaps))
    order = expanded(line[start:] + line[:start], point)
    assert run(drawn, k=k, method="tour-mhm").labels.tolist() == naive.renumbered(ring_cut(table, order, k))


def test_the_cut_of_a_ring_is_no_worse_than_of_a_line_and_mostly_the_best() -> None:
    better = best = 0
    for seed in range(40):
        drawn = records(np.random.default_rng(seed).standard_normal((25, 2)), standardized=False)
        order = tours.greedy(drawn.matrix)
        found = naive.sse(drawn.matrix, best_cut_of_tour(drawn, np.array(order), 3, progress=no_progress))
        line = naive.sse(drawn.matrix, orders.shortest_path(drawn.matrix, order, 3))
        turned = [order[start:] + order[:start] for start in range(5)]
        least = min(naive.sse(drawn.matrix, orders.shortest_path(drawn.matrix, each, 3)) for each in turned)
        assert least * (1 - 1e-12) <= found <= line * (1 + 1e-12)
        better, best = better + (found < line * (1 - 1e-9)), best + (found <= least * (1 + 1e-9))
    assert better
    assert best > 30


@given(drawn=mixed_records(exact=False))
def test_distinct_points_are_numbered_by_their_first_record(drawn: Records) -> None:
    rows = [tuple(row) for row in drawn.space.matrix.tolist()]
    known = list(dict.fromkeys(rows))
    first, point = drawn.space.distinct()
    assert first.tolist() == [rows.index(row) for row in known]
    assert point.tolist() == [known.index(row) for row in rows]


def test_zero_has_no_sign() -> None:
    first, point = Space.of_numbers(np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, 2.0]])).distinct()
    assert (first.tolist(), point.tolist()) == ([0, 2], [0, 0, 1])


def test_records_go_along_their_points() -> None:
    assert order_by_points(np.array([2, 0, 1]), np.array([0, 1, 2, 0, 2])).tolist() == [2, 4, 0, 3, 1]


@pytest.mark.parametrize("method", ["tour-mhm", "ward-mhm"])
def test_equal_records_stay_together_and_cost_nothing(method: str) -> None:
    values = np.random.default_rng(5).integers(0, 4, (400, 3)).astype(float)
    values = np.repeat(values, 3, axis=0)[np.random.default_rng(6).permutation(1200)]
    drawn = records(values)
    assert naive.sse(drawn.matrix, run(drawn, k=3, method=method).labels) < 1e-9


@pytest.mark.parametrize("method", ["tour-mhm", "ward-mhm"])
@pytest.mark.parametrize("k", [3, 5])
def test_less_is_lost_than_by_mdav(method: str, k: int) -> None:
    drawn = records(np.random.default_rng(1).standard_normal((1500, 3)))
    lost = {name: naive.sse(drawn.matrix, run(drawn, k=k, method=name).labels) for name in ("mdav", method)}
    assert lost[method] < lost["mdav"]


@pytest.mark.parametrize("method", ["tour-mhm", "ward-mhm"])
def test_many_points_are_cut_in_cells(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for kernels in (neighbor_lists, ward_leaf_order):
        monkeypatch.setattr(kernels, "CELL_SIZE", 60)
    drawn, reported = records(np.random.default_rng(1).standard_normal((1000, 3))), []
    labels = run(drawn, k=4, method=method, progress=lambda *step: reported.append(step)).labels
    assert naive.sse(drawn.matrix, labels) < 1.25 * naive.sse(drawn.matrix, run(drawn, k=4, method="mdav").labels)
    assert reported == sorted(reported)
    assert reported[-1] == (1000, 1000)

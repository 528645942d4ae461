"""Neighbor lists, greedy edges, 2-opt and Or-opt, each against plain lists."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from naive import tours
from shoal.domain import Space, no_progress
from shoal.kernels.graphs import neighbor_lists
from shoal.kernels.orders import greedy_edges, two_opt


def scattered(n: int, seed: int = 0, p: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, p))


def all_near(matrix: np.ndarray) -> np.ndarray:
    return neighbor_lists.nearest_neighbors(Space.of_numbers(matrix), len(matrix))


@pytest.mark.parametrize("values", [3, 10**6])
@pytest.mark.parametrize("cell", [50, 20_000])
def test_nearest_others_are_those_of_the_plain_loop(values: int, cell: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbor_lists, "CELL_SIZE", cell)
    matrix = np.random.default_rng(1).integers(0, values, (170, 2)).astype(float)
    space = Space.of_numbers(matrix)
    found, parts = neighbor_lists.nearest_neighbors(space, 7), neighbor_lists.median_cells(space, cell)
    assert len(parts) == (4 if cell == 50 else 1)
    assert sorted(np.concatenate(parts)) == list(range(170))
    for rows in parts:
        assert len(rows) <= cell
        for row in rows:
            far = naive.distances(matrix, matrix[row])
            assert found[row].tolist() == sorted(set(rows) - {row}, key=lambda other: (far[other], other))[:7]


def test_progress_and_slices_of_near_points(monkeypatch: pytest.MonkeyPatch) -> None:
    space, reported = Space.of_numbers(scattered(130)), []
    whole = neighbor_lists.nearest_neighbors(space, 5)
    monkeypatch.setattr(neighbor_lists, "SLICE", 20_000)
    sliced = neighbor_lists.nearest_neighbors(space, 5, progress=lambda *step: reported.append(step))
    assert np.array_equal(sliced, whole)
    assert len(reported) > 3
    assert reported[-1] == (130, 130)


@pytest.mark.parametrize("seed", range(5))
def test_greedy_edges_among_all_pairs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greedy_edges, "N_NEIGHBORS", 40)
    matrix = scattered(30, seed)
    assert greedy_edges.greedy_path(Space.of_numbers(matrix), all_near(matrix)).tolist() == tours.greedy(matrix)


def test_strands_are_joined_where_all_have_the_same_points_near() -> None:
    table = 1.0 - np.eye(3000)
    codes = np.arange(3000)[:, None]
    space = Space.of(np.empty((3000, 0)), codes, [table], np.ones(1))
    order = greedy_edges.greedy_path(space, neighbor_lists.nearest_neighbors(space, 3))
    assert sorted(order) == list(range(3000))


def begin(order: list[int]) -> tuple[two_opt.Tour, two_opt.PointQueue]:
    line, n = np.array(order), len(order)
    return (
        two_opt.Tour(line.copy(), np.argsort(line), np.zeros(1, dtype=np.int64)),
        two_opt.PointQueue(line.copy(), np.zeros(n, dtype=np.bool_), np.array([0, 0, 0])),
    )


def woken(queue: two_opt.PointQueue) -> set[int]:
    return set(np.flatnonzero(queue.queued).tolist())


def ends(before: list[int], after: list[int]) -> set[int]:
    """The points of the edges taken out."""
    return set().union(*(tours.edges(before) - tours.edges(after)))


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("n", [4, 5, 6, 12, 13])
def test_2_opt_makes_the_best_exchange(n: int, step: int) -> None:
    improved = 0
    for seed in range(8):
        matrix = scattered(n, seed)
        space, lists = Space.of_numbers(matrix), all_near(matrix)
        before = np.random.default_rng(seed).permutation(n).tolist()
        for row in range(n):
            line, queue = begin(before)
            changed = two_opt.two_opt_move(space, lists[row], line, queue, row, step)
            beside = tours.from_row(before, row, step)[1]
            here = tours.apart(matrix, row, beside)
            close = [other for other in lists[row].tolist() if tours.apart(matrix, row, other) < here]
            tried = tours.reconnected(before, row, step, close)
            best = min([before, *tried], key=lambda made: tours.length(matrix, made))
            assert tours.edges(line.order.tolist()) == tours.edges(best)
            assert changed == (tours.edges(best) != tours.edges(before))
            assert line.position[line.order].tolist() == list(range(n))
            assert woken(queue) | {row} == ends(before, best) | {row}
            improved += changed
    assert improved


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("n", [4, 5, 6, 7, 12, 13])
def test_or_opt_moves_the_shortest_piece_to_its_best_place(n: int, step: int) -> None:
    improved = 0
    for seed in range(8):
        matrix = scattered(n, seed)
        space, lists = Space.of_numbers(matrix), all_near(matrix)
        before = np.random.default_rng(seed).permutation(n).tolist()
        for row in range(n):
            line, queue = begin(before)
            changed = two_opt.or_opt_move(space, lists[row], line, queue, row, step)
            best = before
            for size in range(1, min(3, n - 3) + 1):
                around = tours.from_row(before, row, step)
                beside, far, last = around[1], around[(1 - size) % n], around[-size]
                spare = tours.apart(matrix, row, beside) + tours.apart(matrix, far, last)
                spare -= tours.apart(matrix, last, beside)
                close = [other for other in lists[row].tolist() if tours.apart(matrix, row, other) < spare]
                tried = tours.relocated(before, row, step, size, close)
                best = min([before, *tried], key=lambda made: round(tours.length(matrix, made), 9))
                if best is not before:
                    break
            assert tours.edges(line.order.tolist()) == tours.edges(best)
            assert changed == (best is not before)
            assert line.position[line.order].tolist() == list(range(n))
            assert woken(queue) | {row} >= ends(before, best)
            improved += changed
    assert improved


def test_a_tour_of_points_on_a_circle_is_the_circle() -> None:
    angle = 2 * np.pi * np.random.default_rng(3).permutation(200) / 200
    matrix = np.column_stack([np.cos(angle), np.sin(angle)])
    start, lists = np.arange(200), neighbor_lists.nearest_neighbors(Space.of_numbers(matrix), 10)
    done = two_opt.shorten(Space.of_numbers(matrix), lists, start, progress=no_progress)
    assert tours.length(matrix, done.tolist()) < 0.2 * tours.length(matrix, start.tolist())
    best = greedy_edges.greedy_path(Space.of_numbers(matrix), lists)
    assert tours.length(matrix, best.tolist()) == pytest.approx(400 * np.sin(np.pi / 200))


def test_slices_change_no_tour(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, reported = scattered(300), []
    space, lists = Space.of_numbers(matrix), neighbor_lists.nearest_neighbors(Space.of_numbers(matrix), 8)
    whole = two_opt.shorten(space, lists, np.arange(300), progress=no_progress)
    monkeypatch.setattr(two_opt, "SLICE", 10_000)
    sliced = two_opt.shorten(space, lists, np.arange(300), progress=lambda *step: reported.append(step))
    assert np.array_equal(sliced, whole)
    assert reported == sorted(reported)
    assert len(reported) > 5
    assert reported[-1] == (300, 300)

"""Column generation: its bound is never above the best partition, and its columns form good partitions."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import naive
from naive.bounds import error, least_cost
from naive.mixed import Mixed
from shoal.domain import Space
from shoal.errors import OptionError, PackageError
from shoal.search import column_bound, column_generation, elementary_bound, embed
from shoal.search.master_problem import (
    MasterProblem,
    _is_given,
    cut_coefficients,
    group_costs,
    group_rows,
    solve_set_partitioning,
    sorted_rows,
)


def least(points: np.ndarray, k: int) -> float:
    return least_cost(len(points), k, lambda group: error(points, group))


def test_no_partition_beats_it() -> None:
    near = []
    for seed in range(40):
        draw = np.random.default_rng(seed)
        k = int(draw.integers(2, 5))
        points = draw.normal(size=(int(draw.integers(k, 10)), 2)).round(int(draw.integers(0, 4)))
        bound, best = column_bound(points, k, effort=10**8).bound, least(points, k)
        assert bound.value <= best
        assert bound.value >= elementary_bound(points, k).value * (1.0 - 1e-9)
        assert bound.kind == "columns"
        near.append(bound.value >= best * 0.999)
    assert sum(near) > 25


def test_larger_groups_are_bound_by_smaller_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_generation, "_DIRECT", 3)  # so that groups of 3 come before those of 5
    for seed in range(4):
        points = np.random.default_rng(seed).normal(size=(11, 2))
        values = [column_bound(points, 5, effort=effort).bound.value for effort in (0, 10**6, 10**8)]
        assert values == sorted(values)
        assert values[0] < values[-1] <= least(points, 5)


def test_centers_that_are_nodes_are_not_beaten_either() -> None:
    for seed in range(6):
        draw = np.random.default_rng(seed)
        table = np.abs(np.subtract.outer(np.arange(4), np.arange(4))) / 3.0
        tables, weights = [1.0 - np.eye(4), table], np.array([1.0, 0.7])
        numbers, codes = draw.normal(size=(9, 1)), draw.integers(0, 4, (9, 2))
        mixed = Mixed(np.column_stack([numbers, codes]), tables, weights)
        best = least_cost(9, 3, lambda group, x=numbers, m=mixed: error(x, group) + sum(m.errors(list(group))))
        points = embed(Space.of(numbers, codes, tables, weights))
        bounds = elementary_bound(points, 3).value, column_bound(points, 3, effort=10**8).bound.value
        assert 0.0 < bounds[0] <= bounds[1] <= best


@pytest.mark.parametrize(
    ("points", "k"),
    [
        (np.ones((9, 2)), 3),
        (np.empty((9, 0)), 3),
        (np.repeat(np.eye(3), 4, axis=0), 4),
        (np.array([[0.0], [1.0]]), 2),
        (np.repeat(np.array([[0.0, 1e-200], [3.0, 1e-200]]), 40, axis=0), 7),
    ],
)
def test_equal_records_and_few_records(points: np.ndarray, k: int) -> None:
    found = column_bound(points, k, effort=10**7)
    assert found.bound.value == pytest.approx(0.5 if len(points) == 2 else 0.0, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8, 1e150])
def test_the_bound_is_as_large_as_its_table(scale: float) -> None:
    points = np.random.default_rng(3).normal(size=(40, 3))
    plain, scaled = (column_bound(points * much, 3, effort=10**8).bound.value for much in (1.0, scale))
    assert scaled / scale / scale == pytest.approx(plain, rel=1e-3)


def test_the_same_effort_gives_the_same_bound_and_none_the_elementary_one() -> None:
    points = np.random.default_rng(3).normal(size=(60, 3))
    first, second = (column_bound(points, 3, effort=10**8) for _ in range(2))
    assert first.bound == second.bound
    assert (first.groups == second.groups).all()
    nothing = column_bound(points, 3, effort=0).bound
    assert nothing.value == pytest.approx(elementary_bound(points, 3).value)
    assert nothing.value < first.bound.value


def test_groups_make_better_partitions() -> None:
    for seed in range(2):
        points = np.random.default_rng(seed).normal(size=(12, 2))
        labels = np.arange(12) // 3
        search = column_bound(points, 3, start=labels, effort=10**8)
        better = search.improve(labels)
        assert np.bincount(better).min() >= 3
        assert naive.sse(points, better) == pytest.approx(least(points, 3), rel=1e-3)
        assert search.bound.value <= naive.sse(points, better)
        assert naive.sse(points, search.improve(better)) <= naive.sse(points, better) * (1 + 1e-12)


def test_a_partition_stays_where_no_groups_make_a_better_one() -> None:
    points, labels = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12) // 6
    none = np.array([[0, 1, 2], [0, 1, 3]])
    assert (solve_set_partitioning(points, labels, none, np.zeros(12), nodes=10) == labels).all()


def test_many_records_have_the_elementary_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(0).normal(size=(30, 2))
    monkeypatch.setattr(column_generation, "MAX_RECORDS", 20)
    found = column_bound(points, 3)
    assert found.bound == elementary_bound(points, 3)
    labels = np.arange(30) // 3
    assert (found.improve(labels) == labels).all()


def test_the_groups_of_a_partition_are_known() -> None:
    pool = np.array([[0, 1, -1], [0, 1, 2], [3, 4, 5], [0, 3, -1]])
    assert _is_given(pool, np.array([0, 0, 0, 1, 1, 1])).tolist() == [False, True, True, False]


def test_k_is_checked() -> None:
    with pytest.raises(OptionError, match="more than the 3 records"):
        column_bound(np.ones((3, 2)), 4)


def test_groups_are_rows() -> None:
    assert group_rows(np.array([1, 0, 1, 1])).tolist() == [[1, -1, -1], [0, 2, 3]]
    assert sorted_rows(np.array([[3, 1], [2, -1]]), 3).tolist() == [[1, 3, -1], [2, -1, -1]]
    points = np.array([[0.0], [1.0], [5.0]])
    assert group_costs(points, np.array([[0, 1, -1], [0, 1, 2]])) == pytest.approx([0.5, 14.0])


def test_triples_that_two_groups_break_raise_the_value() -> None:
    points = np.vstack([np.eye(4), 10.0 + np.eye(4)])  # four records near each other, twice
    groups = [[j for j in range(4) if j != i] for i in range(4)]
    every = np.array([*groups, *([4 + j for j in group] for group in groups)])
    assert [found.tolist() for found in cut_coefficients(every[:2], np.array([[1, 2, 7]]), 8)] == [[0], [0]]
    master = MasterProblem(points)
    assert master.add(every) == 8
    assert master.add(every[:3]) == 0
    assert master.add(np.array([[0, 1, 2, 3], [4, 5, 6, 7]])) == 2
    loose = master.solve()
    assert loose is not None
    assert loose.value == pytest.approx(8 / 3 * error(points, [0, 1, 2]), rel=1e-4)
    assert len(master.add_violated_triples(loose.fractions))
    tight = master.solve()
    assert tight is not None
    assert tight.value == pytest.approx(2 * error(points, [0, 1, 2, 3]), rel=1e-4)
    assert tight.value == pytest.approx(tight.duals.sum() - tight.cut_duals.sum(), rel=1e-4)
    assert not len(master.add_violated_triples(tight.fractions))


def test_where_no_solver_is_installed_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(0).normal(size=(30, 2))
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(PackageError, match="highspy, which is not installed; run: pip install 'shoal\\[bounds\\]"):
        column_bound(points, 3, effort=10**6)
    assert elementary_bound(points, 3).value > 0

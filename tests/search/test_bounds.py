"""No partition beats the bounds, and they are what their formulas say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from naive.bounds import error, least_cost
from shoal.domain import Bound, Records, Scale
from shoal.errors import OptionError
from shoal.microaggregation import registry
from shoal.search import elementary_bound, exact_bound, lower_bounds


def records(values: np.ndarray, *, standardized: bool = False) -> Records:
    names = tuple(f"c{j}" for j in range(values.shape[1]))
    scale = Scale.standardized(values) if standardized else Scale.raw(values)
    return Records(names=names, values=values, scale=scale, weights=np.ones(len(names)))


def least(points: np.ndarray, k: int) -> float:
    return least_cost(len(points), k, lambda group: error(points, group))


@given(seed=st.integers(0, 10**6), n=st.integers(4, 9), k=st.integers(2, 3), spread=st.sampled_from([3, 1000]))
def test_no_partition_beats_the_bound(seed: int, n: int, k: int, spread: int) -> None:
    points = records(np.random.default_rng(seed).integers(0, spread, (n, 2)).astype(float)).matrix
    best, bound = least(points, k), elementary_bound(points, k)
    assert bound.value <= best
    assert bound.value > 0 or best < 1e-12 or spread == 3


@pytest.mark.parametrize(("n", "k"), [(40, 2), (40, 5), (7, 4), (5, 5)])
def test_the_bound_is_what_its_formula_says(n: int, k: int) -> None:
    given = records(np.random.default_rng(n * k).normal(size=(n, 3)), standardized=True)
    expected = 0.0
    for row in given.matrix:
        near = np.sort(naive.distances(given.matrix, row))[1:]
        expected += min(near[: s - 1].sum() / (2 * s) for s in range(k, min(2 * k - 1, n) + 1))
    bound = elementary_bound(given.matrix, k)
    assert bound.value == pytest.approx(expected, rel=1e-12)
    assert bound.value < expected
    assert bound.kind == "elementary"


@pytest.mark.parametrize("name", [name for name, one in registry.methods().items() if "numeric" in one.kinds])
def test_every_method_stays_above_the_bound(name: str) -> None:
    columns = registry.get_method(name).max_columns or 3
    given = records(np.random.default_rng(4).normal(size=(120, columns)), standardized=True)
    labels = registry.run(given, k=4, method=name).labels
    assert naive.sse(given.matrix, labels) >= elementary_bound(given.matrix, 4).value


def test_large_tables_are_seen_along_a_few_axes(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    points = draw.normal(size=(300, 3)) @ draw.normal(size=(3, 9)) + 1e-3 * draw.normal(size=(300, 9))
    whole = elementary_bound(points, 3)
    monkeypatch.setattr(lower_bounds, "MAX_CELLS", 100)
    along = elementary_bound(points, 3)
    assert "4 of 9 principal axes" in along.note
    assert 0.9 * whole.value < along.value < whole.value
    assert 0.0 < along.margin < 1e-9 * along.value
    far = elementary_bound(points + 1e6, 3)  # where numbers have fewer digits, less is promised
    assert far.value <= along.value * (1 + 1e-6)


@given(seed=st.integers(0, 10**6), n=st.integers(2, 9), columns=st.integers(1, 3), k=st.integers(2, 4))
def test_exact_is_exact(seed: int, n: int, columns: int, k: int) -> None:
    k = min(k, n)
    points = np.random.default_rng(seed).integers(0, 12, (n, columns)).astype(float)
    bound = exact_bound(points, k)
    assert bound is not None
    assert bound.kind == "exact"
    assert bound.value <= least(points, k) + 1e-12
    assert bound.value == pytest.approx(least(points, k), abs=1e-9)


def test_exact_of_one_column_or_one_group_has_no_limit() -> None:
    points = np.random.default_rng(1).normal(size=(500, 2))
    assert exact_bound(points, 3) is None
    single = exact_bound(points[:, :1], 3)
    group = exact_bound(points, 300)
    assert single is not None
    assert group is not None
    assert single.value >= elementary_bound(np.ascontiguousarray(points[:, :1]), 3).value
    assert group.value == pytest.approx(error(points, range(500)))


@pytest.mark.parametrize("points", [np.ones((20, 2)), np.empty((20, 0)), np.repeat(np.eye(4), 5, axis=0)])
def test_equal_records_cost_nothing(points: np.ndarray) -> None:
    assert elementary_bound(points, 4).value == 0.0
    found = exact_bound(points[:, :1], 4)
    assert found is not None
    assert found.value == 0.0


def test_k_is_checked() -> None:
    for bound in (elementary_bound, exact_bound):
        with pytest.raises(OptionError, match="more than the 3 records"):
            bound(np.ones((3, 2)), 4)


def test_the_gap_is_the_share_that_could_be_saved() -> None:
    bound = Bound(9.0, "exact", 0.0, "")
    assert bound.gap(10.0) == pytest.approx(10.0)
    assert bound.gap(8.0) == 0.0
    assert bound.gap(0.0) == 0.0

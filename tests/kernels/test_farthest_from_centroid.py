"""The list of the farthest records does not change the groups: they equal those of the naive version."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive
from naive import dissolve
from naive.mixed import Mixed
from shoal.data.encode.category_codes import flat_hierarchy
from shoal.domain import CategoricalColumn, Records, Scale, Space
from shoal.domain.columns import Kind
from shoal.kernels.box_tree import box_tree
from shoal.kernels.graphs import neighbor_lists
from shoal.kernels.sequential import farthest_from_centroid, unassigned
from shoal.microaggregation.registry import run
from shoal.system import threads

ORACLES = {
    "mdav": naive.mdav,
    "mdav-1": naive.mdav_1,
    "mdav-2": dissolve.mdav_2,
    "mdav-generic": naive.mdav_generic,
    "cbfs": naive.cbfs,
    "v-mdav": naive.v_mdav,
}
FEW = settings(suppress_health_check=list(HealthCheck))


@pytest.fixture
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache so short that it runs out."""
    monkeypatch.setattr(farthest_from_centroid, "LIST_SIZE", 8)


def table(kind: str, n: int, p: int, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed)
    if kind == "ties":
        return noise.integers(0, 3, (n, p)).astype(float)
    if kind == "duplicates":
        return noise.standard_normal((n // 6 + 1, p))[noise.integers(0, n // 6 + 1, n)]
    if kind == "tails":
        return np.exp(4.0 * noise.standard_normal((n, p)))
    return noise.standard_normal((n, p)) if kind == "normal" else np.full((n, p), 7.1)


KINDS = st.sampled_from(["ties", "duplicates", "tails", "normal", "equal"])


def numbers(values: np.ndarray, weights: np.ndarray) -> Records:
    names = tuple(f"c{j}" for j in range(values.shape[1]))
    return Records(names=names, values=values, scale=Scale.standardized(values), weights=weights)


@pytest.mark.usefixtures("_short")
@pytest.mark.parametrize("method", ORACLES)
@FEW
@given(
    kind=KINDS, n=st.integers(2, 120), p=st.integers(1, 4), k=st.integers(2, 7),
    seed=st.integers(0, 99), weight=st.sampled_from([1.0, 0.3]),
)  # fmt: skip
def test_groups_are_those_of_the_oracle(
    method: str, kind: str, n: int, p: int, k: int, seed: int, weight: float
) -> None:
    weights = np.ones(p)
    weights[0] = weight
    records = numbers(table(kind, n, p, seed), weights)
    labels = run(records, k=min(k, n), method=method).labels
    assert labels.tolist() == naive.renumbered(ORACLES[method](records.matrix, min(k, n)))


@pytest.mark.usefixtures("_short")
@pytest.mark.parametrize("method", ["mdav", "cbfs"])
@FEW
@given(n=st.integers(4, 90), k=st.integers(2, 5), seed=st.integers(0, 99))
def test_categories_too(method: str, n: int, k: int, seed: int) -> None:
    words, noise = flat_hierarchy(["a", "b", "c", "d"]), np.random.default_rng(seed)
    column = CategoricalColumn("w", Kind.NOMINAL, words, 1.0 - np.eye(len(words)), n_steps=1)
    values = noise.integers(0, 4, (n, 2)).astype(float)
    codes = noise.integers(0, len(words), (n, 1))
    records = Records(
        names=("c0", "c1", "w"), values=values, scale=Scale.standardized(values), weights=np.array([1.0, 1.0, 0.7]),
        categories=(column,), codes=codes,
    )  # fmt: skip
    labels = run(records, k=min(k, n), method=method).labels
    assert labels.tolist() == naive.renumbered(ORACLES[method](Mixed.of(records), min(k, n)))


@pytest.mark.parametrize("kind", ["ties", "duplicates", "tails", "normal", "equal"])
@pytest.mark.parametrize("kept", [1, 5, 300])
def test_the_outermost_while_records_leave_and_the_center_moves(
    kind: str, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(farthest_from_centroid, "LIST_SIZE", kept)
    matrix, noise = table(kind, 200, 3, 4), np.random.default_rng(9)
    state, left, center = unassigned.init(Space.of_numbers(matrix)), list(range(200)), matrix.mean(axis=0)
    while left:
        center = center + noise.choice([0.0, 1e-200, 1e-3, 3.0]) * noise.standard_normal(3)
        far = naive.distances(matrix, center)
        row = farthest_from_centroid.farthest_unassigned(state, center)
        assert row == min(left, key=lambda other: (-far[other], other))
        for removed in {row, int(noise.choice(left))}:
            unassigned.assign(state, removed, 0)
            left.remove(removed)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_near_lists_on_any_number_of_threads(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = table("duplicates", 500, 2, 8)
    monkeypatch.setattr(neighbor_lists, "CELL_SIZE", 130)
    monkeypatch.setattr(neighbor_lists, "SLICE", 10_000)
    reported: list[int] = []
    with threads.use_threads(count):
        found = neighbor_lists.nearest_neighbors(
            Space.of_numbers(matrix), 6, progress=lambda done, total: reported.append(done)
        )
    for rows in neighbor_lists.median_cells(Space.of_numbers(matrix), 130):
        for row in rows.tolist():
            far = naive.distances(matrix, matrix[row])
            others = sorted((other for other in rows.tolist() if other != row), key=lambda other: (far[other], other))
            assert found[row].tolist() == others[:6]
    assert reported == sorted(reported)
    assert len(reported) > 8
    assert reported[-1] == 500


def test_boxes_are_those_of_the_records_left() -> None:
    for kind in ("ties", "normal", "equal"):
        matrix = table(kind, 1500, 3, 2)
        planting = box_tree.build_tree(Space.of_numbers(matrix), np.arange(1500))
        rows = np.random.default_rng(1).permutation(1500)
        for row in rows[:1400]:
            box_tree.remove(planting, row)
        low, high = planting.low.copy(), planting.high.copy()
        max_norms, counts = planting.max_norms.copy(), planting.counts.copy()
        for drawn in (planting.low, planting.high, planting.max_norms, planting.counts):
            drawn[:] = np.nan if drawn.dtype.kind == "f" else 0
        planting.low[:], planting.high[:], planting.max_norms[:] = np.inf, -np.inf, 0.0
        box_tree._fill_boxes(planting)
        assert (low == planting.low).all()
        assert (high == planting.high).all()
        assert (max_norms == planting.max_norms).all()
        assert (counts == planting.counts).all()


def test_an_interrupt_gets_out_of_a_run() -> None:
    before = threading.active_count()

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), threads.use_threads(3):
        run(numbers(table("normal", 1000, 3, 1), np.ones(3)), k=3, method="mdav", progress=interrupt)
    assert threading.active_count() == before

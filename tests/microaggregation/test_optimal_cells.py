"""Optimal cells: as good as an exhaustive search on small tables, and its documented properties on all."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from naive import tuple_groups as naive
from shoal.data.encode.category_codes import flat_hierarchy, rank_distances
from shoal.domain import CategoricalColumn, Records, Scale
from shoal.domain.columns import Kind
from shoal.errors import OptionError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.distances import distances
from shoal.microaggregation.registry import run

GENEROUS = settings(suppress_health_check=list(HealthCheck))


def column(rng: np.random.Generator, name: str, kind: Kind, nodes: int) -> CategoricalColumn:
    """A column with a random tree of so many nodes, or with so many values of their own or in ranks."""
    if kind is Kind.HIERARCHICAL:
        edges = [(f"n{i}", f"n{rng.integers(max(0, i - 5), i)}") for i in range(1, nodes)]
        hierarchy = Hierarchy.from_edges(edges)
        return CategoricalColumn(name, kind, hierarchy, distances(hierarchy))
    hierarchy = flat_hierarchy([f"v{i}" for i in range(nodes)])
    table = rank_distances(hierarchy) if kind is Kind.ORDINAL else 1.0 - np.eye(nodes + 1)
    return CategoricalColumn(name, kind, hierarchy, table)


def drawn(seed: int, *, rows: int, columns: int, nodes: int = 8, different: int | None = None) -> Records:
    """Records drawn at random, inner nodes among them, of all kinds of columns and with weights."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice([Kind.HIERARCHICAL, Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL], columns)
    categories = tuple(column(rng, f"c{j}", Kind(kind), nodes) for j, kind in enumerate(kinds))
    codes = rng.integers(0, nodes, (different or rows, columns))
    if different is not None:
        codes = codes[np.r_[np.arange(different), rng.integers(0, different, rows - different)]]
    names = tuple(f"c{j}" for j in range(columns))
    weights = rng.choice([1.0, 1.0, 2.5], columns)
    return Records(names, np.empty((rows, 0)), Scale.raw(np.empty((rows, 0))), weights, categories, codes)


def of_tuples(records: Records, labels: np.ndarray) -> np.ndarray:
    """The labels of the combinations, after those of equal records were found to be equal."""
    found = np.full(len(records.tuples.counts), -1)
    found[records.tuple_index] = labels
    assert (found[records.tuple_index] == labels).all()
    return found


def test_finds_the_best_groups_of_small_tables() -> None:
    hits, cases = 0, 200
    for seed in range(cases):
        rng = np.random.default_rng(seed)
        different, k = int(rng.integers(2, 8)), int(rng.integers(2, 6))
        records = drawn(seed, rows=different + int(rng.integers(k, 3 * k)), columns=seed % 3 + 1, different=different)
        labels = of_tuples(records, run(records, k=k, method="optimal-cells").labels)
        found, best = naive.loss(records.tuples, labels), naive.least_loss(records.tuples, k)
        assert found >= best - 1e-9
        hits += found <= best + 1e-9
    assert hits >= 0.99 * cases


@GENEROUS
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(2, 80),
    columns=st.integers(1, 4),
    nodes=st.integers(2, 9),
    k=st.integers(2, 9),
    different=st.none() | st.integers(1, 6),
)
def test_groups_have_k_records_and_the_kicks_never_raise_the_loss(
    seed: int, rows: int, columns: int, nodes: int, k: int, different: int | None
) -> None:
    different = None if different is None else min(rows, different)
    records, k = drawn(seed, rows=rows, columns=columns, nodes=nodes, different=different), min(k, rows)
    losses = []
    for rounds in (0, 1, 4):
        partition = run(records, k=k, method="optimal-cells", options={"rounds": rounds})
        assert partition.sizes.min() >= k
        losses.append(naive.loss(records.tuples, of_tuples(records, partition.labels)))
    assert losses[0] + 1e-9 >= losses[1] >= losses[2] - 1e-9


def test_combinations_of_k_records_stay_alone_where_nothing_is_rare() -> None:
    records = drawn(3, rows=400, columns=2, nodes=4)
    assert records.tuples.counts.min() >= 5
    labels = of_tuples(records, run(records, k=5, method="optimal-cells").labels)
    assert len(set(labels.tolist())) == len(labels)


def test_same_seed_same_labels() -> None:
    records = drawn(5, rows=300, columns=2, nodes=15)
    found = [run(records, k=4, method="optimal-cells", seed=seed).labels for seed in (0, 0, 1, 2, 3)]
    assert (found[0] == found[1]).all()
    assert any((found[0] != other).any() for other in found[2:])


def test_progress_never_falls_and_ends_at_all_records() -> None:
    records, reported = drawn(5, rows=300, columns=2, nodes=15), []
    run(records, k=4, method="optimal-cells", progress=lambda done, total: reported.append((done, total)))
    assert reported == sorted(reported)
    assert reported[-1] == (300, 300)


@pytest.mark.parametrize("rounds", [-1, True, 2.0, "many", 10**7])
def test_rounds_is_a_whole_number(rounds: object) -> None:
    with pytest.raises(OptionError, match="rounds"):
        run(drawn(0, rows=9, columns=1), k=2, method="optimal-cells", options={"rounds": rounds})


def test_rounds_may_be_a_number_of_numpy() -> None:
    records = drawn(5, rows=60, columns=2)
    found = [run(records, k=3, method="optimal-cells", options={"rounds": rounds}) for rounds in (2, np.int64(2))]
    assert (found[0].labels == found[1].labels).all()


def test_fewer_than_2k_records_are_one_group() -> None:
    assert not run(drawn(5, rows=59, columns=2), k=30, method="optimal-cells").labels.any()


def test_large_groups_come_to_an_end() -> None:
    records = drawn(8, rows=300, columns=3, nodes=20)
    reported: list[int] = []
    found = run(
        records, k=150, method="optimal-cells", options={"rounds": 1}, progress=lambda done, _: reported.append(done)
    )
    assert found.sizes.tolist() == [150, 150]
    assert len(set(reported)) > 3


def test_too_many_nodes_are_refused_before_memory_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    records = drawn(5, rows=60, columns=1, nodes=8)
    m, nodes = len(records.tuples.counts), int(records.tuples.widths.sum())
    monkeypatch.setattr(sys.modules["shoal.microaggregation.optimal_cells"], "_CELLS", m * nodes - 1)
    monkeypatch.setattr("shoal.kernels.tuples.tuple_groups.init", None)
    with pytest.raises(OptionError, match=f"{m} combinations of categories and hierarchies of {nodes} nodes"):
        run(records, k=3, method="optimal-cells")

"""The Mondrian family on mixed tables: equal to the naive versions, with and without constraints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from grid_records import diverse, mixed_records
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_oracles import records as of_numbers

import naive
import shoal
from naive import mondrian_mixed
from shoal import kernels
from shoal.data.encode.category_codes import flat_hierarchy
from shoal.domain import CategoricalColumn, Records, Scale
from shoal.domain.columns import Kind
from shoal.errors import PromiseError
from shoal.microaggregation import registry
from shoal.microaggregation.rank_grid import build_rank_grid
from shoal.microaggregation.registry import get_method, run

ORACLES = {
    "mondrian": mondrian_mixed.mondrian,
    "mosaicrown": mondrian_mixed.mondrian,
    "mondrian-relaxed": mondrian_mixed.mondrian_relaxed,
    "mondrian-encoded": mondrian_mixed.mondrian_encoded,
    "xmondrian": mondrian_mixed.xmondrian,
    "mondrian-extent": mondrian_mixed.mondrian_extent,
}
GENEROUS = settings(suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("method", ORACLES)
@GENEROUS
@given(records=mixed_records(), k=st.integers(2, 9))
def test_equals_its_oracle(method: str, records: Records, k: int) -> None:
    k = min(k, records.count)
    labels = run(records, k=k, method=method).labels
    assert labels.tolist() == naive.renumbered(ORACLES[method](records, k))


@pytest.mark.parametrize("method", ORACLES)
@GENEROUS
@given(records=mixed_records(), k=st.integers(2, 5), least=st.integers(2, 3), seed=st.integers(0, 99))
def test_equals_its_oracle_where_more_is_asked(method: str, records: Records, k: int, least: int, seed: int) -> None:
    k, options = min(k, records.count), diverse(records, min(least, records.count), seed=seed)
    labels = run(options, k=k, method=method).labels
    assert labels.tolist() == naive.renumbered(ORACLES[method](options, k))
    for group in range(labels.max() + 1):
        assert len(set(options.constraints.codes[labels == group, 0])) >= min(least, records.count)


def wide(rows: int, values: int, columns: int = 2) -> Records:
    """Nominal columns of many values and a column of numbers."""
    draw = np.random.default_rng(rows)
    tree = flat_hierarchy([f"v{value:04}" for value in range(values)])
    names = tuple(f"c{j}" for j in range(columns))
    meaning = tuple(CategoricalColumn(name, Kind.NOMINAL, tree, 1.0 - np.eye(values + 1), n_steps=1) for name in names)
    numbers, codes = draw.normal(size=(rows, 1)), (values * draw.random((rows, columns)) ** 2).astype(np.int64)
    return Records(("n", *names), numbers, Scale.standardized(numbers), np.ones(columns + 1), meaning, codes)


@pytest.mark.parametrize("method", ORACLES)
def test_equals_its_oracle_on_many_values(method: str) -> None:
    records = wide(150, 130)
    assert run(records, k=3, method=method).labels.tolist() == naive.renumbered(ORACLES[method](records, 3))


@pytest.mark.parametrize("method", ORACLES)
def test_columns_of_more_values_than_buckets(method: str) -> None:
    records = wide(4000, 1500)
    sizes = run(records, k=5, method=method).sizes
    assert sizes.min() >= 5
    assert len(sizes) > 350


@pytest.mark.parametrize("method", ORACLES)
def test_work_in_slices_gives_the_same(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    records = wide(300, 20)
    whole = run(records, k=3, method=method).labels
    monkeypatch.setattr(kernels.splits.recursion, "SLICE", 8)
    monkeypatch.setattr(kernels.splits.extent_moves, "SLICE", 8)
    assert np.array_equal(run(records, k=3, method=method).labels, whole)


@pytest.mark.parametrize("method", [name for name in ORACLES if name != "mondrian-relaxed"])
@GENEROUS
@given(records=mixed_records(), k=st.integers(2, 6))
def test_equal_records_stay_together(method: str, records: Records, k: int) -> None:
    labels = run(records, k=min(k, records.count), method=method).labels
    households: dict[tuple[float, ...], set[int]] = {}
    for row in range(records.count):
        households.setdefault((*records.values[row], *records.codes[row]), set()).add(int(labels[row]))
    assert all(len(groups) == 1 for groups in households.values())


@GENEROUS
@given(records=mixed_records(), doubled=st.booleans())
def test_a_grid_holds_every_record(records: Records, doubled: bool) -> None:
    options = diverse(records, 1) if doubled else records
    grid, combination = build_rank_grid(options)
    assert grid.counts.sum() == records.count
    assert len(np.unique(grid.ranks, axis=0)) == len(grid.ranks) or doubled
    for j in range(len(records.numeric)):
        assert np.array_equal(grid.values[grid.first[j] + grid.ranks[combination, j]], records.matrix[:, j])
    for j in range(len(records.numeric), len(records.names)):
        codes = records.codes[:, j - len(records.numeric)]
        assert np.array_equal(grid.ranks[combination, j], np.unique(codes, return_inverse=True)[1])
    assert np.array_equal(combination[grid.record], np.arange(len(grid.record)))
    if doubled:
        assert np.array_equal(options.constraints.codes[grid.record[combination]], options.constraints.codes)


def test_many_columns_of_many_values_do_not_overflow() -> None:
    values = np.repeat(np.random.default_rng(0).permutation(40 * 100).reshape(100, 40), 3, axis=0)
    records = of_numbers(values.astype(float))
    grid, combination = build_rank_grid(records)
    assert grid.counts.tolist() == [3] * 100
    assert combination.tolist() == np.repeat(np.arange(100), 3).tolist()


def test_relaxed_groups_may_be_larger_where_more_is_asked() -> None:
    records = of_numbers(np.arange(12.0)[:, None])
    one = diverse(records, 2, values=2)
    codes = np.array([[0]] * 11 + [[1]])
    options = replace(one, constraints=one.constraints._replace(codes=codes))
    assert run(options, k=2, method="mondrian-relaxed").count == 1
    assert run(records, k=2, method="mondrian-relaxed").count == 4


def test_a_group_too_large_is_still_refused_where_nothing_is_asked() -> None:
    chosen = get_method("mondrian-relaxed")
    with pytest.raises(PromiseError):
        registry._check_labels(np.zeros(12, dtype=np.int64), of_numbers(np.arange(12.0)[:, None]), 2, chosen)


def test_the_family_enforces_demands_and_takes_all_kinds() -> None:
    for name in ORACLES:
        assert get_method(name).supports_constraints
        assert get_method(name).supports_mixed
        assert set(get_method(name).kinds) == set(Kind)
    assert not get_method("mdav").supports_constraints


EXAMPLE = pl.DataFrame(
    {
        "age": [39, 50, 38, 53, 28, 37, 49, 52, 31, 42],
        "workclass": ["State", "Self", *["Private"] * 5, "Self", "Private", "Private"],
        "marital": ["Never", "Civ", "Divorced", "Civ", "Civ", "Civ", "Absent", "Civ", "Never", "Civ"],
        "country": ["US", "US", "US", "US", "Cuba", "US", "Jamaica", "US", "US", "US"],
    }
)
"""The ten records of Figure 8 of the paper on XMondrian, abbreviated."""


@pytest.mark.parametrize("method", ["xmondrian", "mondrian-encoded"])
def test_the_example_of_the_paper_keeps_its_k(method: str) -> None:
    """The paper prints classes of one record, and 0.83 for the average class size divided by k."""
    made = shoal.partition(EXAMPLE, k=2, method=method)
    assert made.sizes.min() >= 2
    assert len(EXAMPLE) / (made.count * 2) >= 1
    assert made.count >= 3


def test_a_rest_joins_the_nearest_part_by_hierarchy() -> None:
    tree = {"*": {"x": {"a": {}, "b": {}}, "y": {"c": {}, "d": {}}}}
    frame = pl.DataFrame({"v": ["a"] * 3 + ["c"] * 5 + ["d"]})
    by_tree = shoal.partition(frame, k=2, method="xmondrian", hierarchies={"v": tree}).labels
    assert by_tree.tolist() == [0] * 3 + [1] * 6
    by_size = shoal.partition(frame, k=2, method="xmondrian").labels
    assert by_size.tolist() == [0] * 3 + [1] * 5 + [0]


def test_the_rest_is_a_part_where_it_has_k_records() -> None:
    frame = pl.DataFrame({"v": ["a"] * 3 + ["b", "c"]})
    assert shoal.partition(frame, k=2, method="xmondrian").labels.tolist() == [0, 0, 0, 1, 1]


def test_words_decide_the_order_of_encoded_ranks() -> None:
    frame = pl.DataFrame({"v": ["low"] * 2 + ["high"] * 2 + ["mid"] * 2 + ["top"] * 2})
    levels = {"v": ["low", "mid", "high", "top"]}
    ranked = shoal.partition(frame, k=4, method="mondrian", levels=levels).labels
    encoded = shoal.partition(frame, k=4, method="mondrian-encoded", levels=levels).labels
    assert ranked.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]
    assert encoded.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_a_weight_tells_which_column_may_not_be_mixed() -> None:
    frame = pl.DataFrame({"a": ["x", "x", "y", "y"] * 2, "b": ["u", "v"] * 4})
    for heavy, groups in (("a", [0, 0, 1, 1] * 2), ("b", [0, 1] * 4)):
        made = shoal.partition(frame, k=4, method="mondrian-extent", weights={heavy: 3.0})
        assert made.labels.tolist() == groups

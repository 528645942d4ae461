"""Nodes of groups, compared with their definitions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data import encode_records, read_table
from shoal.domain import Column, Kind, Partition, Records, Role, Schema
from shoal.errors import ColumnError, OptionError
from shoal.hierarchy import Hierarchy
from shoal.recode import assign_recodings, category_aggregates, recode
from shoal.testing import category_tables

EUROPE = Hierarchy.from_edges(
    [("Europe", "World"), ("Asia", "World"), ("France", "Europe"), ("Italy", "Europe"), ("Japan", "Asia")]
)


def records_of(frame: pl.DataFrame, meaning: dict) -> Records:
    from shoal.release.column_options import resolve_schema

    table = read_table(frame)
    schema = Schema.assign([(name, Kind.NOMINAL) for name in frame.columns], quasi_identifiers=frame.columns)
    return encode_records(table, resolve_schema(table, schema, **meaning))


def released(frame: pl.DataFrame, labels: list[int], way: str, **meaning) -> list[list[str]]:
    records = records_of(frame, meaning)
    groups = Partition(np.array(labels), k=2, method="none")
    columns = recode(records, groups, recodings=dict.fromkeys(frame.columns, way))
    return [[column.words[place] for place in column.codes] for column in columns.values()]


@pytest.mark.parametrize(("way", "expected"), [("lcs", "Europe"), ("centroid", "Italy"), ("mode", "Italy")])
def test_france_italy_italy(way: str, expected: str) -> None:
    frame = pl.DataFrame({"country": ["France", "Italy", "Italy"]})
    assert released(frame, [0, 0, 0], way, hierarchies={"country": EUROPE}) == [[expected] * 3]


def test_few_values_without_a_hierarchy_work_by_equality_and_mode() -> None:
    frame = pl.DataFrame({"sex": ["m", "f", "f", "m", "m"]})
    assert released(frame, [0, 0, 0, 1, 1], "centroid") == [["f", "f", "f", "m", "m"]]
    assert released(frame, [0, 0, 0, 1, 1], "lcs") == [["*", "*", "*", "m", "m"]]


def test_levels_are_recoded_to_their_median() -> None:
    frame = pl.DataFrame({"size": ["small", "huge", "large", "small", "large"]})
    levels = {"size": ["small", "medium", "large", "huge"]}
    assert released(frame, [0, 0, 0, 0, 0], "centroid", levels=levels) == [["large"] * 5]
    assert released(frame, [0, 0, 0, 1, 1], "centroid", levels=levels) == [["large"] * 3 + ["small"] * 2]


def naive(way: str, values: list[int], table: np.ndarray, hierarchy: Hierarchy) -> int:
    counts = Counter(values)
    if way == "mode":
        return min(counts, key=lambda value: (-counts[value], value))
    if way == "lcs":
        return hierarchy.number(hierarchy.lcs(*(hierarchy.nodes[value] for value in values)))
    costs = [sum(count * table[value, node] for value, count in counts.items()) for node in range(len(table))]
    return costs.index(min(costs))


@pytest.mark.parametrize("way", ["centroid", "mode", "lcs"])
@given(drawn=category_tables(), data=st.data())
def test_nodes_are_those_of_the_definition(way: str, drawn, data) -> None:
    frame, _, meaning = drawn
    labels = data.draw(st.lists(st.integers(0, 3), min_size=frame.height, max_size=frame.height))
    labels = np.unique(labels, return_inverse=True)[1]
    records = records_of(frame, meaning)
    for j, column in enumerate(records.categories):
        codes, table = records.codes[:, j], records.distance_table(j)
        result = category_aggregates.NODE_FUNCTIONS[way](codes, labels, labels.max() + 1, table, column.hierarchy)
        for group in range(labels.max() + 1):
            inside = codes[labels == group].tolist()
            assert result[group] == naive(way, inside, table, column.hierarchy)


def test_many_groups_are_recoded_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    codes, labels = rng.integers(0, 5, 400), np.repeat(np.arange(80), 5)
    table = np.abs(np.arange(5)[:, None] - np.arange(5)[None, :]) / 4.0
    whole = category_aggregates.centroid(codes, labels, 80, table, EUROPE)
    monkeypatch.setattr(category_aggregates, "_CELLS", 60)
    assert category_aggregates.centroid(codes, labels, 80, table, EUROPE).tolist() == whole.tolist()


def schema(**columns: tuple[Kind, str]) -> Schema:
    return Schema(tuple(Column(name, Role.QUASI_IDENTIFIER, kind, recode=way) for name, (kind, way) in columns.items()))


def test_every_column_gets_a_way() -> None:
    mixed = schema(age=(Kind.NUMERIC, ""), sex=(Kind.NOMINAL, ""), job=(Kind.HIERARCHICAL, "lcs"))
    assert [column.recode for column in assign_recodings(mixed, None).columns] == ["mean", "centroid", "lcs"]
    assert [column.recode for column in assign_recodings(mixed, "median").columns] == ["median", "centroid", "lcs"]
    assert [column.recode for column in assign_recodings(mixed, "mode").columns] == ["mean", "mode", "lcs"]


@pytest.mark.parametrize(
    ("columns", "word", "message"),
    [
        ({"age": (Kind.NUMERIC, "")}, "lcs", "No quasi-identifier is of a kind that is recoded by 'lcs'"),
        ({"age": (Kind.NUMERIC, "mode")}, None, "'age' is numeric and cannot be recoded by 'mode'"),
        ({"age": (Kind.NUMERIC, "")}, "men", "did you mean 'mean'"),
        ({"age": (Kind.NUMERIC, "")}, ["mean"], "There is no recode"),
    ],
)
def test_a_way_that_does_not_fit(columns: dict, word, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        assign_recodings(schema(**columns), word)


def test_a_way_for_a_column_that_is_not_there() -> None:
    with pytest.raises(ColumnError, match="no column 'job'"):
        shoal.anonymize(pl.DataFrame({"a": [1, 1]}), k=2, quasi_identifiers=["a"], recode={"job": "mean"})

"""Intervals as text, and the names of recodings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import (
    ReadOptions,
    class_sizes,
    column_kinds,
    encode_records,
    read_table,
    replace_columns,
    write_table,
)
from shoal.domain import Column, Kind, Partition, Records, Role, Scale, Schema, TextColumn
from shoal.errors import OptionError
from shoal.recode import assign_recodings, recode, recodings
from shoal.recode.number_aggregates import format_intervals, group_bounds


def written(pairs: list[tuple[float, float]], *, dates: bool = False) -> list[str]:
    low, high = np.array(pairs, dtype=float).T
    return format_intervals(low, high, dates=dates)


@pytest.mark.parametrize(
    ("pairs", "texts"),
    [
        ([(25, 55), (39, 39)], ["[25-55]", "39"]),
        ([(0.5, 2), (0.1, 0.1)], ["[0.5-2]", "0.1"]),
        ([(-5, -2), (1, 3)], ["[-5 to -2]", "[1 to 3]"]),
        ([(-0.0, 1), (-0.0, 0.0)], ["[0-1]", "0"]),
        ([(1e-7, 1), (2, 3)], ["[1e-07 to 1]", "[2 to 3]"]),
        ([(1e15, 1e16), (2**53, 2**53)], ["[1000000000000000-1e+16]", "9007199254740992"]),
    ],
)
def test_numbers(pairs: list[tuple[float, float]], texts: list[str]) -> None:
    assert written(pairs) == texts


def test_dates() -> None:
    assert written([(18262, 18627), (0, 0)], dates=True) == ["[2020-01-01 to 2020-12-31]", "1970-01-01"]
    assert written([(0, 0.5), (-1, -1)], dates=True) == [
        "[1970-01-01 00:00:00 to 1970-01-01 12:00:00]",
        "1969-12-31 00:00:00",
    ]


@given(st.lists(st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 2), min_size=1, max_size=6))
def test_the_same_text_means_the_same_bounds(pairs: list[tuple[float, float]]) -> None:
    pairs = [(min(pair) + 0.0, max(pair) + 0.0) for pair in pairs]
    texts = written(pairs)
    for one, first in zip(texts, pairs, strict=True):
        for other, second in zip(texts, pairs, strict=True):
            assert (one == other) == (first == second)
    assert len({" to " in text for text in texts if text.startswith("[")}) <= 1


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-1e6, 1e6)), min_size=1, max_size=30))
def test_bounds_are_those_of_the_groups(rows: list[tuple[int, float]]) -> None:
    labels = np.unique([label for label, _ in rows], return_inverse=True)[1]
    values = np.array([value for _, value in rows])
    low, high = group_bounds(values, labels, labels.max() + 1)
    for group in range(labels.max() + 1):
        assert (low[group], high[group]) == (values[labels == group].min(), values[labels == group].max())


def test_groups_with_the_same_bounds_share_a_word() -> None:
    values = np.array([[1.0], [3.0], [3.0], [1.0], [2.0], [2.0]])
    records = Records(("a",), values, Scale.standardized(values), np.ones(1))
    column = recode(records, Partition(np.array([0, 0, 1, 1, 2, 2]), k=2, method="none"), recodings={"a": "interval"})[
        "a"
    ]
    assert isinstance(column, TextColumn)
    assert column.words == ("[1-3]", "2")
    assert column.codes.tolist() == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a;b\n1,5;x\n2;y\n-7;x\n-7;y\n", "a;b\n[1,5 to 2];x\n[1,5 to 2];y\n-7;x\n-7;y\n"),
        ("a;b\n1,50;x\n1,50;y\n7,25;x\n8;y\n", "a;b\n1,5;x\n1,5;y\n[7,25-8];x\n[7,25-8];y\n"),
    ],
)
def test_a_file_keeps_its_decimal_mark(tmp_path: Path, content: str, expected: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)
    table = read_table(path, options=ReadOptions(decimal=",", delimiter=";"))
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["a"])
    groups = Partition(np.array([0, 0, 1, 1]), k=2, method="none")
    release = replace_columns(table, schema, recode(encode_records(table, schema), groups, recodings={"a": "interval"}))
    assert class_sizes(release, ["a"]).tolist() == [2, 2, 2, 2]
    write_table(release, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == expected


def test_lone_values_keep_the_type_of_a_frame() -> None:
    table = read_table(pl.DataFrame({"a": [1, 1, 4, 4]}))
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["a"])
    alone = recode(
        encode_records(table, schema), Partition(np.array([0, 0, 1, 1]), k=2, method=""), recodings={"a": "interval"}
    )
    assert replace_columns(table, schema, alone).native()["a"].dtype == pl.Int64
    wide = recode(
        encode_records(table, schema), Partition(np.array([0, 0, 0, 0]), k=2, method=""), recodings={"a": "interval"}
    )
    assert replace_columns(table, schema, wide).native()["a"].to_list() == ["[1-4]"] * 4


def schema(**columns: tuple[Kind, str]) -> Schema:
    return Schema(tuple(Column(name, Role.QUASI_IDENTIFIER, kind, recode=way) for name, (kind, way) in columns.items()))


MIXED = {"age": (Kind.NUMERIC, ""), "born": (Kind.DATE, ""), "sex": (Kind.NOMINAL, ""), "job": (Kind.HIERARCHICAL, "")}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (None, ["mean", "mean", "centroid", "centroid"]),
        ("median", ["median", "median", "centroid", "centroid"]),
        ("centroid", ["mean", "mean", "centroid", "centroid"]),
        ("interval", ["interval", "interval", "centroid", "centroid"]),
        ("ancestor", ["mean", "mean", "lcs", "lcs"]),
        ("generalize", ["interval", "interval", "lcs", "lcs"]),
    ],
)
def test_a_word_for_all_columns(word: str | None, expected: list[str]) -> None:
    assert [column.recode for column in assign_recodings(schema(**MIXED), word).columns] == expected


def test_a_column_keeps_the_way_and_not_the_other_word_for_it() -> None:
    own = schema(age=(Kind.NUMERIC, "centroid"), job=(Kind.HIERARCHICAL, "ancestor"), sex=(Kind.NOMINAL, "generalize"))
    assert [column.recode for column in assign_recodings(own, None).columns] == ["mean", "lcs", "lcs"]
    assert assign_recodings(schema(age=(Kind.NUMERIC, "")), "centroid").columns[0].recode == "mean"
    assert recodings(Kind.NUMERIC) == recodings(Kind.DATE) == ("mean", "median", "interval")
    assert recodings(Kind.ORDINAL) == ("centroid", "mode", "lcs")


@pytest.mark.parametrize(
    ("columns", "word", "message"),
    [
        ({"sex": (Kind.NOMINAL, "")}, "interval", "recoded by 'interval'; mean, median and interval are for numbers"),
        ({"age": (Kind.NUMERIC, "")}, "ancestor", "recoded by 'ancestor'"),
        ({"born": (Kind.DATE, "lcs")}, None, "'born' is date and cannot be recoded by 'lcs'"),
        ({"sex": (Kind.NOMINAL, "interval")}, None, "choose one of 'centroid', 'mode', 'lcs'"),
        ({"age": (Kind.NUMERIC, "")}, "intervall", "did you mean 'interval'"),
    ],
)
def test_a_word_that_does_not_fit(columns: dict, word: str | None, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        assign_recodings(schema(**columns), word)


def test_recoding_refuses_a_way_of_another_kind() -> None:
    values = np.array([[1.0], [3.0]])
    records = Records(("a",), values, Scale.standardized(values), np.ones(1))
    groups = Partition(np.array([0, 0]), k=2, method="none")
    with pytest.raises(OptionError, match="'a' is numeric and cannot be recoded by 'lcs'"):
        recode(records, groups, recodings={"a": "lcs"})
    with pytest.raises(OptionError, match="no missing 'drop'"):
        recode(records, groups, recodings={"a": "mean"}, missing="drop")

"""Frames and arrays in memory: a release has the type of its input, and nothing else about them changes."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import (
    class_sizes,
    column_kinds,
    encode_records,
    numeric_matrix,
    profile_columns,
    read_table,
    replace_columns,
)
from shoal.domain.columns import Kind, Schema
from shoal.errors import ColumnError, DataError

COLUMNS: dict[str, list[Any]] = {"0": [7, 8, 9], "1": [1.5, 2.5, 4.0], "2": [10, 20, 30]}

FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "numpy": lambda columns: np.column_stack(list(columns.values())),
}


def column(frame: Any, name: str, kind: str) -> list[Any]:
    if kind == "numpy":
        return list(frame[:, int(name)])
    values = frame[name]
    return list(values.to_pylist() if kind == "pyarrow" else values.to_list())


@pytest.mark.parametrize("kind", FRAMES)
def test_round_trip(kind: str) -> None:
    frame = FRAMES[kind](COLUMNS)
    table = read_table(frame)
    assert (table.kind, table.path, table.height, table.names, table.settings) == (kind, None, 3, ("0", "1", "2"), {})
    assert table.native() is frame
    assert read_table(table) is table
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["1", "2"])
    records = encode_records(table, schema)
    assert records.values.tolist() == [[1.5, 10], [2.5, 20], [4, 30]]
    new = {"1": np.array([2.0, -0.0, 3.0]), "2": np.array([15, 15, 30])}
    release = replace_columns(table, schema, new)
    native = release.native()
    assert type(native) is type(frame)
    assert release.kind == kind
    assert column(native, "0", kind) == [7, 8, 9]
    assert column(native, "1", kind) == [2.0, 0.0, 3.0]
    assert not np.signbit(column(native, "1", kind)[1])
    assert column(native, "2", kind) == [15, 15, 30]
    assert column(frame, "1", kind) == [1.5, 2.5, 4.0]
    assert class_sizes(release, ["2"]).tolist() == [2, 2, 1]
    assert [fact.is_consecutive for fact in profile_columns(table)] == [True, False, False]


@pytest.mark.parametrize("kind", FRAMES)
def test_identifiers_are_dropped(kind: str) -> None:
    table = read_table(FRAMES[kind](COLUMNS))
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["2"], identifiers=["0"])
    release = replace_columns(table, schema, {"2": np.array([1.0, 1.0, 1.0])})
    assert release.names == ("1", "2")
    assert numeric_matrix(release, ["1", "2"]).tolist() == [[1.5, 1], [2.5, 1], [4, 1]]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "numpy"])
def test_missing_and_infinite_values_are_refused_with_their_place(kind: str) -> None:
    frame = FRAMES[kind]({"a": [1.0, float("nan"), 3.0], "b": [1.0, 2.0, float("inf")]})
    table = read_table(frame)
    first, second = table.names
    with pytest.raises(DataError, match=r"missing values in 1 of 3 records \(the first is record 2\)"):
        numeric_matrix(table, [first])
    with pytest.raises(DataError, match=r"infinite values in 1 of 3 records \(the first is record 3\)"):
        numeric_matrix(table, [second])
    with pytest.raises(ColumnError, match="There is no column"):
        numeric_matrix(table, ["nothing"])


TYPES = {
    "pandas": {
        "Int64": (pd.Series([1, None, 3], dtype="Int64"), Kind.NUMERIC),
        "Float32": (pd.Series([1, None, 3], dtype="Float32"), Kind.NUMERIC),
        "uint8": (pd.Series([1, 2, 3], dtype="uint8"), Kind.NUMERIC),
        "arrow": (pd.Series([1, None, 3], dtype="int32[pyarrow]"), Kind.NUMERIC),
        "arrow decimal": (pd.Series([Decimal("1.5"), None], dtype=pd.ArrowDtype(pa.decimal128(5, 2))), Kind.NUMERIC),
        "decimals": (pd.Series([Decimal("1.5"), Decimal(2), None]), Kind.NUMERIC),
        "objects": (pd.Series([1, 2.5, None], dtype=object), Kind.NUMERIC),
        "mixed": (pd.Series([1, "x", None], dtype=object), Kind.NOMINAL),
        "text": (pd.Series(["1", "x", None]), Kind.NOMINAL),
        "arrow text": (pd.Series(["1", "x", None], dtype="string[pyarrow]"), Kind.NOMINAL),
        "bool": (pd.Series([True, False, True]), Kind.NOMINAL),
        "boolean": (pd.Series([True, None, True], dtype="boolean"), Kind.NOMINAL),
        "category": (pd.Series([1, 2, None]).astype("category"), Kind.NOMINAL),
        "ordered": (pd.Series(pd.Categorical(["a", "b", None], ordered=True)), Kind.ORDINAL),
        "datetime": (pd.Series(pd.to_datetime(["2024-01-01", None])), Kind.DATE),
        "zoned": (pd.Series(pd.to_datetime(["2024-01-01"])).dt.tz_localize("Asia/Tokyo"), Kind.DATE),
        "dates": (pd.Series([dt.date(2024, 1, 1), None], dtype=object), Kind.DATE),
        "durations": (pd.Series([dt.timedelta(1), None]), Kind.NOMINAL),
        "lists": (pd.Series([[1], [1], None], dtype=object), Kind.NOMINAL),
        "nothing": (pd.Series([None, None], dtype=object), Kind.NOMINAL),
    },
    "polars": {
        "int": (pl.Series([1, None]), Kind.NUMERIC),
        "decimal": (pl.Series([Decimal("1.5"), None]), Kind.NUMERIC),
        "bool": (pl.Series([True, None]), Kind.NOMINAL),
        "text": (pl.Series(["a", None]), Kind.NOMINAL),
        "category": (pl.Series(["a", None], dtype=pl.Categorical), Kind.NOMINAL),
        "enum": (pl.Series(["a", None], dtype=pl.Enum(["a"])), Kind.ORDINAL),
        "date": (pl.Series([dt.date(2024, 1, 1), None]), Kind.DATE),
        "datetime": (pl.Series([dt.datetime(2024, 1, 1), None]), Kind.DATE),
        "time": (pl.Series([dt.time(1), None]), Kind.NOMINAL),
        "list": (pl.Series([[1], [1], None]), Kind.NOMINAL),
        "struct": (pl.Series([{"a": 1}, {"a": 1}]), Kind.NOMINAL),
        "object": (pl.Series([1, "x", None], dtype=pl.Object), Kind.NOMINAL),
        "null": (pl.Series([None, None]), Kind.NOMINAL),
    },
    "pyarrow": {
        "int": (pa.array([1, None]), Kind.NUMERIC),
        "half": (pa.array([np.float16(1.5), None], pa.float16()), Kind.NUMERIC),
        "decimal": (pa.array([Decimal("1.5"), None]), Kind.NUMERIC),
        "bool": (pa.array([True, None]), Kind.NOMINAL),
        "text": (pa.array(["a", None]), Kind.NOMINAL),
        "category": (pa.array(["a", None]).dictionary_encode(), Kind.NOMINAL),
        "ordered": (pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", "b"]), ordered=True), Kind.ORDINAL),
        "date": (pa.array([dt.date(2024, 1, 1), None]), Kind.DATE),
        "timestamp": (pa.array([dt.datetime(2024, 1, 1, tzinfo=dt.UTC), None]), Kind.DATE),
        "list": (pa.array([[1], None]), Kind.NOMINAL),
        "binary": (pa.array([b"a", None]), Kind.NOMINAL),
    },
}


@pytest.mark.parametrize(("library", "name"), [(library, name) for library in TYPES for name in TYPES[library]])
def test_every_type_has_a_kind_and_stays_when_untouched(library: str, name: str) -> None:
    series, kind = TYPES[library][name]
    frame = FRAMES[library](
        {"x": series, "n": range(len(series))} if library != "pyarrow" else {"x": series, "n": list(range(len(series)))}
    )
    table = read_table(frame)
    assert dict(column_kinds(table))["x"] == kind
    facts = profile_columns(table)[0]
    is_missing = len(series) - len(
        series.drop_null() if library == "pyarrow" else series.drop_nulls() if library == "polars" else series.dropna()
    )
    assert facts.missing == is_missing
    assert len(class_sizes(table, ["x"])) == len(series)
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["n"])
    native = replace_columns(table, schema, {"n": np.zeros(len(series))}).native()
    if library == "pandas":
        pd.testing.assert_series_equal(native["x"], frame["x"])
    elif library == "polars":
        assert native.schema["x"] == frame.schema["x"]
        assert native["x"].to_list() == frame["x"].to_list()
    else:
        assert native.column("x").equals(frame.column("x"))
    if kind is not Kind.NUMERIC:
        with pytest.raises((ColumnError, DataError)):
            numeric_matrix(table, ["x"])


def test_text_among_numbers_is_counted() -> None:
    frame = pd.DataFrame({"a": pd.Series([1, "secret", 3.5, "secret", None], dtype=object)})
    with pytest.raises(DataError, match=r"text where numbers are needed in 2 of 5 records \(the first is record 2\)"):
        numeric_matrix(read_table(frame), ["a"])


def test_a_pandas_frame_keeps_its_index_and_labels_and_no_attributes() -> None:
    index = pd.MultiIndex.from_tuples([("x", 2), ("x", 2), ("y", 1)], names=["one", "two"])
    frame = pd.DataFrame({1: [1, 2, 3], "b": ["p", "q", "r"], (2, 3): [1.0, 2.0, 3.0]}, index=index)
    frame.attrs["source"] = "survey"
    frame.columns.name = "traits"
    table = read_table(frame)
    assert table.names == ("1", "b", "(2, 3)")
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["1"])
    native = replace_columns(table, schema, {"1": np.array([2, 2, 2])}).native()
    assert native.index.equals(index)
    assert list(native.columns) == list(frame.columns)
    assert native.columns.name is None
    assert native.attrs == {}
    assert frame.attrs == {"source": "survey"}
    assert frame.columns.name == "traits"
    assert frame[1].tolist() == [1, 2, 3]


def test_a_pyarrow_table_keeps_no_metadata() -> None:
    fields = [pa.field("a", pa.int64(), metadata={"unit": "years"}), pa.field("b", pa.string())]
    frame = pa.table([[1, 2], ["x", "y"]], schema=pa.schema(fields, metadata={"made": "here"}))
    table = read_table(frame)
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["a"])
    native = replace_columns(table, schema, {"a": np.array([1.5, 1.5])}).native()
    assert native.schema.metadata is None
    assert native.schema.field("a").metadata is None
    assert native.schema.field("b").equals(fields[1])
    assert frame.schema.metadata == {b"made": b"here"}


def test_arrays_keep_dimensions_and_whole_numbers() -> None:
    line = read_table(np.array([3, 1, 2]))
    assert (line.names, line.height) == (("0",), 3)
    schema = Schema.assign(column_kinds(line), quasi_identifiers=["0"])
    whole = replace_columns(line, schema, {"0": np.array([2, 2, 2])}).native()
    assert (whole.shape, whole.dtype) == ((3,), np.int64)
    real = replace_columns(line, schema, {"0": np.array([2.5, 2.5, 2.5])}).native()
    assert (real.shape, real.dtype) == ((3,), np.float64)
    masked = read_table(np.ma.masked_array([[1.0], [2.0]], mask=[[True], [False]]))
    with pytest.raises(DataError, match="missing values in 1 of 2"):
        numeric_matrix(masked, ["0"])
    assert column_kinds(read_table(np.array([[True], [False]])))[0][1] is Kind.NOMINAL
    assert numeric_matrix(read_table(np.array([[1], [2]], dtype=np.float16)), ["0"]).tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (np.array([["secret"]]), "holds no plain numbers"),
        (np.array([["secret", 1]], dtype=object), "holds no plain numbers"),
        (np.array([1j]), "holds no plain numbers"),
        (np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]), "structured"),
        (np.zeros((2, 2, 2)), "3 dimensions"),
        (np.array(1.0), "0 dimensions"),
        (np.empty((0, 3)), "no record"),
        (np.empty((3, 0)), "no column"),
        (pd.DataFrame(), "no column"),
        (pd.DataFrame({"a": []}), "no record"),
        (pl.DataFrame({"a": []}), "no record"),
        (pa.table({}), "no column"),
        (pl.DataFrame({"a": [1]}).lazy(), "not been computed"),
        ({"a": ["secret"]}, "A dict is not a table"),
        (["secret"], "A list is not a table"),
        (None, "A NoneType is not a table"),
        (pd.Series(["secret"]), "A Series is not a table"),
    ],
)
def test_what_is_no_table_is_refused(source: Any, words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        read_table(source)
    assert "secret" not in str(caught.value)


def test_names_that_stand_twice_are_refused() -> None:
    with pytest.raises(ColumnError, match="more than once"):
        read_table(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ColumnError, match="more than once"):
        read_table(pd.DataFrame([[1, 2]], columns=[1, "1"]))
    with pytest.raises(ColumnError, match="more than once"):
        read_table(pa.table([[1], [2]], names=["a", "a"]))


def test_weights_and_scales() -> None:
    table = read_table(pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1, 2, 4]}))
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["a", "b"])
    assert encode_records(table, schema, weights={"b": 2}).weights.tolist() == [1, 2]
    assert encode_records(table, schema, standardize=False).scale.name == "raw"
    with pytest.raises(ColumnError, match="no column 'c'"):
        encode_records(table, schema, weights={"c": 1})
    for weight in (0, -1, float("nan"), float("inf")):
        with pytest.raises(Exception, match="'weights'"):
            encode_records(table, schema, weights={"a": weight})


def test_a_kind_that_is_declared_counts() -> None:
    table = read_table(pl.DataFrame({"a": [1, 2]}))
    schema = Schema.assign([("a", Kind.NOMINAL)], quasi_identifiers=["a"])
    records = encode_records(table, schema)
    assert records.numeric == ()
    assert records.categories[0].hierarchy.nodes == ("1", "2", "*")
    assert records.codes.tolist() == [[0], [1]]


CELLS = st.one_of(st.none(), st.integers(-1, 1), st.sampled_from([0.0, -0.0, 0.5, float("nan")]))


@given(st.lists(st.tuples(CELLS, st.sampled_from(["a", "b", "", None])), min_size=1, max_size=30))
def test_class_sizes_equal_a_naive_count(rows: list[tuple[float | None, str | None]]) -> None:
    columns = {"a": [None if a is None else float(a) for a, _ in rows], "b": [b for _, b in rows]}
    frames = [
        pl.DataFrame(columns, schema={"a": pl.Float64, "b": pl.String}),
        pd.DataFrame({"a": pd.array(columns["a"], dtype="Float64"), "b": pd.Series(columns["b"], dtype=object)}),
        pd.DataFrame({"a": pd.Series(columns["a"], dtype=object), "b": pd.Series(columns["b"], dtype=object)}),
        pa.table({"a": pa.array(columns["a"], pa.float64()), "b": pa.array(columns["b"], pa.string())}),
    ]
    for frame in frames:
        # NaN and nothing, and the signs of zero, can be told apart; pandas' Float64 makes NaN nothing
        merged = isinstance(frame, pd.DataFrame) and str(frame["a"].dtype) == "Float64"
        texts = [None if a is None or (merged and a != a) else repr(a) for a in columns["a"]]
        counts = Counter(seen := list(zip(texts, columns["b"], strict=True)))
        assert class_sizes(read_table(frame), ["a", "b"]).tolist() == [counts[row] for row in seen]

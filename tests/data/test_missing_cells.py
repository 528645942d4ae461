"""Released columns with missing cells, in every kind of table and of file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.data import ReadOptions, Table, class_sizes, column_kinds, read_table, replace_columns, write_table
from shoal.domain import IntegerColumn, TextColumn
from shoal.domain.columns import Schema
from shoal.errors import DataError, OutputError

NAN = float("nan")
COLUMNS: dict[str, list[Any]] = {"n": [1, 2, 3, 4], "x": [0.5, 1.5, 2.5, 3.5], "w": ["a", "b", "a", "c"]}
NEW: dict[str, Any] = {
    "n": IntegerColumn(np.array([2.0, 2.0, NAN, NAN])),
    "x": np.array([NAN, NAN, -0.0, 0.0]),
    "w": TextColumn(("a", "b", "c"), np.array([-1, -1, 1, 1])),
}
CELLS: dict[str, list[Any]] = {"n": [2, 2, None, None], "x": [None, None, 0, 0], "w": [None, None, "b", "b"]}
FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


def release_of(table: Table, new: dict[str, Any]) -> Table:
    return replace_columns(table, Schema.assign(column_kinds(table), quasi_identifiers=list(new)), new)


def cells(table: Table, name: str) -> list[Any]:
    return list(table.cells.content(name).values.to_list())


@pytest.mark.parametrize("kind", FRAMES)
def test_missing_cells_are_missing_in_every_frame(kind: str) -> None:
    release = release_of(read_table(FRAMES[kind](COLUMNS)), NEW)
    for name, expected in CELLS.items():
        assert cells(release, name) == expected
        assert class_sizes(release, [name]).tolist() == [2, 2, 2, 2]
    assert class_sizes(release, list(NEW)).tolist() == [2, 2, 2, 2]
    again = read_table(release.native())
    assert {name: cells(again, name) for name in NEW} == CELLS


def test_the_types_of_frames_bear_the_gaps() -> None:
    frame = release_of(read_table(pd.DataFrame(COLUMNS)), NEW).native()
    assert [str(dtype) for dtype in frame.dtypes] == ["Int64", "float64", "str"]
    frame["x"] += 1.0  # the cells are the user's to change
    assert release_of(read_table(pl.DataFrame(COLUMNS)), NEW).native().dtypes == [pl.Int64, pl.Float64, pl.String]
    types = release_of(read_table(pa.table(COLUMNS)), NEW).native().schema.types
    assert types == [pa.int64(), pa.float64(), pa.string()]


COPIED = TextColumn(("1", "2"), np.array([-1, 1, 1]))


@pytest.mark.parametrize(
    ("series", "dtype"),
    [
        (pd.Series([1, 2, 1]), "Int64"),
        (pd.Series([1, 2, 1], dtype="uint8"), "UInt8"),
        (pd.Series([1.0, 2.0, 1.0]), "float64"),
        (pd.Series(["1", "2", "1"]), "str"),
        (pd.Series(["1", "2", "1"], dtype="string"), "string"),
        (pd.Series([1, 2, 1], dtype="int32[pyarrow]"), "int32[pyarrow]"),
        (pd.Series([1, 2, 1], dtype=object), "object"),
        (pd.Series(["1", "2", "1"]).astype("category"), "category"),
    ],
)
def test_copied_cells_of_pandas_keep_a_type(series: Any, dtype: str) -> None:
    series.index = [5, 6, 7]
    release = release_of(read_table(pd.DataFrame({"a": series})), {"a": COPIED})
    result = release.native()["a"]
    assert str(result.dtype) == dtype
    assert result.isna().tolist() == [True, False, False]
    assert [str(cell).removesuffix(".0") for cell in result[1:]] == ["2", "2"]
    assert result.index.tolist() == [5, 6, 7]
    if dtype == "category":
        assert result.cat.categories.tolist() == ["2"]
    assert class_sizes(release, ["a"]).tolist() == [1, 2, 2]


def test_truth_values_of_pandas_bear_gaps() -> None:
    frame = pd.DataFrame({"a": [True, False, True]})
    result = release_of(read_table(frame), {"a": TextColumn(("true", "false"), np.array([-1, 0, 0]))}).native()["a"]
    assert str(result.dtype) == "boolean"
    assert result.tolist() == [pd.NA, True, True]


def test_copied_cells_of_other_frames_keep_their_type() -> None:
    enum = pl.Series(["1", "2", "1"], dtype=pl.Enum(["1", "2"]))
    result = release_of(read_table(pl.DataFrame({"a": enum})), {"a": COPIED}).native()["a"]
    assert (result.dtype, result.to_list()) == (pl.Enum(["2"]), [None, "2", "2"])
    codes = pa.array(["1", "2", "1"]).dictionary_encode()
    for column in (codes, pa.array([1, 2, 1], pa.int8()), pa.array(["1", "2", "1"], pa.string_view())):
        released = release_of(read_table(pa.table({"a": column})), {"a": COPIED}).native().column("a")
        assert [None if cell is None else str(cell) for cell in released.to_pylist()] == [None, "2", "2"]
        assert released.type in (column.type, pa.string())
    left = release_of(read_table(pa.table({"a": codes})), {"a": COPIED}).native().column("a")
    assert left.chunk(0).dictionary.to_pylist() == ["2"]


def test_a_column_of_gaps_only() -> None:
    missing = TextColumn(("1", "2"), np.full(3, -1))
    for frame in (pl.DataFrame({"a": ["1", "2", "1"]}), pa.table({"a": pa.array(["1", "2", "1"]).dictionary_encode()})):
        release = release_of(read_table(frame), {"a": missing})
        assert cells(release, "a") == [None] * 3
        assert class_sizes(release, ["a"]).tolist() == [3, 3, 3]


def test_arrays_have_nan() -> None:
    table = read_table(np.array([[1, 7], [2, 8], [1, 9]]))
    native = release_of(table, {"0": IntegerColumn(np.array([2.0, 2.0, NAN]))}).native()
    assert np.array_equal(native, [[2, 7], [2, 8], [NAN, 9]], equal_nan=True)
    native = release_of(table, {"0": COPIED}).native()
    assert np.array_equal(native, [[NAN, 7], [2, 8], [2, 9]], equal_nan=True)
    assert class_sizes(release_of(table, {"0": COPIED}), ["0"]).tolist() == [1, 2, 2]
    long = read_table(np.array([[2**60 + 1], [2], [1]]))
    with pytest.raises(DataError, match="cannot hold"):
        release_of(long, {"0": TextColumn((str(2**60 + 1), "2"), np.array([0, 0, -1]))})


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".arrow", ".xlsx", ".sav", ".dta", ".xpt"])
@pytest.mark.parametrize("start", [".csv", ".parquet"])
def test_files_give_the_gaps_back(tmp_path: Path, start: str, ending: str) -> None:
    write_table(read_table(pl.DataFrame({**COLUMNS, "kept": [5, 6, 7, 8]})), tmp_path / f"in{start}")
    release = release_of(read_table(tmp_path / f"in{start}"), NEW)
    write_table(release, tmp_path / f"out{ending}")
    again = read_table(tmp_path / f"out{ending}")
    for name, expected in CELLS.items():
        assert [None if cell == "" else cell for cell in cells(again, name)] == expected
        assert class_sizes(again, [name]).tolist() == [2, 2, 2, 2]


def test_a_delimited_file_has_empty_fields(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"n;x;w\r\n1;0,5;a\r\nNA;1,5;b\r\n3;;a\r\n4;3,5;c\r\n")
    table = read_table(tmp_path / "in.csv", options=ReadOptions(decimal=","))
    write_table(release_of(table, {**NEW, "x": np.array([NAN, 1.5, 1.5, NAN])}), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == b"n;x;w\r\n2;;\r\n2;1,5;\r\n;1,5;b\r\n;;b\r\n"


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
@pytest.mark.parametrize("start", [".csv", ".parquet"])
def test_a_missing_cell_that_is_a_whole_record_is_not_lost(tmp_path: Path, start: str, ending: str) -> None:
    write_table(read_table(pl.DataFrame({"a": [1, 2, 3, 4]})), tmp_path / f"in{start}")
    table = read_table(tmp_path / f"in{start}")
    write_table(release_of(table, {"a": NEW["n"]}), tmp_path / f"out{ending}")
    again = read_table(tmp_path / f"out{ending}")
    assert cells(again, "a") == [2, 2, None, None]


def test_a_missing_record_needs_a_mark_of_quotation(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("a\n1\n2\n3\n4\n")
    table = read_table(tmp_path / "in.csv", options=ReadOptions(quote=""))
    with pytest.raises(OutputError, match=r"'a' contain .* empty, and quoting is off"):
        write_table(release_of(table, {"a": NEW["n"]}), tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()

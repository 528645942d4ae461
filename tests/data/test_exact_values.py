"""Different values stay different, and untouched values stay the same; otherwise there is an error."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.data import (
    class_sizes,
    column_kinds,
    encode_records,
    profile_columns,
    read_table,
    replace_columns,
    write_table,
)
from shoal.domain.columns import Schema
from shoal.errors import DataError, OutputError, ShoalError

LONG = 2**60
PATTERNS = ["*", "^x$", "^.*$", "^", "x"]


def objects(*cells: Any) -> pd.DataFrame:
    return pd.DataFrame({"a": pd.Series(cells, dtype=object)})


def typed(cells: list[Any], dtype: Any) -> pd.DataFrame:
    return pd.DataFrame({"a": pd.Series(cells, dtype=dtype)})


def nested(inner: pl.Series, *, struct: bool) -> pl.DataFrame:
    frame = pl.DataFrame({"inner": inner})
    return frame.select(a=pl.struct("inner") if struct else pl.concat_list("inner"))


def long_array(middle: float) -> Any:
    array = np.zeros(5000)
    array[2500] = middle
    return array


DIFFERENT: dict[str, Any] = {
    "categories": pd.DataFrame({"a": pd.Categorical([1, "1"])}),
    "nullable": typed([LONG, LONG + 1, None], "Int64"),
    "nullable unsigned": typed([2**64 - 1, 2**64 - 2, None], "UInt64"),
    "arrow integers": typed([LONG, LONG + 1, None], "int64[pyarrow]"),
    "arrow decimals": typed(
        [Decimal("0.12345678901234567891"), Decimal("0.12345678901234567892")], pd.ArrowDtype(pa.decimal128(38, 20))
    ),
    "arrow times": typed(pa.array([1, 2], pa.time64("ns")), pd.ArrowDtype(pa.time64("ns"))),
    "wide floats": typed(np.array([1, 1], dtype=np.longdouble) + np.array([0, 1e-18], dtype=np.longdouble), None),
    "long integers": objects(2**70, 2**70 + 1),
    "decimals": objects(Decimal("0.12345678901234567891"), Decimal("0.12345678901234567892")),
    "zeros of decimals": objects(Decimal("1.0"), Decimal("1.00")),
    "truth and number": objects(True, 1),
    "whole and float": objects(1, 1.0),
    "number and text": objects(1, "1"),
    "list and text": objects([1], "[1]"),
    "truth inside": objects([1], [True], (1,)),
    "tuples": objects((1,), (True,), (1.0,)),
    "arrays": objects(long_array(1), long_array(2)),
    "shapes": objects(np.zeros((2, 3)), np.zeros((3, 2)), np.zeros(6)),
    "arrays of objects": objects(np.array([1, "a"], dtype=object), np.array([True, "a"], dtype=object)),
    "sets": objects({1}, {True}, frozenset({1})),
    "structures": objects({"a": 1}, {"a": True}),
    "numpy time": objects(np.datetime64(5, "ns"), np.datetime64(6, "ns"), 5),
    "zones": objects(
        dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC),
        dt.datetime(2024, 1, 1, 13, tzinfo=dt.timezone(dt.timedelta(hours=1))),
    ),
    "nanoseconds": objects(pd.Timestamp(1), pd.Timestamp(2)),
    "missing in several ways": objects(None, float("nan"), Decimal("NaN"), Decimal("sNaN"), pd.NA, pd.NaT),
    "signs of zero": objects(0.0, -0.0, Decimal("0"), Decimal("-0")),
    "what cannot be compared": objects(pd.Series([1]), pd.Series([1])),
    "polars objects": pl.DataFrame({"a": pl.Series([1, True, "1", 1.0], dtype=pl.Object)}),
    "polars decimals": pl.DataFrame(
        {"a": pl.Series(["0.12345678901234567891", "0.12345678901234567892"]).cast(pl.Decimal(38, 20))}
    ),
    **{
        f"{dtype} in a {'struct' if struct else 'list'}": nested(pl.Series([1, 2, None]).cast(dtype), struct=struct)
        for dtype in (pl.Datetime("ns"), pl.Duration("ns"), pl.Time())
        for struct in (True, False)
    },
    "arrays of numbers": np.array([[LONG], [LONG + 1]]),
    "masked": np.ma.masked_array([[LONG], [LONG + 1]], mask=[[False], [False]]),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_what_differs_is_never_alike(case: str) -> None:
    table = read_table(DIFFERENT[case])
    assert set(class_sizes(table, table.names).tolist()) == {1}


ALIKE: dict[str, Any] = {
    "numpy scalars": objects(1, np.int64(1), np.uint8(1)),
    "numpy floats": objects(1.5, np.float64(1.5), np.float32(1.5)),
    "numpy text": objects("a", np.str_("a")),
    "not a number": objects(float("nan"), np.float64("nan"), np.float32("nan"), -float("nan")),
    "lists": objects([1, "x", float("nan")], [1, "x", float("nan")]),
    "arrays": objects(long_array(1), long_array(1)),
    "codes": objects(uuid.UUID(int=5), uuid.UUID(int=5)),
    "zeros": objects(0.0, np.float64(0.0), np.float32(0.0)),
}


@pytest.mark.parametrize("case", ALIKE)
def test_what_is_the_same_is_alike(case: str) -> None:
    table = read_table(ALIKE[case])
    assert set(class_sizes(table, ["a"]).tolist()) == {table.height}
    assert len(profile_columns(table)) == 1


class Rude:
    """A cell that fails at everything with its content."""

    def _fail(self, *_: Any) -> Any:
        raise ValueError("secret")

    __repr__ = __str__ = __eq__ = __hash__ = _fail


def frames_of(cells: list[Any]) -> list[Any]:
    more = list(range(len(cells)))
    return [
        pd.DataFrame({"a": pd.Series(cells, dtype=object), "n": more}),
        pl.DataFrame({"a": pl.Series(cells, dtype=pl.Object), "n": more}),
    ]


def test_errors_of_cells_stay_inside(tmp_path: Path) -> None:
    for frame in frames_of([Rude(), Rude()]):
        table = read_table(frame)
        attempts: list[Callable[[], object]] = [
            lambda: column_kinds(table),  # noqa: B023 - called at once
            lambda: class_sizes(table, ["a"]),  # noqa: B023
            *(
                lambda ending=e: write_table(table, tmp_path / f"a{ending}")  # noqa: B023
                for e in (".csv", ".parquet", ".xlsx", ".sav")
            ),
        ]
        for attempt in attempts:
            with pytest.raises(ShoalError) as caught:
                attempt()
            assert "secret" not in str(caught.value)
            assert caught.value.__cause__ is None
            assert caught.value.__suppress_context__


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".xlsx", ".sav"])
def test_half_a_character_is_refused(tmp_path: Path, ending: str) -> None:
    for frame in frames_of(["a\ud800", "b"]):
        table = read_table(frame)
        assert class_sizes(table, ["a"]).tolist() == [1, 1]
        assert profile_columns(table)[0].distinct == 2
        with pytest.raises(OutputError, match="do not fit the format"):
            write_table(table, tmp_path / f"a{ending}")


OBJECTS: dict[str, tuple[list[Any], list[Any]]] = {
    "long integers": ([2**70, 2**70 + 1, None], [str(2**70), str(2**70 + 1), None]),
    "integers and floats": ([2**53 + 1, 0.5], [str(2**53 + 1), "0.5"]),
    "integers": ([2**62 + 1, None], [2**62 + 1, None]),
    "floats": ([1, 2.5, None], [1.0, 2.5, None]),
    "decimals": ([Decimal("0.1"), Decimal("1.25")], [Decimal("0.1"), Decimal("1.25")]),
    "dates": ([dt.date(2024, 1, 1), None], [dt.date(2024, 1, 1), None]),
    "nanoseconds": ([pd.Timestamp(1)], ["1970-01-01 00:00:00.000000001"]),
    "mixed": ([1, "x", None], ["1", "x", None]),
    "lists": ([[1], [2, 3]], [[1], [2, 3]]),
    "arrays": ([np.array([1]), np.array([2, 3])], [[1], [2, 3]]),
}


@pytest.mark.parametrize("case", OBJECTS)
def test_objects_go_into_files_without_change(tmp_path: Path, case: str) -> None:
    cells, expected = OBJECTS[case]
    for frame in frames_of(cells):
        write_table(read_table(frame), tmp_path / "a.parquet")
        assert read_table(tmp_path / "a.parquet").native()["a"].to_list() == expected


def test_long_integers_are_written_with_all_digits(tmp_path: Path) -> None:
    for frame in frames_of([2**70, 2**70 + 1]):
        write_table(read_table(frame), tmp_path / "a.csv")
        assert (tmp_path / "a.csv").read_text() == f"a,n\n{2**70},0\n{2**70 + 1},1\n"


def test_objects_that_no_file_can_hold(tmp_path: Path) -> None:
    for cells in ([object(), object()], [{1}, {2}], [1, [2]]):
        for frame in frames_of(cells):
            with pytest.raises(OutputError, match="do not fit the format"):
                write_table(read_table(frame), tmp_path / "a.parquet")


def array_release(array: Any, new: Any) -> Any:
    table = read_table(array)
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["0"])
    encode_records(table, schema)
    return replace_columns(table, schema, {"0": new}).native()


@pytest.mark.parametrize(
    ("value", "dtype", "new"),
    [
        (2**53 + 1, np.int64, [1.5, 1.5]),
        (-(2**53) - 1, np.int64, [1.5, 1.5]),
        (2**63 - 1, np.int64, [1.5, 1.5]),
        (2**53 + 1, np.uint64, [1.5, 1.5]),
        (2**64 - 1, np.uint64, [1, 1]),
    ],
)
def test_arrays_that_cannot_hold_an_untouched_column(value: int, dtype: Any, new: list[float]) -> None:
    with pytest.raises(DataError, match=r"cannot hold column '1' exactly; .* frame") as caught:
        array_release(np.array([[1, value], [2, 0]], dtype=dtype), np.array(new))
    assert str(value) not in str(caught.value)


def test_arrays_that_can() -> None:
    whole = array_release(np.array([[1, 2**63 - 1], [2, 0]]), np.array([1, 1]))
    assert whole.tolist() == [[1, 2**63 - 1], [1, 0]]
    floats = array_release(np.array([[1, -(2**60)], [2, 2**53]]), np.array([1.5, 1.5]))
    assert floats.tolist() == [[1.5, -(2.0**60)], [1.5, 2.0**53]]
    small = array_release(np.array([[1, 200], [2, 0]], dtype=np.uint8), np.array([1.5, 1.5]))
    assert small.tolist() == [[1.5, 200], [1.5, 0]]


def test_arrays_without_an_exact_reading() -> None:
    with pytest.raises(DataError, match="holds no plain numbers"):
        read_table(np.array([[1.0]], dtype=np.longdouble))
    with pytest.raises(DataError, match="cannot hold column '1' exactly"):
        read_table(np.ma.masked_array([[1, LONG + 1], [2, 3]], mask=[[True, False], [False, False]]))
    assert read_table(np.ma.masked_array([[1, LONG + 1]], mask=[[False, True]])).native().tolist()[0][0] == 1


STORED: dict[str, Any] = {
    "float": [0.1 + 0.2, 1e-7, None],
    "whole": [2**53, -5, None],
    "long but even": [2**60, 1, 2],
    "truth": [True, False, None],
    "day": [dt.date(2024, 2, 29), None, dt.date(1950, 1, 1)],
    "time": [dt.datetime(2024, 2, 29, 1, 2, 3), None, dt.datetime(1950, 1, 1)],
    "midnight": [dt.datetime(2024, 2, 29), None, dt.datetime(1950, 1, 1)],
    "clock": [dt.time(1, 2, 3), None, dt.time(23, 59, 59)],
    "decimal": [Decimal("0.10"), Decimal("12.25"), None],
    "text": ["=1", "ä", None],
    "category": pl.Series(["a", None, "b"], dtype=pl.Categorical),
    "nothing": [None, None, None],
}
LOST: dict[str, Any] = {
    "long": [2**53 + 1, 1, 2],
    "longest": [2**63 - 1, 1, 2],
    "unsigned": pl.Series([2**64 - 1, 1, 2], dtype=pl.UInt64),
    "long decimal": [Decimal("0.12345678901234567891")] * 3,
    "nanoseconds": pl.Series([1, 2, 3]).cast(pl.Datetime("ns")),
    "bytes": [b"a", b"b", b"c"],
    "span": [dt.timedelta(hours=30)] * 3,
    "list": [[1], [2], [3]],
}
BOOKS = [".xlsx", ".sav", ".dta", ".xpt"]


@pytest.mark.parametrize("ending", BOOKS)
@pytest.mark.parametrize("case", STORED)
def test_files_give_back_what_was_put_into_them(tmp_path: Path, case: str, ending: str) -> None:
    frame = pl.DataFrame({"x": pl.Series(STORED[case]), "n": [1, 2, 3]})
    write_table(read_table(frame), tmp_path / f"a{ending}")
    again = read_table(tmp_path / f"a{ending}").native()["x"]
    if case in ("float", "whole", "long but even", "truth"):
        assert again.to_list() == STORED[case]


@pytest.mark.parametrize("ending", BOOKS)
@pytest.mark.parametrize("case", LOST)
def test_what_a_format_cannot_hold_is_refused(tmp_path: Path, case: str, ending: str) -> None:
    frame = pl.DataFrame({"x": LOST[case], "n": [1, 2, 3]})
    with pytest.raises(OutputError, match="do not fit the format"):
        write_table(read_table(frame), tmp_path / f"a{ending}")


def test_fractions_of_seconds(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": [dt.datetime(2024, 1, 1, 1, 2, 3, 4567)], "n": [1]})
    for ending in (".xlsx", ".sav"):
        with pytest.raises(OutputError, match="do not fit the format"):
            write_table(read_table(frame), tmp_path / f"a{ending}")


def test_rows_that_a_sheet_would_lose(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="do not fit the format"):
        write_table(read_table(pl.DataFrame({"x": [1, None, 3]})), tmp_path / "a.xlsx")


def test_the_reader_of_workbooks_is_quiet(tmp_path: Path) -> None:
    write_table(read_table(pl.DataFrame({"x": [None, None], "n": [1, 2]})), tmp_path / "a.xlsx")
    # On its own: the test runner catches what is logged.
    code = "import sys, shoal.data; shoal.data.read_table(sys.argv[1])"
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.xlsx")], capture_output=True, check=True, text=True
    )
    assert (run.stdout, run.stderr) == ("", "")


def patterned(kind: str, folder: Path) -> Any:
    columns: dict[str, list[Any]] = {name: [float(position), 2.5, 4.0] for position, name in enumerate(PATTERNS)}
    columns["*"] = ["a", "b", "a"]
    if kind in ("pandas", "polars", "pyarrow"):
        return {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[kind](columns)
    write_table(read_table(pl.DataFrame(columns)), folder / f"patterned{kind}")
    return folder / f"patterned{kind}"


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", ".csv", ".tsv", ".parquet", ".arrow", ".xlsx"])
def test_names_that_look_like_patterns(tmp_path: Path, kind: str) -> None:
    table = read_table(patterned(kind, tmp_path))
    assert table.names == tuple(PATTERNS)
    assert len(profile_columns(table)) == 5
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["^x$", "^.*$"], identifiers=["^"])
    assert encode_records(table, schema).values.tolist() == [[1, 2], [2.5, 2.5], [4, 4]]
    release = replace_columns(table, schema, {"^x$": np.array([1.5, 1.5, 4.0]), "^.*$": np.array([7, 7, 7])})
    assert release.names == ("*", "^x$", "^.*$", "x")
    assert list(release.native()["*"]) == (
        release.native()["*"].to_list() if kind != "pyarrow" else list(table.native()["*"])
    )
    assert class_sizes(release, ["^x$", "^.*$"]).tolist() == [2, 2, 1]
    assert class_sizes(release, ["*"]).tolist() == [2, 1, 2]
    for ending in (".csv", ".tsv", ".parquet", ".arrow", ".xlsx"):
        write_table(release, tmp_path / f"out{ending}")
        again = read_table(tmp_path / f"out{ending}")
        assert again.names == release.names
        native = again.native()
        assert native["*"].to_list() == ["a", "b", "a"]
        assert native["^x$"].to_list() == [1.5, 1.5, 4.0]
        assert native["^.*$"].to_list() == [7, 7, 7]
        assert native["x"].to_list() == [4, 2.5, 4.0]
    for ending in (".sav", ".dta"):
        with pytest.raises(OutputError):
            write_table(release, tmp_path / f"out{ending}")


def test_a_frame_may_have_a_nameless_column(tmp_path: Path) -> None:
    for frame in (pd.DataFrame({"": [1, 2], "n": [1, 1]}), pl.DataFrame({"": [1, 2], "n": [1, 1]})):
        table = read_table(frame)
        assert class_sizes(table, [""]).tolist() == [1, 1]
        write_table(table, tmp_path / "a.parquet")
        assert read_table(tmp_path / "a.parquet").names == ("", "n")

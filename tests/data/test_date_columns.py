"""Dates as days, and back to the type of the original column."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import (
    Table,
    class_sizes,
    column_kinds,
    dates_as_days,
    encode_records,
    numeric_matrix,
    read_table,
    replace_columns,
    write_table,
)
from shoal.domain import DateColumn, Partition
from shoal.domain.columns import Kind, Schema
from shoal.errors import ColumnError, DataError
from shoal.recode import recode

NAN = float("nan")
DATES = [dt.date(2020, 1, 1), dt.date(2020, 1, 4), dt.date(1969, 12, 31), dt.date(1969, 12, 31)]
DAYS = [18262.0, 18265.0, -1.0, -1.0]
TIMES = [dt.datetime(2020, 1, 1, 12), dt.datetime(2020, 1, 1, 18), dt.datetime(1970, 1, 1), dt.datetime(1970, 1, 1)]
NOON = [18262.5, 18262.75, 0.0, 0.0]
TOKYO = dt.timezone(dt.timedelta(hours=9))
GROUPS = Partition(np.array([0, 0, 1, 1]), k=2, method="none")


def schema_of(table: Table, **message: Kind) -> Schema:
    return Schema.assign(
        [(name, message.get(name, kind)) for name, kind in column_kinds(table)], quasi_identifiers=["d"]
    )


def release_of(table: Table, way: str = "mean", **message: Kind) -> Table:
    schema = schema_of(table, **message)
    return replace_columns(table, schema, recode(encode_records(table, schema), GROUPS, recodings={"d": way}))


def series_of(kind: str, name: str, cells: list[Any]) -> Any:
    released: dict[str, dict[str, Callable[[list[Any]], Any]]] = {
        "polars": {
            "date": pl.Series,
            "ms": lambda cells: pl.Series(cells, dtype=pl.Datetime("ms")),
            "ns": lambda cells: pl.Series(cells, dtype=pl.Datetime("ns")),
            "zoned": lambda cells: pl.Series(cells, dtype=pl.Datetime("us")).dt.replace_time_zone("UTC"),
        },
        "pandas": {
            "date": lambda cells: pd.Series(cells, dtype=object),
            "s": lambda cells: pd.Series(np.array(cells, dtype="datetime64[s]")),
            "ns": lambda cells: pd.Series(np.array(cells, dtype="datetime64[ns]")),
            "zoned": lambda cells: pd.Series(np.array(cells, dtype="datetime64[us]")).dt.tz_localize("UTC"),
            "arrow": lambda cells: pd.Series(cells, dtype="timestamp[ms][pyarrow]"),
            "arrow day": lambda cells: pd.Series(cells, dtype="date32[day][pyarrow]"),
            "objects": lambda cells: pd.Series(cells, dtype=object),
        },
        "pyarrow": {
            "date": pa.array,
            "date64": lambda cells: pa.array(cells, pa.date64()),
            "s": lambda cells: pa.array(cells, pa.timestamp("s")),
            "ns": lambda cells: pa.array(cells, pa.timestamp("ns")),
            "zoned": lambda cells: pa.array(cells, pa.timestamp("us", tz="UTC")),
        },
    }
    return released[kind][name](cells)


FRAMES: dict[str, Callable[[Any], Any]] = {
    "polars": lambda cells: pl.DataFrame({"d": cells}),
    "pandas": lambda cells: pd.DataFrame({"d": cells}),
    "pyarrow": lambda cells: pa.table({"d": cells}),
}
OF_DAYS = [("polars", "date"), ("pandas", "date"), ("pandas", "arrow day"), ("pyarrow", "date"), ("pyarrow", "date64")]
OF_TIMES = [
    ("polars", "ms"),
    ("polars", "ns"),
    ("polars", "zoned"),
    ("pandas", "s"),
    ("pandas", "ns"),
    ("pandas", "zoned"),
    ("pandas", "arrow"),
    ("pandas", "objects"),
    ("pyarrow", "s"),
    ("pyarrow", "ns"),
    ("pyarrow", "zoned"),
]


def cells_of(frame: Any) -> list[Any]:
    column = frame["d"]
    cells = column.to_pylist() if isinstance(frame, pa.Table) else column.to_list()
    return [None if cell is None or cell is pd.NaT or cell is pd.NA else cell for cell in cells]


def type_of(frame: Any) -> Any:
    return frame.schema.field("d").type if isinstance(frame, pa.Table) else frame["d"].dtype


@pytest.mark.parametrize(("kind", "name"), OF_DAYS)
def test_days_stay_days(kind: str, name: str) -> None:
    frame = FRAMES[kind](series_of(kind, name, DATES))
    table = read_table(frame)
    assert dates_as_days(table, "d").tolist() == DAYS
    records = encode_records(table, schema_of(table))
    assert (records.values[:, 0].tolist(), records.dates, records.kinds) == (DAYS, ("d",), {"d": Kind.DATE})
    release = release_of(table)
    native = release.native()
    assert type_of(native) == type_of(frame)
    assert [str(cell) for cell in cells_of(native)] == ["2020-01-03"] * 2 + ["1969-12-31"] * 2  # halves go to even
    assert class_sizes(release, ["d"]).tolist() == [2, 2, 2, 2]
    assert dict(column_kinds(release))["d"] is Kind.DATE
    missing = replace_columns(table, schema_of(table), {"d": DateColumn(np.array([0.0, 0.0, NAN, NAN]))})
    assert [None if cell is None else str(cell) for cell in cells_of(missing.native())] == ["1970-01-01"] * 2 + [
        None
    ] * 2
    assert type_of(missing.native()) == type_of(frame)
    assert np.isnan(dates_as_days(missing, "d")).tolist() == [False, False, True, True]
    assert class_sizes(missing, ["d"]).tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize(("kind", "name"), OF_TIMES)
def test_points_in_time_keep_their_type_and_zone(kind: str, name: str) -> None:
    frame = FRAMES[kind](series_of(kind, name, TIMES))
    table = read_table(frame)
    assert dates_as_days(table, "d").tolist() == NOON
    native = release_of(table).native()
    assert type_of(native) == type_of(frame)
    zone = "+00:00" if name == "zoned" else ""
    expected = [f"2020-01-01 15:00:00{zone}"] * 2 + [f"1970-01-01 00:00:00{zone}"] * 2
    assert [str(cell) for cell in cells_of(native)] == expected
    missing = replace_columns(table, schema_of(table), {"d": DateColumn(np.array([0.25, 0.25, NAN, NAN]))})
    assert type_of(missing.native()) == type_of(frame)
    assert [cell is None for cell in cells_of(missing.native())] == [False, False, True, True]
    assert class_sizes(missing, ["d"]).tolist() == [2, 2, 2, 2]


def test_a_zone_that_is_not_utc_stays() -> None:
    times = [time.replace(tzinfo=TOKYO) for time in TIMES]
    utc = [day - 9 / 24 for day in NOON]
    frames = [
        pl.DataFrame({"d": pl.Series(TIMES).dt.replace_time_zone("Asia/Tokyo")}),
        pd.DataFrame({"d": pd.Series(TIMES).dt.tz_localize("Asia/Tokyo")}),
        pa.table({"d": pa.array(times, pa.timestamp("us", tz="Asia/Tokyo"))}),
        pd.DataFrame(
            {"d": pd.Series(TIMES).dt.tz_localize("Asia/Tokyo").astype("timestamp[us, tz=Asia/Tokyo][pyarrow]")}
        ),
        pd.DataFrame({"d": pd.Series(times, dtype=object)}),
    ]
    for frame in frames:
        table = read_table(frame)
        assert dates_as_days(table, "d").tolist() == pytest.approx(utc, abs=1e-12)
        native = release_of(table).native()
        assert type_of(native) == type_of(frame)
        assert cells_of(native)[0] == dt.datetime(2020, 1, 1, 15, tzinfo=TOKYO)


TEXTS = {
    "days": (["2020-01-01", "2020-01-04", "1969-12-31", "1969-12-31"], ["2020-01-03", "1969-12-31"]),
    "blanks": (
        ["2020-01-01 10:00", "2020-01-01 20:00:00", "1970-01-01", "1970-01-02"],
        ["2020-01-01 15:00:00", "1970-01-01 12:00:00"],
    ),
    "T": (
        ["2020-01-01T10:00", "2020-01-01T20:00:00", "1970-01-01", "1970-01-01"],
        ["2020-01-01T15:00:00", "1970-01-01T00:00:00"],
    ),
    "Z": (
        ["2020-01-01T10:00Z", "2020-01-01T22:00:00+02:00", "1970-01-01", "1970-01-01"],
        ["2020-01-01T15:00:00Z", "1970-01-01T00:00:00Z"],
    ),
    "offsets": (
        ["2020-01-01 10:00+0000", "2020-01-01 22:00:00+02:00", "1970-01-01", "1970-01-01"],
        ["2020-01-01 15:00:00+00:00", "1970-01-01 00:00:00+00:00"],
    ),
}


@pytest.mark.parametrize("case", TEXTS)
def test_text_stays_text_as_it_was_written(tmp_path: Path, case: str) -> None:
    cells, (first, second) = TEXTS[case]
    path = tmp_path / "in.csv"
    path.write_text("d,x\n" + "".join(f"{cell},1\n" for cell in cells))
    release = release_of(read_table(path))
    assert class_sizes(release, ["d"]).tolist() == [2, 2, 2, 2]
    write_table(release, tmp_path / "out.csv")
    lines = [first, first, second, second]
    assert (tmp_path / "out.csv").read_text() == "d,x\n" + "".join(f"{line},1\n" for line in lines)
    for frame in (pl.DataFrame({"d": cells}), pd.DataFrame({"d": cells}), pa.table({"d": cells})):
        native = release_of(read_table(frame), d=Kind.DATE).native()
        assert cells_of(native) == lines
        assert type_of(native) == type_of(frame)


def test_every_type_of_text_takes_dates() -> None:
    cells = [str(day) for day in DATES]
    frames = [
        pl.DataFrame({"d": pl.Series(cells, dtype=pl.Categorical)}),
        pl.DataFrame({"d": pl.Series(DATES, dtype=pl.Object)}),
        pd.DataFrame({"d": pd.Series(cells).astype("category")}),
        pd.DataFrame({"d": pd.Series(cells, dtype="string[pyarrow]")}),
        pd.DataFrame({"d": pd.Series(cells, dtype=pd.ArrowDtype(pa.string()))}),
        pa.table({"d": pa.array(cells).dictionary_encode()}),
        pa.table({"d": pa.array(cells, pa.string_view())}),
        pa.table({"d": pa.array(cells, pa.large_string())}),
    ]
    for frame in frames:
        release = release_of(read_table(frame), d=Kind.DATE)
        assert cells_of(release.native()) == ["2020-01-03"] * 2 + ["1969-12-31"] * 2
        assert class_sizes(release, ["d"]).tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("way", ["mean", "median", "interval"])
def test_missing_days_are_empty_fields(tmp_path: Path, way: str) -> None:
    (tmp_path / "in.csv").write_text("d,x\n2020-01-01,1\n2020-01-05,1\n,1\n,1\n")
    table = read_table(tmp_path / "in.csv")
    assert np.isnan(dates_as_days(table, "d")).tolist() == [False, False, True, True]
    with pytest.raises(DataError, match=r"'d' has missing values in 2 of 4 records \(the first is record 3\)"):
        encode_records(table, schema_of(table))
    full = encode_records(read_table(pl.DataFrame({"d": DATES})), schema_of(read_table(pl.DataFrame({"d": DATES}))))
    missing = np.array([[False], [False], [True], [True]])
    columns = recode(replace(full, missing=missing), GROUPS, recodings={"d": way})
    write_table(replace_columns(table, schema_of(table), columns), tmp_path / "out.csv")
    cell = "[2020-01-01 to 2020-01-04]" if way == "interval" else "2020-01-03"
    assert (tmp_path / "out.csv").read_text() == f"d,x\n{cell},1\n{cell},1\n,1\n,1\n"


@pytest.mark.parametrize(
    ("cells", "rows", "first"),
    [
        (["2020-01-01", "secret", "2020-02-30", ""], 2, 2),
        (["1 May 2020", "2020-01-01", "2020-01-01", "2020-01-01"], 1, 1),
        (["20200101", "20200102", "20200103", "20200104"], 4, 1),
        (["2020-01-01 25:00", "2020-01-01 12:61", "2020-01-01", "0000-01-01"], 3, 1),
    ],
)
def test_what_is_no_date_is_told_without_its_value(tmp_path: Path, cells: list[str], rows: int, first: int) -> None:
    path = tmp_path / "in.csv"
    path.write_text("d,x\n" + "".join(f"{cell},1\n" for cell in cells))
    table = read_table(path)
    words = (
        rf"'d' has no date .* in {rows} of 4 records \(the first is record {first}\); write these cells as YYYY-MM-DD"
    )
    with pytest.raises(DataError, match=words) as caught:
        encode_records(table, schema_of(table, d=Kind.DATE))
    assert not any(cell and cell in str(caught.value) for cell in cells)
    with pytest.raises(DataError, match="no date"):
        dates_as_days(read_table(np.array([[1], [2]])), "0")
    with pytest.raises(ColumnError, match="no column 'e'"):
        dates_as_days(table, "e")


def test_an_array_of_numbers_holds_no_dates() -> None:
    table = read_table(np.array([[1], [2]]))
    with pytest.raises(DataError, match="cannot hold column"):
        replace_columns(
            table, Schema.assign(column_kinds(table), quasi_identifiers=["0"]), {"0": DateColumn(np.zeros(2))}
        )


def test_dates_among_numbers_by_name_only() -> None:
    table = read_table(pl.DataFrame({"a": [1, 2, 3, 4], "d": DATES}))
    assert numeric_matrix(table, ["a", "d"], dates=["d"]).tolist() == [
        [1, -0.0 + DAYS[0]],
        *([i + 2, DAYS[i + 1]] for i in range(3)),
    ]
    with pytest.raises(ColumnError, match="is date"):
        numeric_matrix(table, ["a", "d"])


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".feather", ".xlsx", ".sav", ".dta", ".xpt"])
@pytest.mark.parametrize("cells", [DATES, TIMES], ids=["days", "times"])
def test_files_give_dates_back(tmp_path: Path, ending: str, cells: list[Any]) -> None:
    write_table(read_table(pl.DataFrame({"d": cells, "x": [1, 1, 1, 1]})), tmp_path / f"in{ending}")
    table = read_table(tmp_path / f"in{ending}")
    before = dates_as_days(table, "d")
    release = release_of(table)
    write_table(release, tmp_path / f"out{ending}")
    again = read_table(tmp_path / f"out{ending}")
    assert dict(column_kinds(again))["d"] is Kind.DATE
    middle = np.array([(before[0] + before[1]) / 2] * 2 + [before[2]] * 2)
    expected = np.rint(middle) if cells is DATES else middle
    assert dates_as_days(again, "d").tolist() == expected.tolist()
    assert class_sizes(again, ["d"]).tolist() == [2, 2, 2, 2]


def test_dates_of_spss_keep_their_format(tmp_path: Path) -> None:
    pyreadstat.write_sav(pl.DataFrame({"d": DATES}), str(tmp_path / "in.sav"), variable_format={"d": "EDATE10"})
    write_table(release_of(read_table(tmp_path / "in.sav")), tmp_path / "out.sav")
    assert pyreadstat.read_sav(str(tmp_path / "out.sav"))[1].original_variable_types["d"] == "EDATE10"


def test_a_hierarchy_makes_dates_categories() -> None:
    from shoal.hierarchy import Hierarchy
    from shoal.release.column_options import resolve_schema

    table = read_table(pl.DataFrame({"d": DATES}))
    tree = Hierarchy.from_dates([str(day) for day in DATES])
    records = encode_records(table, resolve_schema(table, schema_of(table), hierarchies={"d": tree}))
    assert (records.dates, records.numeric, records.kinds) == ((), (), {"d": Kind.HIERARCHICAL})


TIME = st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30)).map(lambda time: time.replace(microsecond=0))


@given(st.lists(TIME, min_size=1, max_size=8))
def test_seconds_come_back_from_days(times: list[dt.datetime]) -> None:
    table = read_table(pl.DataFrame({"d": times}))
    result = dates_as_days(table, "d")
    for time, day in zip(times, result.tolist(), strict=True):
        assert day == (time - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)
    again = replace_columns(table, schema_of(table), {"d": DateColumn(result)})
    assert again.native()["d"].to_list() == times
    assert DateColumn(result).format(with_time=True) == [time.isoformat(sep=" ") for time in times]
    text = replace_columns(
        read_table(pl.DataFrame({"d": [str(time) for time in times]})), schema_of(table), {"d": DateColumn(result)}
    )
    assert dates_as_days(text, "d").tolist() == result.tolist()


def test_microseconds_of_our_time_come_back_from_days() -> None:
    times = [dt.datetime(2026, 5, 17, 13, 37, 1, part) for part in (0, 1, 499_999, 500_000, 999_999)]
    table = read_table(pl.DataFrame({"d": times}))
    again = replace_columns(table, schema_of(table), {"d": DateColumn(dates_as_days(table, "d"))})
    assert again.native()["d"].to_list() == times

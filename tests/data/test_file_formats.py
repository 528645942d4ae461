"""Files of every format: values and labels survive a round trip; what cannot be written raises an error."""

from __future__ import annotations

import builtins
import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import pytest

from shoal.data import (
    ReadOptions,
    class_sizes,
    column_kinds,
    encode_records,
    example_register,
    file_sha256,
    numeric_matrix,
    read_table,
    replace_columns,
    write_table,
)
from shoal.domain.columns import Kind, Schema
from shoal.errors import FileError, OutputError

FRAME = pl.DataFrame(
    {
        "code": ["P1", "P2", "P3"],
        "age": [30.0, 99.0, 41.0],
        "sex": [1.0, 2.0, 1.0],
        "born": [dt.date(1990, 1, 2), None, dt.date(1980, 3, 4)],
        "note": ["=1+1", "ä", "http://x"],
    }
)
ENDINGS = [
    ".csv",
    ".tsv",
    ".csv.gz",
    ".parquet",
    ".arrow",
    ".feather",
    ".ipc",
    ".xlsx",
    ".sav",
    ".zsav",
    ".dta",
    ".xpt",
]


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_comes_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"table{ending}"
    write_table(read_table(FRAME), path)
    table = read_table(path)
    assert table.path == path
    assert table.names == tuple(FRAME.columns)
    native = table.native()
    assert isinstance(native, pl.DataFrame)
    assert native["age"].to_list() == [30, 99, 41]
    assert native["note"].to_list() == FRAME["note"].to_list()
    assert dict(column_kinds(table))["born"] is Kind.DATE
    assert [str(day) if day else None for day in native["born"].to_list()] == ["1990-01-02", None, "1980-03-04"]
    assert class_sizes(table, ["sex"]).tolist() == [2, 1, 2]
    assert ReadOptions.from_settings(table.settings).format == table.kind
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["age"], identifiers=["code"])
    release = replace_columns(table, schema, {"age": np.array([30.5, 70.25, 70.25])})
    assert release.kind == table.kind
    write_table(release, tmp_path / f"out{ending}")
    again = read_table(tmp_path / f"out{ending}")
    assert again.names == ("age", "sex", "born", "note")
    assert numeric_matrix(again, ["age"])[:, 0].tolist() == [30.5, 70.25, 70.25]
    assert again.native()["born"].to_list() == native["born"].to_list()
    assert again.native()["note"].to_list() == native["note"].to_list()
    write_table(release, tmp_path / f"twin{ending}")
    assert file_sha256(tmp_path / f"out{ending}") == file_sha256(tmp_path / f"twin{ending}")


@pytest.mark.parametrize("source", [".csv", ".parquet", ".xlsx", ".sav", ".dta"])
@pytest.mark.parametrize("target", [".tsv", ".arrow", ".xlsx", ".sav", ".dta", ".xpt"])
def test_any_format_can_become_another(tmp_path: Path, source: str, target: str) -> None:
    write_table(read_table(example_register(rows=60)), tmp_path / f"a{source}")
    table = read_table(tmp_path / f"a{source}")
    write_table(table, tmp_path / f"b{target}")
    again = read_table(tmp_path / f"b{target}")
    assert again.names == table.names
    names = ["age", "income", "treatment_cost"]
    assert numeric_matrix(again, names).tolist() == numeric_matrix(table, names).tolist()
    assert again.native()["diagnosis"].to_list() == table.native()["diagnosis"].to_list()


@pytest.mark.parametrize(
    ("ending", "reader"), [(".sav", "read_sav"), (".zsav", "read_sav"), (".dta", "read_dta"), (".xpt", "read_xport")]
)
def test_no_file_tells_when_it_was_made(tmp_path: Path, ending: str, reader: str) -> None:
    write_table(read_table(FRAME), tmp_path / f"a{ending}")
    _, meta = getattr(pyreadstat, reader)(str(tmp_path / f"a{ending}"), output_format="polars")
    assert meta.creation_time.year % 100 == 0


def test_parquet_keeps_types(tmp_path: Path) -> None:
    frame = example_register(rows=50).with_columns(
        pl.col("age").cast(pl.Int8), pl.col("sex").cast(pl.Enum(["female", "male"])), pl.lit([1, 2]).alias("list")
    )
    frame.write_parquet(tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet")
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["height_cm"])
    write_table(replace_columns(table, schema, {"height_cm": np.full(50, 170)}), tmp_path / "b.parquet")
    again = pl.read_parquet(tmp_path / "b.parquet")
    assert again.schema == frame.schema
    assert again.drop("height_cm").equals(frame.drop("height_cm"))


@pytest.fixture
def spss(tmp_path: Path) -> Path:
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(
        FRAME,
        str(path),
        file_label="A survey",
        column_labels={"age": "Age in years", "sex": "Sex at birth"},
        variable_value_labels={"sex": {1.0: "male", 2.0: "female"}, "age": {99.0: "refused"}},
        missing_ranges={"age": [99.0], "sex": [{"lo": 8.0, "hi": 9.0}]},
        variable_measure={"sex": "nominal"},
        variable_format={"age": "F3.0", "sex": "F1.0"},
    )
    return path


def test_spss_labels_come_along(spss: Path, tmp_path: Path) -> None:
    table = read_table(spss)
    assert table.kind == "spss"
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["age"], identifiers=["code"])
    with pytest.raises(Exception, match=r"'age' has missing values in 1 of 3 records \(the first is record 2\)"):
        encode_records(table, schema)
    write_table(replace_columns(table, schema, {"age": np.array([35.5, 35.5, 35.5])}), tmp_path / "out.sav")
    frame, meta = pyreadstat.read_sav(str(tmp_path / "out.sav"), user_missing=True, output_format="polars")
    assert frame["age"].to_list() == [35.5, 35.5, 35.5]
    assert meta.file_label is None
    assert meta.column_names_to_labels["age"] == "Age in years"
    assert meta.variable_value_labels == {"sex": {1.0: "male", 2.0: "female"}}
    assert meta.missing_ranges == {"sex": [{"lo": 8.0, "hi": 9.0}]}
    assert meta.variable_measure["sex"] == "nominal"
    assert meta.original_variable_types["sex"] == "F1.0"
    assert meta.original_variable_types["age"] != "F3.0"
    write_table(table, tmp_path / "out.dta")
    _, stata = pyreadstat.read_dta(str(tmp_path / "out.dta"), output_format="polars")
    assert stata.variable_value_labels["sex"] == {1: "male", 2: "female"}
    assert stata.column_names_to_labels["sex"] == "Sex at birth"
    write_table(table, tmp_path / "out.xpt")
    _, sas = pyreadstat.read_xport(str(tmp_path / "out.xpt"), output_format="polars")
    assert sas.column_names_to_labels["sex"] == "Sex at birth"


def test_stata_missing_letters_come_along(tmp_path: Path) -> None:
    cells = pl.DataFrame({"v": pl.Series([1.0, "a", 2.0], dtype=pl.Object), "w": [1, 2, 3]})
    pyreadstat.write_dta(
        cells,
        str(tmp_path / "a.dta"),
        missing_user_values={"v": ["a"]},
        variable_value_labels={"v": {"a": "refused"}, "w": {1: "one"}},
    )
    table = read_table(tmp_path / "a.dta")
    assert table.native()["v"].to_list() == [1.0, None, 2.0]
    assert dict(column_kinds(table)) == {"v": Kind.NUMERIC, "w": Kind.NUMERIC}
    with pytest.raises(Exception, match="'v' has missing values in 1 of 3"):
        numeric_matrix(table, ["v"])
    schema = Schema.assign(column_kinds(table), quasi_identifiers=["w"])
    write_table(replace_columns(table, schema, {"w": np.array([2, 2, 2])}), tmp_path / "b.dta")
    frame, meta = pyreadstat.read_dta(str(tmp_path / "b.dta"), user_missing=True, output_format="polars")
    assert frame["v"].to_list() == [1.0, "a", 2.0]
    assert meta.variable_value_labels == {"v": {"a": "refused"}}
    write_table(table, tmp_path / "c.sav")
    assert read_table(tmp_path / "c.sav").native()["v"].to_list() == [1.0, None, 2.0]


def test_a_workbook_with_several_sheets_needs_a_name(tmp_path: Path) -> None:
    import xlsxwriter

    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(path) as book:
        FRAME.select("age").write_excel(book, "one")
        FRAME.select("sex").write_excel(book, "two")
    with pytest.raises(FileError, match=r"has 2 sheets \('one', 'two'\) and none is named; name one with sheet="):
        read_table(path)
    with pytest.raises(FileError, match="no sheet 'three' among its 2 sheets"):
        read_table(path, options=ReadOptions(sheet="three"))
    table = read_table(path, options=ReadOptions(sheet="two"))
    assert table.names == read_table(path, options=ReadOptions(sheet=" Two")).names == ("sex",)
    again = ReadOptions.from_settings(table.settings)
    assert again.sheet == "two"
    write_table(table, tmp_path / "out.xlsx")
    assert read_table(tmp_path / "out.xlsx", options=again).native().equals(table.native())


def sheet(path: Path, rows: list[list[Any]]) -> Path:
    import xlsxwriter

    with xlsxwriter.Workbook(path) as book:
        page = book.add_worksheet()
        for position, row in enumerate(rows):
            page.write_row(position, 0, row)
    return path


def test_sheets_that_are_not_tables(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with pytest.raises(Exception, match="more than once"):
        read_table(sheet(path, [["a", "a"], [1, 2]]))
    assert read_table(sheet(path, [["a", None, "c"], [1, 2, 3]])).names == ("a", "column_2", "c")  # as in a csv file
    with pytest.raises(FileError, match="no record"):
        read_table(sheet(path, [["a", "b"]]))
    with pytest.raises(FileError, match="empty"):
        read_table(sheet(path, []))
    with pytest.raises(FileError, match="empty"):
        read_table(sheet(path, []), options=ReadOptions(header=False))
    mixed = read_table(sheet(path, [["a", "b"], *([i, i] for i in range(2000)), ["secret", 1]]))
    with pytest.raises(Exception, match=r"text .* in 1 of 2,001 records \(the first is record 2,001\)") as caught:
        numeric_matrix(mixed, ["a"])
    assert "secret" not in str(caught.value)
    headless = read_table(sheet(path, [[1, "x"], [2, "y"]]), options=ReadOptions(header=False))
    assert headless.names == ("column_1", "column_2")
    assert headless.height == 2


def test_objects_are_written_as_what_they_are(tmp_path: Path) -> None:
    mixed = pl.Series([1, "x", None], dtype=pl.Object)
    for frame in (pl.DataFrame({"a": mixed}), pd.DataFrame({"a": pd.Series([1, "x", None], dtype=object)})):
        write_table(read_table(frame), tmp_path / "a.parquet")
        assert read_table(tmp_path / "a.parquet").native()["a"].to_list() == ["1", "x", None]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    table = read_table(FRAME)
    for ending in (".sas7bdat", ".por", ".xls", ".ods", ".pdf", "", ".parquet.gz"):
        with pytest.raises(OutputError, match="cannot write"):
            write_table(table, tmp_path / f"a{ending}")
    for frame in ({"a": [1], "A": [2]}, {"a": ["x" * 40_000]}, {"a": [float("inf")]}):
        with pytest.raises(OutputError, match="do not fit the format"):
            write_table(read_table(pl.DataFrame(frame)), tmp_path / "a.xlsx")
    with pytest.raises(OutputError, match="do not fit the format"):
        write_table(read_table(pl.DataFrame({"a": [1e300]})), tmp_path / "a.xpt")
    nested = read_table(pl.DataFrame({"secret": [["secret value"]]}))
    for ending in (".csv", ".sav", ".dta"):
        with pytest.raises(OutputError, match="do not fit the format") as caught:
            write_table(nested, tmp_path / f"a{ending}")
        assert "secret value" not in str(caught.value)
    with pytest.raises(OutputError, match="no such file"):
        write_table(table, tmp_path / "no" / "a.csv")
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(OutputError, match="is a directory"):
        write_table(table, tmp_path / "folder.parquet")


@pytest.mark.parametrize(
    "ending", [".parquet", ".arrow", ".xlsx", ".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt", ".csv.gz"]
)
def test_damaged_files_are_told_without_their_content(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"bad{ending}"
    path.write_bytes(b"secret,content\n1,2\n" * 50)
    with pytest.raises(FileError, match="is not a readable") as caught:
        read_table(path)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    path.write_bytes(b"")
    with pytest.raises(FileError):
        read_table(path)


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".xlsx", ".sav", ".dta", ".csv.gz"])
def test_truncated_files_are_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"whole{ending}"
    write_table(read_table(example_register(rows=300)), path)
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) * 2 // 3])
    with pytest.raises(FileError):
        read_table(path)


@pytest.mark.parametrize(
    ("package", "ending"), [("pyreadstat", ".sav"), ("fastexcel", ".xlsx"), ("xlsxwriter", ".xlsx")]
)
def test_a_missing_package_is_named_by_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, ending: str
) -> None:
    path = tmp_path / f"a{ending}"
    write_table(read_table(FRAME), path)
    original: Callable[..., Any] = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == package:
            raise ImportError(name)
        return original(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(FileError, match=r"shoal\[stats\]"):
        write_table(read_table(FRAME), path) if package == "xlsxwriter" else read_table(path)


def test_fingerprints(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert file_sha256(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    with pytest.raises(FileError, match="does not exist"):
        file_sha256(tmp_path / "none")
    with pytest.raises(FileError, match="is a directory"):
        file_sha256(tmp_path)


def test_the_register_is_plausible_and_repeatable() -> None:
    register = example_register()
    assert register.equals(example_register(5000, 0))
    assert not register.equals(example_register(5000, 1))
    assert register.height == 5000
    whole = ["age", "height_cm", "income", "household_size", "length_of_stay"]
    assert register.select(whole).null_count().row(0) == (0,) * 5
    assert all(register[name].null_count() > 50 for name in ("education", "occupation", "weight_kg", "systolic_bp"))
    assert (register["age"] == 2024 - register["birth_date"].dt.year()).all()
    assert (register["admission_date"] >= register["birth_date"]).all()
    assert register["person_id"].n_unique() == 5000
    assert register["postcode"].str.contains(r"^\d{5}$").all()
    assert register["postcode"].str.starts_with("0").any()
    assert register["age"].min() == 0
    assert 90 <= register["age"].max() <= 100  # type: ignore[operator]
    adults = register.filter(pl.col("age").is_between(30, 60))
    means = dict(adults.group_by("education").agg(pl.col("income").mean()).rows())
    assert means["master or doctorate"] > 1.5 * means["lower secondary"]
    assert example_register(1).height == 1

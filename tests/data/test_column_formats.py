"""Column formats: values are written back in the format that they were read in; others are not values."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal.data import ReadOptions, find_misread_columns, read_table
from shoal.data.csv.column_format import parse_column_format
from shoal.errors import ColumnError, FileError, OptionError, on_command_line

NUMBERS = ["0", "-7", "12.5", "1234", "-1234.5", "1234567.25", "0.000001", "1e-07", "1.5e+16"]


@pytest.mark.parametrize(
    "form",
    [
        "1234,5",
        "1.234,5",
        "1,234.5",
        "1 234,5",
        "1'234.5",
        "1.234,5 €",
        "$1,234.5",
        "CHF 1'234.5",
        "1234,5%",
        "1234.5 %",
    ],
)
def test_numbers_come_back_as_they_were_written(form: str) -> None:
    known = parse_column_format(form)
    assert known is not None
    written = pl.Series([known.from_standard(number) for number in NUMBERS])
    assert known.to_standard(written).cast(pl.Float64).to_list() == [float(number) for number in NUMBERS]
    assert known.to_standard(pl.Series(["some words"])).to_list() == ["some words"]
    assert str(known) == form


@pytest.mark.parametrize(
    ("form", "cell"),
    [
        ("DD.MM.YYYY", "05.11.1980"),
        ("D/M/YYYY", "5/11/1980"),
        ("MM-DD-YYYY", "11-05-1980"),
        ("D. M. YYYY", "5. 11. 1980"),
        ("DD.MM.19YY", "05.11.80"),
        ("MM/DD/YY", "11/05/80"),
        ("YYYY/MM/DD", "1980/11/05"),
        ("DD.MM.YYYY|YYYY-MM-DD", "05.11.1980"),
    ],
)
def test_dates_come_back_as_they_were_written(form: str, cell: str) -> None:
    known = parse_column_format(form)
    assert known is not None
    assert known.to_standard(pl.Series([cell])).to_list() == ["1980-11-05"]
    assert known.from_standard("1980-11-05") == cell
    assert known.to_standard_inside(pl.Series([f"[{cell} - {cell}]"])).to_list() == ["[1980-11-05 - 1980-11-05]"]
    assert not known.to_standard(pl.Series(["31.31.1980"])).str.contains(r"^\d{4}-").any()


def test_the_century_of_years_with_two_digits() -> None:
    years = pl.Series(["01.02.68", "01.02.69"])

    def read_as(form: str) -> list[str]:
        known = parse_column_format(form)
        assert known is not None
        return known.to_standard(years).to_list()

    assert read_as("DD.MM.YY") == ["2068-02-01", "1969-02-01"]
    assert read_as("DD.MM.19YY") == ["1968-02-01", "1969-02-01"]
    assert read_as("DD.MM.20YY") == ["2068-02-01", "2069-02-01"]


def test_times_keep_their_pattern() -> None:
    known = parse_column_format("DD.MM.YYYY HH:MM")
    assert known is not None
    assert known.to_standard(pl.Series(["05.11.1980 7:30", "06.11.1980"])).to_list() == [
        "1980-11-05 07:30",
        "1980-11-06",
    ]
    assert known.from_standard("1980-11-05 07:30:00") == "05.11.1980 07:30"


@pytest.mark.parametrize("form", ["1.234.5", "DD.MM", "DD.DD.YYYY", "YYYY.YY.MM", "number", "DD.MM.YYYY|x"])
def test_formats_that_are_none(form: str) -> None:
    with pytest.raises(OptionError, match="column format"):
        ReadOptions(column_formats={"a": form})


def test_row_names_are_no_whole_parts_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "".join(f"{20 + i},5,{i}\n" for i in range(8)))
    with pytest.raises(FileError, match=r"2 fields.*have 3"):
        read_table(path)
    path.write_text("a,b\n" + "".join(f'"{20 + 2 * i}",5,{i}\n' for i in range(8)))
    assert read_table(path).names == ("row_name", "a", "b")
    path.write_text("a,b\n" + "".join(f"{1 + i},5,{i}\n" for i in range(8)))
    assert read_table(path).names == ("a", "b")


def test_one_mark_of_thousands_tells_the_decimal_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a;b\n" + "".join(f"{1 + i}.500;x\n" for i in range(8)))
    assert read_table(path, options=ReadOptions(thousands=".")).cells.content("a").text_values.to_list()[:2] == [
        "1500",
        "2500",
    ]
    assert find_misread_columns(read_table(path, options=ReadOptions(decimal="."))).thousands == ()


def test_a_footer_is_named_and_a_cut_record_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = "a,b,c\n" + "".join(f"{i},x,y\n" for i in range(8))
    for below, lines in (("\nmade by hand\n", 2), ("Total,8,\n", 1), ("Total,8,\n\na note\n", 3), ('"Sum:",,\n', 1)):
        path.write_text(rows + below)
        with pytest.raises(FileError, match=f"skip_footer={lines},"):
            read_table(path)
        assert read_table(path, options=ReadOptions(skip_footer=lines)).height == 8
    path.write_text(rows + "8,x\n")
    with pytest.raises(FileError, match=r"1 record .* not have 3 fields"):
        read_table(path)
    path.write_text(rows + "Total,8,\n")
    table = read_table(path, options=ReadOptions(skip_footer=0))
    assert table.height == 9
    assert read_table(path, options=ReadOptions.from_settings(table.settings)).height == 9


def test_names_with_parentheses_stay_whole_in_messages() -> None:
    error = ColumnError.ambiguous_format("Diagnose (ICD-10)", "comma", ("1234,5", "1,234.5"))
    assert str(error).endswith("with column_formats=.")
    assert on_command_line(error.sentence).endswith("with --column-format 'Diagnose (ICD-10)'=FORMAT.")

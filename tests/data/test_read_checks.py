"""Warnings about columns that were probably misread, and about no others."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal import data
from shoal.errors import ColumnError

RIGHT = data.MisreadColumns()


def misread(path: Path, text: str) -> data.MisreadColumns:
    path.write_text(text, encoding="utf-8")
    return data.find_misread_columns(data.read_table(path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.csv"


def test_numbers_that_can_be_read_in_two_ways(path: Path) -> None:
    assert misread(path, "height;weight;room\n1,71;70;1\n;70,5;2\n1.234,5;-3,25;3\n") == RIGHT
    assert misread(path, 'paid,age\n"1,500",31\n"2,250",32\n') == data.MisreadColumns(numbers=("paid",))
    assert misread(path, "paid;age\n1.500;31\n2.250;32\n") == data.MisreadColumns(thousands=("paid",))


def test_three_decimals_may_be_thousands(path: Path) -> None:
    """In a file with commas they are decimals, and a warning says so; in others it is a question."""
    rows = "".join(f"{number}.567{{}}{number}\n" for number in range(10, 20))
    for mark, options in ((",", False), ("\t", True), (";", True)):
        path.write_text(f"paid{mark}age\n" + rows.format(*[mark] * 10))
        table = data.read_table(path)
        assert data.find_misread_columns(table) == data.MisreadColumns(thousands=("paid",))
        if not options:
            data.check_unambiguous(table, ["paid"])
            continue
        with pytest.raises(ColumnError, match=r"1234\.5, 1\.234,5, or text"):
            data.check_unambiguous(table, ["paid"])
    path.write_text("paid,dose\n" + "".join(f"{number}.567,0.{number}\n" for number in range(10, 20)))
    assert data.find_misread_columns(data.read_table(path)) == RIGHT


def test_text_among_numbers_and_dates(path: Path) -> None:
    rows = "".join(f"{number},{number % 28 + 1}.05.2020\n" for number in range(20))
    result = misread(path, f"paid,came\n{rows}a lot,a Monday\n")
    assert result == data.MisreadColumns(numbers=("paid",), dates=("came",))


def test_dates_that_can_be_read_in_two_ways(path: Path) -> None:
    text = "born,seen,left,came\n31.12.1970,2025-01-02,3/4/25,1-2-2025 10:30\n,2025-01-03,12/11/25,3-2-2025 11:00\n"
    assert misread(path, text) == data.MisreadColumns(dates=("left", "came"))


def test_names_that_are_values(path: Path) -> None:
    assert misread(path, 'Ada,31,1970-12-31,"1,5",x\nBo,w,1971-x,x,y\n').names == ("31", "1970-12-31", "1,5")


@pytest.mark.parametrize(
    "text",
    [
        "age,name\n31,Ada\n32,Bo\n",
        "codes\n1,2\n".replace(",", ";"),
        "version,phone\n1.2.3.4,12/34\n",
        'words\n"1,5"\n"some, words"\n',
        'list\n"1,2,3"\n"4,5,6"\n',
        "empty,age\n,31\n,32\n",
        "item_1,2nd\n1,2\n",
    ],
)
def test_what_is_plain_raises_no_doubt(path: Path, text: str) -> None:
    assert misread(path, text) == RIGHT


def test_columns_of_other_things_raise_none() -> None:
    frame = pl.DataFrame({"a": [[1], [2]], "b": [True, False], "c": pl.Series(["1,5", "2,5"], dtype=pl.Categorical)})
    assert data.find_misread_columns(data.read_table(frame)) == RIGHT

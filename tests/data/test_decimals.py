"""Decimal places of the cells of a column, compared with the texts that Python writes."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import data
from shoal.data.chunked import open_chunked, profile_file
from shoal.data.decimals import (
    DecimalPlaces,
    decimals_of_floats,
    decimals_of_objects,
    decimals_of_text,
    format_number,
)
from shoal.domain import Precision

NUMBERS = st.decimals(-(10**6), 10**6, places=4).map(lambda number: float(round(number, 4)))


def by_text(text: str) -> int:
    """The decimals of a number as Python reads it."""
    return max(0, -int(Decimal(text).as_tuple().exponent))


@given(st.lists(NUMBERS, min_size=1))
def test_floats_have_the_decimals_of_their_shortest_text(numbers: list[float]) -> None:
    expected = max(by_text(repr(number).removesuffix(".0")) for number in numbers)
    assert decimals_of_floats(np.array(numbers))[:2] == (0, expected)


@given(st.lists(st.integers(-99_999, 99_999), min_size=1), st.integers(0, 3), st.sampled_from(["float32", "float64"]))
def test_narrow_floats_have_the_decimals_that_they_show(steps: list[int], count: int, dtype: str) -> None:
    numbers = (np.array(steps) / 10.0**count).astype(dtype)
    expected = max(by_text(str(number).removesuffix(".0")) for number in numbers)
    assert decimals_of_floats(numbers.astype(np.float64), dtype)[:2] == (0, expected)


@given(st.lists(st.from_regex(r"[+-]?[0-9]{1,5}(\.[0-9]{0,6})?([eE][+-]?[0-9])?", fullmatch=True), min_size=1))
def test_texts_have_the_decimals_they_are_written_with(texts: list[str]) -> None:
    counts = [by_text(text) for text in texts]
    assert decimals_of_text(pl.Series(texts))[:2] == (min(counts), max(counts))


@given(st.lists(NUMBERS), st.lists(NUMBERS))
def test_those_of_two_parts_add_up(one: list[float], two: list[float]) -> None:
    parts = [decimals_of_floats(np.array(part)) for part in (one, two)]
    assert parts[0] + parts[1] == decimals_of_floats(np.array(one + two))


def test_floats_of_32_bits_in_a_wider_type_are_known() -> None:
    narrow = np.array([171.7, 168.2, 181.0], dtype=np.float32).astype(np.float64)
    result = decimals_of_floats(narrow)
    assert result.precision(low=0.0, high=181.0) == Precision(0, 1, "float32")
    both = result + decimals_of_floats(np.array([171.7]))
    assert both.precision(low=0.0, high=181.0).max_decimals is None  # floats of both widths have all digits
    assert decimals_of_floats(np.array([0.5, 3.25])).precision(low=0.0, high=4.0) == Precision(0, 2, "float64")


def test_objects_count_as_they_are_written() -> None:
    assert decimals_of_objects([Decimal("12.50"), None, Decimal("3")])[:2] == (0, 2)
    assert decimals_of_objects([1, 2.5, float("nan"), None])[:2] == (0, 1)
    assert decimals_of_objects([Decimal("12.50"), Decimal("1.25")])[:2] == (2, 2)


@pytest.mark.parametrize(
    ("decimals", "largest", "dtype", "most"),
    [
        (DecimalPlaces(0, 0), 2.0**53, "float64", 0),
        (DecimalPlaces(0, 0), 2.0**54, "float64", None),
        (DecimalPlaces(1, 2), 1e12, "float64", 2),
        (DecimalPlaces(1, 2), 1e13, "float64", None),
        (DecimalPlaces(0, 12), 9.0, "float64", 12),
        (DecimalPlaces(0, 13, 99), 0.1, "float64", None),
        (DecimalPlaces(0, 1), 9_999.0, "float32", 1),
        (DecimalPlaces(0, 1), 1e6, "float32", None),
        (DecimalPlaces(), 0.0, "float64", None),
    ],
)
def test_numbers_with_all_digits_are_not_rounded(
    decimals: DecimalPlaces, largest: float, dtype: str, most: object
) -> None:
    assert decimals.precision(low=-largest, high=0.0, dtype=dtype).max_decimals == most


@pytest.mark.parametrize(
    ("number", "precision", "text"),
    [
        (12.5, Precision(2, 2), "12.50"),
        (12.5, Precision(1, 2), "12.5"),
        (65.0, Precision(1, 1), "65.0"),
        (65.0, Precision(0, 2), "65"),
        (65, Precision(0, 0), "65"),
        (1e-7, Precision(0, 7), "0.0000001"),
        (-0.25, Precision(0, 2), "-0.25"),
        (0.1 + 0.2, Precision(0, None), "0.30000000000000004"),
    ],
)
def test_a_number_is_written_with_the_decimals_of_its_column(number: float, precision: Precision, text: str) -> None:
    assert format_number(number, precision) == text


FRAMES = {
    "polars": lambda: pl.DataFrame({"a": [1, 2], "b": [1.25, 3.0], "c": [None, 0.5]}),
    "float32": lambda: pl.DataFrame(
        {"a": pl.Series([1, 2], dtype=pl.Int8), "b": [1.25, 3.1], "c": [0.5, 0.1]},
        schema_overrides={"b": pl.Float32, "c": pl.Float32},
    ),
    "decimal": lambda: pl.DataFrame({"a": [1, 2], "b": [Decimal("1.20"), Decimal("3.00")], "c": [0.5, 1.5]}),
    "pandas": lambda: pd.DataFrame({"a": pd.array([1, 2], dtype="Int16"), "b": [1.25, 3.0], "c": [np.nan, 0.5]}),
    "objects": lambda: pd.DataFrame({"a": [1, 2], "b": [Decimal("1.20"), Decimal("3.00")], "c": [None, 0.5]}),
    "pyarrow": lambda: pa.table({"a": [1, 2], "b": pa.array([1.25, 3.5], pa.float32()), "c": [None, 0.5]}),
    "numpy": lambda: np.array([[1.0, 1.25, 0.5], [2.0, 3.0, 0.5]], dtype=np.float32),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_tells_the_decimals_of_its_columns(kind: str) -> None:
    table = data.read_table(FRAMES[kind]())
    result = data.detect_precisions(table, table.names)
    assert [precision.max_decimals for precision in result.values()] == [0, 2, 1]


FILES = {
    "plain": "a,b,c\n1,12.50,65.0\n,1.25,1e-3\n3,0.10,NA\n",
    "german": "a;b;c\n1;12,50;65,0\nk.A.;1.111,25;0,001\n3;0,10;2,5\n",
    "words": "a,b,c\n1,12.50,65.0\n2,1.25,-\n3,0.10,.5\n",
    "all digits": "a,b,c\n1,12.50,0.1234567890123456\n2,1.25,7\n3,0.10,8\n",
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("rows", [1, 100])
def test_a_survey_tells_the_same_as_the_whole_file(tmp_path: Path, name: str, rows: int) -> None:
    path = tmp_path / "a.csv"
    path.write_text(FILES[name], encoding="utf-8")
    table = data.read_table(path)
    learned = profile_file(open_chunked(path, rows=rows))
    result = data.detect_precisions(table, table.names)
    assert result == {name: learned.column_type(name).precision for name in table.names}
    assert [precision.max_decimals for precision in result.values()][:2] == [0, 2]
    assert result["b"].min_decimals == 2

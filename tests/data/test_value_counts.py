"""Values of a column, counted."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal import data
from shoal.errors import ColumnError, DataError


def test_values_are_counted_as_the_column_shows_them() -> None:
    table = data.read_table(
        pl.DataFrame(
            {
                "n": [10, 9, None, 9],
                "x": [0.5, float("nan"), 0.5, 2.0],
                "d": pl.Series(["2024-05-17", None, "2023-01-01", "2024-05-17"]).str.to_date(),
                "t": ["b", "a", "b", None],
                "o": pl.Series(["low", "high", "low", None], dtype=pl.Enum(["low", "high"])),
            }
        )
    )
    counts = {name: list(data.value_counts(table, name).items()) for name in table.names}
    assert counts == {
        "n": [("9", 2), ("10", 1)],
        "x": [("0.5", 2), ("2", 1)],
        "d": [("2023-01-01", 1), ("2024-05-17", 2)],
        "t": [("a", 1), ("b", 2)],
        "o": [("low", 2), ("high", 1)],
    }
    assert data.text_list(table, "n") == ["10", "9", None, "9"]
    with pytest.raises(ColumnError, match="no column"):
        data.value_counts(table, "nothing")


def test_codes_keep_their_zeros(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("code\n00501\n501\n00501\n")
    assert data.value_counts(data.read_table(path), "code") == {"00501": 2, "501": 1}


def test_what_is_no_text_is_refused() -> None:
    table = data.read_table(pl.DataFrame({"list": [[{"a": 1}], [{"a": 2}]]}))
    with pytest.raises(DataError, match="cannot be read"):
        data.text_list(table, "list")

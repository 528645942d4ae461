"""Values of a column as text, and how many records have each."""

from __future__ import annotations

import polars as pl

from shoal.data.library_errors import translate_errors
from shoal.data.table import Table
from shoal.errors import ColumnError, DataError


def text_values(table: Table, name: str) -> pl.Series:
    """Return the cells of a column as text, as hierarchies name them; dates in ISO 8601; missing ones are null."""
    if name not in table.names:
        raise ColumnError.unknown(name, table.names)
    with translate_errors(lambda: DataError.unknown_objects(name)):
        return table.cells.content(name).text_values.alias("")


def text_list(table: Table, name: str, rows: list[int] | None = None) -> list[str | None]:
    """Return the cells of a column, or of some rows, as strings; None where missing."""
    cells = text_values(table, name)
    return (cells if rows is None else cells.gather(rows)).to_list()


def value_counts(table: Table, name: str) -> dict[str, int]:
    """Count the records of each value, sorted by value, numbers numerically. Missing values are excluded."""
    text = text_values(table, name).alias("word")
    with translate_errors(lambda: DataError.unknown_objects(name)):
        frame = pl.DataFrame([table.cells.content(name).values.alias("value"), text]).drop_nulls()
        counts = frame.group_by("word").agg(pl.col("value").min(), pl.len().alias("records")).sort("value", "word")
        return dict(counts.select("word", "records").iter_rows())

"""The values of a column as words, and how many records have each."""

from __future__ import annotations

import polars as pl

from shoal.errors import ColumnError, DataError
from shoal.tables.foreign import replaced_by
from shoal.tables.table import Table


def words(table: Table, name: str) -> pl.Series:
    """The cells of a column as a hierarchy names them, dates as ISO 8601 writes them; missing ones are null."""
    if name not in table.names:
        raise ColumnError.unknown(name, table.names)
    with replaced_by(lambda: DataError.strange_cells(name)):
        return table.cells.content(name).words.alias("")


def texts(table: Table, name: str, rows: list[int] | None = None) -> list[str | None]:
    """The cells of a column, all or those of some rows, as words; None where one is missing."""
    found = words(table, name)
    return (found if rows is None else found.gather(rows)).to_list()


def value_counts(table: Table, name: str) -> dict[str, int]:
    """The records of each value, in the order of the values: numbers by size. Missing ones are left out."""
    shown = words(table, name).alias("word")
    with replaced_by(lambda: DataError.strange_cells(name)):
        frame = pl.DataFrame([table.cells.content(name).values.alias("value"), shown]).drop_nulls()
        counts = frame.group_by("word").agg(pl.col("value").min(), pl.len().alias("records")).sort("value", "word")
        return dict(counts.select("word", "records").iter_rows())

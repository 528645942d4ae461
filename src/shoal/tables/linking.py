"""Linking two tables: which records of both agree in the columns that both show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from shoal.errors import ShoalError
from shoal.schema.columns import Kind
from shoal.tables.counts import words
from shoal.tables.dates import days
from shoal.tables.frames import PolarsCells
from shoal.tables.records import class_numbers
from shoal.tables.table import Table, unsigned
from shoal.values import IntVector

_EXACT = 2.0**53


def linking_numbers(table: Table, other: Table, names: Iterable[str]) -> tuple[IntVector, IntVector]:
    """For each record of both tables a number, the same where all these columns have the same value.

    The tables may hold them in different types: numbers and dates count by their value, all else by its words. Missing
    is a value of its own.
    """
    pairs = [pair for name in names for pair in _comparable(table, other, name)]
    together = pl.DataFrame({str(j): mine.append(theirs) for j, (mine, theirs) in enumerate(pairs)})
    if not pairs:
        together = pl.DataFrame({"": pl.zeros(table.height + other.height, eager=True)})
    found = class_numbers(Table("polars", PolarsCells(together)), together.columns)
    return found[: table.height], found[table.height :]


def _comparable(table: Table, other: Table, name: str) -> Iterator[tuple[pl.Series, pl.Series]]:
    """A column of both tables in one type; a second one where a float cannot tell all its numbers apart."""
    contents = [one.cells.content(name) for one in (table, other)]
    kinds = {content.kind for content in contents}
    if Kind.DATE in kinds:
        yield _days(table, other, name)
        return
    numbers = [content.numbers for content in contents if content.numbers is not None]
    if kinds != {Kind.NUMERIC} or len(numbers) < 2:
        yield _both(words(one, name) for one in (table, other))
        return
    if any(content.values.dtype == pl.Float32 for content in contents):
        numbers = [column.cast(pl.Float32) for column in numbers]  # where one knows no more digits
    yield _both(unsigned(column) for column in numbers)
    long = [(column.abs() >= _EXACT).fill_null(False) for column in numbers]
    if any(mask.any() for mask in long):
        nothing = pl.Series([None], dtype=pl.String)
        yield _both(words(one, name).zip_with(mask, nothing) for one, mask in zip((table, other), long, strict=True))


def _days(table: Table, other: Table, name: str) -> tuple[pl.Series, pl.Series]:
    """Dates by their days, also where one table has them as text; by words where that is other text."""
    try:
        return _both(pl.Series(days(one, name), nan_to_null=True) for one in (table, other))
    except ShoalError:
        return _both(words(one, name) for one in (table, other))


def _both(columns: Iterable[pl.Series]) -> tuple[pl.Series, pl.Series]:
    mine, theirs = (column.alias("").clone() for column in columns)
    return mine, theirs

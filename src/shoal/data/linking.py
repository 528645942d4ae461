"""Label records of two tables for linkage on shared columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from shoal.data.encode.dates import dates_as_days
from shoal.data.encode.encode_table import class_labels
from shoal.data.frames.native_frames import PolarsCells
from shoal.data.table import Table, without_negative_zero
from shoal.data.value_frequencies import text_values
from shoal.domain import IntVector
from shoal.domain.columns import Kind
from shoal.errors import ShoalError

_MAX_EXACT_INTEGER = 2.0**53


def linkage_labels(table: Table, other: Table, names: Iterable[str]) -> tuple[IntVector, IntVector]:
    """Label the records of both tables; labels are equal if all these columns are equal.

    Types may differ: numbers and dates are compared by value, others as text. Missing is a value of its own.
    """
    pairs = [pair for name in names for pair in _comparable(table, other, name)]
    joined = pl.DataFrame({str(j): left.append(right) for j, (left, right) in enumerate(pairs)})
    if not pairs:
        joined = pl.DataFrame({"": pl.zeros(table.height + other.height, eager=True)})
    labels = class_labels(Table("polars", PolarsCells(joined)), joined.columns)
    return labels[: table.height], labels[table.height :]


def _comparable(table: Table, other: Table, name: str) -> Iterator[tuple[pl.Series, pl.Series]]:
    """Yield a column of both tables in one type, and a second one if floats cannot distinguish all its numbers."""
    contents = [source.cells.content(name) for source in (table, other)]
    kinds = {content.kind for content in contents}
    if Kind.DATE in kinds:
        yield _days(table, other, name)
        return
    numbers = [content.numbers for content in contents if content.numbers is not None]
    if kinds != {Kind.NUMERIC} or len(numbers) < 2:
        yield _pair(text_values(source, name) for source in (table, other))
        return
    if any(content.values.dtype == pl.Float32 for content in contents):
        numbers = [column.cast(pl.Float32) for column in numbers]  # one table has no more digits
    yield _pair(without_negative_zero(column) for column in numbers)
    long = [(column.abs() >= _MAX_EXACT_INTEGER).fill_null(False) for column in numbers]
    if any(mask.any() for mask in long):
        null = pl.Series([None], dtype=pl.String)
        yield _pair(
            text_values(source, name).zip_with(mask, null) for source, mask in zip((table, other), long, strict=True)
        )


def _days(table: Table, other: Table, name: str) -> tuple[pl.Series, pl.Series]:
    """Return dates as days, also if one table has them as text; as text if they cannot be parsed."""
    try:
        return _pair(pl.Series(dates_as_days(source, name), nan_to_null=True) for source in (table, other))
    except ShoalError:
        return _pair(text_values(source, name) for source in (table, other))


def _pair(columns: Iterable[pl.Series]) -> tuple[pl.Series, pl.Series]:
    left, right = (column.alias("").clone() for column in columns)
    return left, right

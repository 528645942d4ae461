"""A glimpse of a column: its first cells, its most frequent values and how far it reaches, for its owner to look at."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from shoal.errors import ColumnError, DataError
from shoal.schema.columns import Kind
from shoal.tables.foreign import replaced_by
from shoal.tables.table import Content, Table, has_times

_MOST = 5
_LONGEST = 80


@dataclass(frozen=True)
class Glimpse:
    """Some cells of a column and counts over all of them. Its texts are values of the data."""

    name: str
    type: str
    first: tuple[str | None, ...]
    """The cells of the first records; None where one is missing."""
    missing: int
    distinct: int
    """The number of different values, missing ones not counted."""
    top: tuple[tuple[str, int], ...]
    """The most frequent values, with the records of each."""
    low: str | None = None
    high: str | None = None
    """The least and the largest number or date."""


def glimpse(table: Table, name: str, *, rows: int) -> Glimpse:
    """The column with the cells of its first records; long texts are cut."""
    if name not in table.names:
        raise ColumnError.unknown(name, table.names)
    with replaced_by(lambda: DataError.strange_cells(name)):
        content = table.cells.content(name)
        values = content.values.alias("value")
        counts = values.drop_nulls().value_counts(name="records")
        top = counts.sort(["records", "value"], descending=[True, False]).head(_MOST)
        ends: list[str | None] = [None, None]
        if content.kind in (Kind.NUMERIC, Kind.DATE) and counts.height:
            ordered = content.numbers if content.kind is Kind.NUMERIC and content.numbers is not None else values
            known = ordered.drop_nulls()
            known = known.drop_nans() if known.dtype.is_float() else known
            ends = _texts(content, pl.Series([known.min(), known.max()], dtype=known.dtype))
        return Glimpse(
            name,
            content.type,
            tuple(_texts(content, values.head(rows))),
            values.null_count(),
            counts.height,
            tuple(zip(map(str, _texts(content, top["value"])), top["records"].to_list(), strict=True)),
            *ends,
        )


def _texts(content: Content, values: pl.Series) -> list[str | None]:
    timed = content.timed or (isinstance(values.dtype, pl.Datetime) and has_times(content.values))
    words = replace(content, values=values, timed=timed).words
    return [None if word is None else word if len(word) <= _LONGEST else word[:_LONGEST] + "…" for word in words]

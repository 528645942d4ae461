"""Preview of a column for its owner: first cells, most frequent values, range."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from shoal.data.library_errors import translate_errors
from shoal.data.table import ColumnContent, Table, has_times
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, DataError

_TOP_VALUES = 5
_MAX_LENGTH = 80


@dataclass(frozen=True)
class ColumnPreview:
    """Sample cells of a column and counts over all records. Contains original values."""

    name: str
    type: str
    first: tuple[str | None, ...]
    """Cells of the first records; None where missing."""
    missing: int
    distinct: int
    """Number of distinct values, without missing ones."""
    top: tuple[tuple[str, int], ...]
    """Most frequent values with their counts."""
    low: str | None = None
    high: str | None = None
    """Maximum number or date; ``low`` is the minimum."""


def preview_column(table: Table, name: str, *, rows: int) -> ColumnPreview:
    """Preview a column with the cells of its first records; long texts are truncated."""
    if name not in table.names:
        raise ColumnError.unknown(name, table.names)
    with translate_errors(lambda: DataError.unknown_objects(name)):
        content = table.cells.content(name)
        values = content.values.alias("value")
        counts = values.drop_nulls().value_counts(name="records")
        top = counts.sort(["records", "value"], descending=[True, False]).head(_TOP_VALUES)
        extremes: list[str | None] = [None, None]
        if content.kind in (Kind.NUMERIC, Kind.DATE) and counts.height:
            sortable = content.numbers if content.kind is Kind.NUMERIC and content.numbers is not None else values
            known = sortable.drop_nulls()
            known = known.drop_nans() if known.dtype.is_float() else known
            extremes = _truncated_texts(content, pl.Series([known.min(), known.max()], dtype=known.dtype))
        return ColumnPreview(
            name,
            content.type,
            tuple(_truncated_texts(content, values.head(rows))),
            values.null_count(),
            counts.height,
            tuple(zip(map(str, _truncated_texts(content, top["value"])), top["records"].to_list(), strict=True)),
            *extremes,
        )


def _truncated_texts(content: ColumnContent, values: pl.Series) -> list[str | None]:
    write_times = content.write_times or (isinstance(values.dtype, pl.Datetime) and has_times(content.values))
    texts = replace(content, values=values, write_times=write_times).text_values
    return [None if text is None else text if len(text) <= _MAX_LENGTH else text[:_MAX_LENGTH] + "…" for text in texts]

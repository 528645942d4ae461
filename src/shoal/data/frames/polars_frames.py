"""Polars frames as tables; also for Parquet, Arrow, Excel and statistics files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import polars as pl

from shoal.data.encode.dates import to_date_series
from shoal.data.frames.object_columns import object_codes, object_content, object_exact_values, to_storable_objects
from shoal.data.library_errors import translate_errors
from shoal.data.new_columns import (
    first_rows,
    gather_indices,
    rows_to_copy,
    to_number_series,
    to_polars_dtype,
    to_string_series,
)
from shoal.data.table import ColumnContent, NewColumn, NewColumns, nan_to_null, without_negative_zero
from shoal.domain import DateColumn, IntVector, RoundedColumn, TextColumn
from shoal.domain.columns import Kind
from shoal.errors import DataError
from shoal.system.threads import parallel_map

_WITHOUT_BUFFERS = (pl.Boolean, pl.Null, pl.Object)


@dataclass(frozen=True, eq=False, repr=False)
class PolarsCells:
    """Backend over a polars frame; also for Parquet, Arrow, Excel and statistics files."""

    table: pl.DataFrame

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.table.columns)

    @property
    def height(self) -> int:
        return self.table.height

    def native(self) -> pl.DataFrame:
        return self.table

    def content(self, name: str) -> ColumnContent:
        return series_content(self.table[name])

    def visible_values(self, name: str) -> pl.Series:
        return series_visible_values(self.table[name])

    def replace_columns(self, names: Sequence[str], columns: NewColumns) -> PolarsCells:
        return PolarsCells(with_columns(self.table, names, columns))

    def exact_values(self, name: str) -> pl.Series:
        return series_exact_values(self.table[name])

    def take(self, rows: IntVector) -> Self:
        taken = {name: series_with_own_buffers(self.table[name].gather(rows)) for name in self.names}
        return replace(self, table=pl.DataFrame(taken))

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({name: to_storable_series(self.table[name]) for name in self.names})


def with_columns(frame: pl.DataFrame, names: Sequence[str], columns: NewColumns) -> pl.DataFrame:
    """Return the kept columns; never select by a list of names: polars takes some, such as ^x$, for patterns."""
    replaced = [name for name in names if name in columns]
    new_columns = parallel_map(lambda name: _new_series(frame[name], columns[name]), replaced, records=frame.height)
    new = dict(zip(replaced, new_columns, strict=True))
    return pl.DataFrame({name: new[name] if name in new else drop_unused_categories(frame[name]) for name in names})


def _new_series(series: pl.Series, column: NewColumn) -> pl.Series:
    if isinstance(column, DateColumn):
        return to_date_series(column, series_content(series))
    if isinstance(column, RoundedColumn):
        return to_polars_dtype(column, series.dtype)
    if not isinstance(column, TextColumn):
        return to_number_series(column)
    rows = rows_to_copy(first_rows(series_content(series).text_values), column)
    return to_string_series(column) if rows is None else drop_unused_categories(_gather(series, rows))


def _gather(series: pl.Series, rows: IntVector) -> pl.Series:
    """Gather cells, null where the row is -1; the buffers hold no other cell's text."""
    used, inverse = np.unique(rows, return_inverse=True)
    cells = series_with_own_buffers(series.gather(gather_indices(used)))
    return (without_negative_zero(cells) if series.dtype.is_float() else cells).gather(inverse.astype(np.int64))


def series_content(series: pl.Series) -> ColumnContent:
    """Return the content of a polars column, by its type."""
    with translate_errors(lambda: DataError.unknown_objects(series.name)):
        return _series_content(series.alias(""))


def _series_content(series: pl.Series) -> ColumnContent:
    dtype = series.dtype
    type_name = str(dtype)
    if dtype.is_numeric():
        values = nan_to_null(series) if dtype.is_float() else series
        return ColumnContent(Kind.NUMERIC, type_name, values, values.cast(pl.Float64))
    if dtype == pl.Object:
        return object_content(series.to_list(), type=type_name)
    if isinstance(dtype, pl.Enum):
        return ColumnContent(Kind.ORDINAL, type_name, series, levels=tuple(dtype.categories.to_list()))
    if dtype in (pl.Date, pl.Datetime):
        return ColumnContent(Kind.DATE, type_name, series)
    return ColumnContent(Kind.NOMINAL, type_name, series)


def series_visible_values(series: pl.Series) -> pl.Series:
    """Return a polars column as a reader sees it."""
    with translate_errors(lambda: DataError.unknown_objects(series.name)):
        if series.dtype == pl.Object:
            return object_codes(series.to_list())
        return series.alias("")


def series_exact_values(series: pl.Series) -> pl.Series:
    """Return a polars column in which only identical cells are equal; objects by type and text."""
    return object_exact_values(series.to_list()) if series.dtype == pl.Object else series.alias("")


def to_storable_series(series: pl.Series) -> pl.Series:
    """Return a polars column that files can hold: Python objects are converted."""
    return to_storable_objects(series.to_list()) if series.dtype == pl.Object else series


def drop_unused_categories(series: pl.Series) -> pl.Series:
    """Remove unused categories of a polars Enum: they are original values."""
    if not isinstance(series.dtype, pl.Enum):
        return series
    used = set(series.drop_nulls().cast(pl.String).to_list())
    return series.cast(pl.String).cast(pl.Enum([word for word in series.dtype.categories.to_list() if word in used]))


def with_own_buffers(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the same frame with buffers that hold only its own cells."""
    return pl.DataFrame({name: series_with_own_buffers(frame[name]) for name in frame.columns})


def series_with_own_buffers(series: pl.Series) -> pl.Series:
    """Copy a series through Parquet, which stores only the values of the series."""
    dtype = series.dtype
    if dtype.is_numeric() or dtype.is_temporal() or dtype in _WITHOUT_BUFFERS:
        return series
    buffer = io.BytesIO()
    pl.DataFrame({"": series}).write_parquet(buffer, statistics=False)
    buffer.seek(0)
    copy = pl.read_parquet(buffer, hive_partitioning=False).to_series().alias(series.name)
    return copy if copy.dtype == dtype else copy.cast(dtype)

"""Frames in memory: polars, pandas and pyarrow in, the same kind out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from narwhals import dependencies

from shoal.errors import ColumnError, DataError
from shoal.schema.columns import Kind
from shoal.tables.foreign import replaced_by
from shoal.tables.objects import object_codes, object_content
from shoal.tables.table import Content, NewColumns, Table, without_negative_zero


@dataclass(frozen=True, eq=False)
class PolarsCells:
    """A polars frame; also what files of columns become."""

    table: pl.DataFrame

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.table.columns)

    @property
    def height(self) -> int:
        return self.table.height

    def native(self) -> pl.DataFrame:
        return self.table

    def content(self, name: str) -> Content:
        return series_content(self.table[name])

    def seen(self, name: str) -> pl.Series:
        return series_seen(self.table[name])

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> PolarsCells:
        return PolarsCells(with_columns(self.table, kept, columns))

    def frame(self) -> pl.DataFrame:
        """No file holds Python objects: they go as what they are understood to be."""
        objects = [series.name for series in self.table if series.dtype == pl.Object]
        return self.table.with_columns(self.content(name).values.alias(name) for name in objects)


def with_columns(frame: pl.DataFrame, kept: Sequence[str], columns: NewColumns) -> pl.DataFrame:
    new = [pl.Series(name, without_negative_zero(column)) for name, column in columns.items() if name in kept]
    return frame.select(kept).with_columns(new)


def series_content(series: pl.Series) -> Content:
    """What a polars column holds, by its type."""
    dtype = series.dtype
    word = str(dtype)
    if dtype.is_numeric():
        values = series.fill_nan(None) if dtype.is_float() else series
        return Content(Kind.NUMERIC, word, values, values.cast(pl.Float64))
    if dtype == pl.Object:
        return object_content(series.to_list(), type=word)
    if dtype == pl.Enum:
        return Content(Kind.ORDINAL, word, series)
    if dtype in (pl.Date, pl.Datetime):
        return Content(Kind.DATE, word, series)
    return Content(Kind.NOMINAL, word, _comparable(series))


def series_seen(series: pl.Series) -> pl.Series:
    if series.dtype == pl.Object:
        return object_codes(series.to_list())
    if series.dtype.is_float():
        # NaN is missing to a reader, and -0.0 is 0.0.
        return series.fill_nan(None) + 0.0
    return _comparable(series)


def _comparable(series: pl.Series) -> pl.Series:
    """Lists and structures as text: polars cannot group by all of them."""
    if not series.dtype.is_nested():
        return series
    return pl.Series([None if cell is None else repr(cell) for cell in series.to_list()], dtype=pl.String)


@dataclass(frozen=True, eq=False)
class PandasCells:
    """A pandas frame; its index, labels, attributes and the types of untouched columns stay."""

    table: Any
    names: tuple[str, ...]

    @property
    def height(self) -> int:
        return len(self.table)

    def native(self) -> Any:
        return self.table

    def content(self, name: str) -> Content:
        series = self._series(name)
        dtype = nw.from_native(series, series_only=True).dtype
        word = str(series.dtype)
        if dtype.is_numeric() and not dtype.is_decimal():
            values = _pandas_numbers(series, dtype)
            return Content(Kind.NUMERIC, word, values, values.cast(pl.Float64))
        if hasattr(series, "cat"):
            kind = Kind.ORDINAL if series.cat.ordered else Kind.NOMINAL
            return Content(kind, word, _pandas_categories(series))
        if isinstance(dtype, nw.Datetime):
            return Content(Kind.DATE, word, pl.Series(series.to_numpy(dtype="datetime64[us]")))
        return object_content(_objects(series), type=word)

    def seen(self, name: str) -> pl.Series:
        series = self._series(name)
        content = self.content(name)
        if content.kind is Kind.NUMERIC:
            return series_seen(content.values)
        if hasattr(series, "cat"):
            return content.values
        return object_codes(_objects(series))

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> PandasCells:
        new = self.table.iloc[:, [self.names.index(name) for name in kept]].copy()
        for position, name in enumerate(kept):
            if name in columns:
                new.isetitem(position, without_negative_zero(columns[name]))
        new.attrs = dict(self.table.attrs)
        return PandasCells(new, tuple(kept))

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame([self._polars(name) for name in self.names])

    def _polars(self, name: str) -> pl.Series:
        """By way of pyarrow where that is installed and takes the column: it keeps more types."""
        try:
            with replaced_by(DataError.no_columns):
                return pl.Series(name, self._series(name), nan_to_null=True)
        except DataError:
            return self.content(name).values.alias(name)

    def _series(self, name: str) -> Any:
        return self.table.iloc[:, self.names.index(name)]


def telling_index(table: Table) -> bool:
    """Whether the table has an index that says more than the order of its rows: a release keeps it."""
    return isinstance(table.cells, PandasCells) and type(table.cells.table.index).__name__ != "RangeIndex"


def _pandas_numbers(series: Any, dtype: Any) -> pl.Series:
    if dtype.is_integer() and not series.isna().any():
        return pl.Series(series.to_numpy(dtype=np.uint64 if dtype.is_unsigned_integer() else np.int64))
    return pl.Series(series.to_numpy(dtype=np.float64, na_value=np.nan)).fill_nan(None)


def _pandas_categories(series: Any) -> pl.Series:
    codes = series.cat.codes.to_numpy().astype(np.int64)
    labels = pl.Series([str(label) for label in series.cat.categories], dtype=pl.String)
    which = pl.Series(codes).replace(-1, None)
    return labels.gather(which) if len(labels) else pl.Series([None] * len(codes), dtype=pl.String)


def _objects(series: Any) -> list[Any]:
    missing = series.isna().tolist()
    return [None if gone else cell for cell, gone in zip(series.astype(object).tolist(), missing, strict=True)]


@dataclass(frozen=True, eq=False)
class ArrowCells:
    """A pyarrow table; its metadata stays."""

    table: Any

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.table.column_names)

    @property
    def height(self) -> int:
        return int(self.table.num_rows)

    def native(self) -> Any:
        return self.table

    def content(self, name: str) -> Content:
        stored = self.table.schema.field(name).type
        content = series_content(self._series(name))
        kind = content.kind
        if hasattr(stored, "ordered"):
            kind = Kind.ORDINAL if stored.ordered else Kind.NOMINAL
        return Content(kind, str(stored), content.values, content.numbers, content.text)

    def seen(self, name: str) -> pl.Series:
        return series_seen(self._series(name))

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> ArrowCells:
        import pyarrow as pa

        new = self.table.select(list(kept))
        for position, name in enumerate(kept):
            if name in columns:
                array = pa.array(without_negative_zero(columns[name]))
                field = pa.field(name, array.type, metadata=self.table.schema.field(name).metadata)
                new = new.set_column(position, field, pa.chunked_array([array]))
        return ArrowCells(new)

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame([self._series(name) for name in self.names])

    def _series(self, name: str) -> pl.Series:
        column = self.table.column(name)
        try:
            with replaced_by(DataError.no_columns):
                series = pl.from_arrow(column)
        except DataError:
            # A type that polars does not know.
            series = pl.Series(column.to_pylist(), dtype=pl.Object)
        return series.alias(name) if isinstance(series, pl.Series) else series.to_series().alias(name)


def open_frame(source: Any) -> Table:
    """A table over a frame in memory."""
    if isinstance(source, nw.DataFrame):
        source = source.to_native()
    if dependencies.is_polars_dataframe(source):
        table = Table("polars", PolarsCells(source))
    elif dependencies.is_pandas_dataframe(source):
        table = Table("pandas", PandasCells(source, tuple(str(label) for label in source.columns)))
    elif dependencies.is_pyarrow_table(source):
        table = Table("pyarrow", ArrowCells(source))
    elif isinstance(nw.from_native(source, pass_through=True), nw.LazyFrame):
        raise DataError.lazy(type(source).__name__)
    else:
        raise DataError.unknown_kind(type(source).__name__)
    return checked(table)


def checked(table: Table) -> Table:
    """The table, if it has columns with names of their own, and records."""
    if not table.names:
        raise DataError.no_columns()
    twice = sorted(name for name, times in Counter(table.names).items() if times > 1)
    if twice:
        raise ColumnError.duplicate_names(twice)
    if table.height == 0:
        raise DataError.no_records()
    return table

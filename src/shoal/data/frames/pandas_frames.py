"""Pandas frames as tables, and their indexes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from shoal.data.decimals import format_number
from shoal.data.encode.dates import to_date_series
from shoal.data.frames.arrow_tables import arrow_content, arrow_series, drop_unused_arrow_labels, to_arrow_type
from shoal.data.frames.object_columns import (
    object_codes,
    object_content,
    object_exact_values,
    pandas_objects,
    parse_object_dates,
    to_storable_objects,
)
from shoal.data.frames.polars_frames import series_exact_values, series_visible_values, to_storable_series
from shoal.data.library_errors import translate_errors
from shoal.data.new_columns import first_rows, keeps_dtype, rows_to_copy, to_number_series, to_string_series
from shoal.data.table import ColumnContent, NewColumn, NewColumns, Table
from shoal.domain import DateColumn, IntVector, RoundedColumn, TextColumn
from shoal.domain.columns import Kind
from shoal.errors import DataError


@dataclass(frozen=True, eq=False, repr=False)
class PandasCells:
    """Backend over a pandas frame; a release keeps the index, labels and unchanged dtypes, but no ``attrs``."""

    table: Any
    names: tuple[str, ...]

    @property
    def height(self) -> int:
        return len(self.table)

    def native(self) -> Any:
        return self.table

    def content(self, name: str) -> ColumnContent:
        with translate_errors(lambda: DataError.unknown_objects(name)):
            return self._content(self._series(name))

    def _content(self, series: Any) -> ColumnContent:
        type_name = str(series.dtype)
        if _is_arrow(series):
            return arrow_content(series.array.__arrow_array__(), type=type_name)
        if hasattr(series, "cat"):
            kind = Kind.ORDINAL if series.cat.ordered else Kind.NOMINAL
            levels = tuple(str(label) for label in series.cat.categories) if series.cat.ordered else ()
            return ColumnContent(kind, type_name, _pandas_categories(series), levels=levels)
        if _is_numeric(series):
            values = _pandas_numbers(series)
            return ColumnContent(Kind.NUMERIC, type_name, values, values.cast(pl.Float64))
        if _is_datetime(series):
            return ColumnContent(Kind.DATE, type_name, pl.Series(series.to_numpy(dtype="datetime64[us]")))
        return object_content(pandas_objects(series), type=type_name)

    def visible_values(self, name: str) -> pl.Series:
        with translate_errors(lambda: DataError.unknown_objects(name)):
            series = self._series(name)
            if _is_arrow(series):
                return series_visible_values(arrow_series(series.array.__arrow_array__()))
            if hasattr(series, "cat"):
                # by code: the labels 1 and "1" are two categories
                return _codes(series)
            if _is_numeric(series) and not str(series.dtype).startswith("Float"):
                return series_visible_values(_pandas_numbers(series))
            # NaN, None and <NA> look different where a dtype can hold several of them
            return object_codes(series.astype(object).tolist())

    def exact_values(self, name: str) -> pl.Series:
        series = self._series(name)
        if _is_arrow(series):
            return series_exact_values(arrow_series(series.array.__arrow_array__()))
        if hasattr(series, "cat"):
            labels = object_exact_values(list(series.cat.categories))
            return labels.gather(_codes(series)) if len(labels) else pl.Series([None] * len(series), dtype=pl.String)
        if _is_numeric(series):
            return _pandas_numbers(series)
        return object_exact_values(pandas_objects(series))

    def take(self, rows: IntVector) -> PandasCells:
        """Return these rows with a new index: the old one would reveal their original order."""
        new = self.table.iloc[rows].reset_index(drop=True)
        for position in range(new.shape[1]):
            series = new.iloc[:, position]
            if hasattr(series, "cat") and not series.cat.ordered:
                # categories may be listed by first appearance
                labels = series.cat.categories
                by_text = np.argsort(np.array(object_exact_values(list(labels)).to_list(), dtype=object), kind="stable")
                new.isetitem(position, series.cat.reorder_categories(labels[by_text]))
        new.attrs = {}
        return PandasCells(new, self.names)

    def replace_columns(self, names: Sequence[str], columns: NewColumns) -> PandasCells:
        new = self.table.iloc[:, [self.names.index(name) for name in names]].copy()
        for position, name in enumerate(names):
            if name in columns:
                new.isetitem(position, self._new_column(name, columns[name]))
            elif (trimmed := drop_unused_pandas_categories(self._series(name))) is not None:
                new.isetitem(position, trimmed)
        new.attrs = {}
        new.columns = new.columns.set_names([None] * new.columns.nlevels)  # the label index can have a name too
        if type(new.index).__name__ == "RangeIndex":
            new.index.name = None
        return PandasCells(new, tuple(names))

    def _new_column(self, name: str, column: NewColumn) -> Any:
        series = self._series(name)
        if isinstance(column, DateColumn):
            return _pandas_dates(series, to_date_series(column, self.content(name)))
        if isinstance(column, RoundedColumn):
            return to_pandas_dtype(column, series, self.content(name).values.dtype)
        if not isinstance(column, TextColumn):
            numbers = to_number_series(column)
            if numbers.dtype.is_integer() and numbers.null_count():
                return type(series)(numbers.to_list(), index=series.index, dtype="Int64")
            return numbers.to_numpy(writable=True)
        rows = rows_to_copy(first_rows(self.content(name).text_values), column)
        return _pandas_text(series, to_string_series(column)) if rows is None else _pandas_take(series, rows)

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({name: self._to_polars(self._series(name)) for name in self.names})

    def _to_polars(self, series: Any) -> pl.Series:
        """Convert through pyarrow if it is installed and accepts the column: it keeps more types."""
        if _is_arrow(series):
            return to_storable_series(arrow_series(series.array.__arrow_array__()))
        if series.dtype == object or _is_long_double(series):
            return to_storable_objects(pandas_objects(series))
        try:
            with translate_errors(DataError.no_columns):
                return pl.Series(series, nan_to_null=True)
        except DataError:
            return _pandas_numbers(series) if _is_numeric(series) else to_storable_objects(pandas_objects(series))

    def _series(self, name: str) -> Any:
        return self.table.iloc[:, self.names.index(name)]


def has_informative_index(table: Table) -> bool:
    """Return whether the table has an index with information beyond the row order; a release keeps it."""
    return isinstance(table.cells, PandasCells) and type(table.cells.table.index).__name__ != "RangeIndex"


def index_table(table: Table) -> Table | None:
    """Return the levels of an informative index as a table; None if there is none."""
    if not (isinstance(table.cells, PandasCells) and has_informative_index(table)):
        return None
    index = table.cells.table.index
    positions = range(index.nlevels)
    names = [str(position if name is None else name) for position, name in enumerate(index.names)]
    return Table(
        "pandas",
        PandasCells(
            index.to_frame(index=False, **({"name": list(positions)} if index.nlevels > 1 else {})),
            tuple(name if names.count(name) == 1 else f"{name} {position}" for position, name in enumerate(names)),
        ),
    )


def drop_unused_pandas_categories(series: Any) -> Any:
    """Remove unused categories of a pandas column; None if its type has no categories."""
    if hasattr(series, "cat"):
        return series.cat.remove_unused_categories()
    if "dictionary" in str(series.dtype):  # stored by pyarrow
        column = drop_unused_arrow_labels(series.array.__arrow_array__())
        return type(series)(type(series.array)(column), index=series.index)
    return None


def _pandas_text(series: Any, words: pl.Series) -> Any:
    text = "str" in str(series.dtype)  # string dtypes of any storage
    return type(series)(words.to_list(), index=series.index, dtype=series.dtype if text else object)


def _pandas_take(series: Any, rows: IntVector) -> Any:
    """Take cells, missing where the row is -1; integers and booleans become nullable."""
    missing = rows < 0
    copied = series.take(np.where(missing, 0, rows))
    copied.index = series.index
    if "float" in str(series.dtype).lower() or "double" in str(series.dtype):
        copied = (copied + 0.0).astype(series.dtype)  # no -0.0
    if missing.any():
        nullable = {"i": "Int", "u": "UInt", "b": "boolean"}.get(getattr(series.dtype, "kind", ""))
        if isinstance(series.dtype, np.dtype) and nullable:
            copied = copied.astype(nullable if nullable == "boolean" else f"{nullable}{8 * series.dtype.itemsize}")
        copied = copied.mask(missing)
    return copied.cat.remove_unused_categories() if hasattr(copied, "cat") else copied


def _pandas_dates(series: Any, new: pl.Series) -> Any:
    """Return the dates in the dtype of the series; numpy datetimes are UTC and the dtype holds the zone."""
    if _is_arrow(series):
        return type(series)(new.to_list(), index=series.index, dtype=series.dtype)
    if _is_datetime(series):
        times = type(series)(new.to_numpy(), index=series.index)
        has_zone = getattr(series.dtype, "tz", None) is not None
        return (times.dt.tz_localize("UTC") if has_zone else times).astype(series.dtype)
    cells = parse_object_dates(pandas_objects(series), new)
    return _pandas_text(series, new) if cells is None else type(series)(cells, index=series.index, dtype=object)


def _dtype(series: Any) -> Any:
    import narwhals as nw

    return nw.from_native(series, series_only=True).dtype


def _is_datetime(series: Any) -> bool:
    return getattr(series.dtype, "kind", "") == "M"


def _is_arrow(series: Any) -> bool:
    """Return whether pyarrow stores the cells; it keeps more digits than Python objects."""
    return type(series.dtype).__name__ == "ArrowDtype"


def _is_long_double(series: Any) -> bool:
    return isinstance(series.dtype, np.dtype) and series.dtype.kind == "f" and series.dtype.itemsize > 8


def _is_numeric(series: Any) -> bool:
    dtype = _dtype(series)
    return bool(dtype.is_numeric()) and not dtype.is_decimal() and not _is_long_double(series)


def _pandas_numbers(series: Any) -> pl.Series:
    dtype = _dtype(series)
    if not dtype.is_integer():
        return pl.Series(series.to_numpy(dtype=np.float64, na_value=np.nan)).fill_nan(None)
    # fill as integers: floats lose the last digits of large ones
    integers = series.fillna(0).to_numpy(dtype=np.uint64 if dtype.is_unsigned_integer() else np.int64)
    return pl.Series(integers).set(pl.Series(series.isna().to_numpy(dtype=bool)), None)


def _codes(series: Any) -> pl.Series:
    return pl.Series(series.cat.codes.to_numpy().astype(np.int64)).replace(-1, None)


def _pandas_categories(series: Any) -> pl.Series:
    codes = _codes(series)
    labels = pl.Series([str(label) for label in series.cat.categories], dtype=pl.String)
    return labels.gather(codes) if len(labels) else pl.Series([None] * len(codes), dtype=pl.String)


def to_pandas_dtype(column: RoundedColumn, series: Any, dtype: pl.DataType) -> Any:
    """Return a pandas column of the original dtype, which polars reads as ``dtype``, if possible."""
    if series.dtype == object:
        return type(series)(_python_numbers(column, pandas_objects(series)), index=series.index, dtype=object)
    if hasattr(series.dtype, "pyarrow_dtype"):
        return type(series.array)(to_arrow_type(column, dtype, series.dtype.pyarrow_dtype))
    numbers = to_number_series(column)
    if not keeps_dtype(column.precision, dtype):
        return numbers.to_numpy(writable=True)
    numpy_type = np.dtype(getattr(series.dtype, "numpy_dtype", series.dtype))
    is_integer, missing = numpy_type.kind in "iu", numbers.is_null().to_numpy()
    if numpy_type.itemsize > 8:  # wider than Python floats
        return numbers.to_numpy(writable=True)
    if isinstance(series.dtype, np.dtype) and not (is_integer and missing.any()):
        return numbers.to_numpy(writable=True).astype(numpy_type)
    filled = numbers.fill_null(0).to_numpy().astype(numpy_type)
    if not isinstance(series.dtype, np.dtype):
        return type(series.array)(filled, missing)
    nullable = f"{'U' if numpy_type.kind == 'u' else ''}Int{8 * numpy_type.itemsize}"
    new = type(series)(filled, index=series.index).astype(nullable)
    return new.mask(missing) if missing.any() else new


def _python_numbers(column: RoundedColumn, cells: Sequence[Any]) -> list[Any]:
    """Return Python numbers: Decimals or integers if the original cells are."""
    known = [cell for cell in cells if cell is not None]
    numbers = to_number_series(column).to_list()
    if any(isinstance(cell, Decimal) for cell in known) and column.precision.max_decimals is not None:
        return [None if number is None else Decimal(format_number(number, column.precision)) for number in numbers]
    if all(isinstance(cell, int) for cell in known):
        return numbers
    return [None if number is None else float(number) for number in numbers]

"""Data frames as tables: polars, pandas and pyarrow; a release has the type of its input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import polars as pl

from shoal.data.encode.dates import to_date_series
from shoal.data.frames.copied_memory import series_with_own_buffers
from shoal.data.frames.frame_metadata import (
    drop_unused_arrow_labels,
    drop_unused_categories,
    drop_unused_pandas_categories,
    strip_arrow_metadata,
)
from shoal.data.frames.object_columns import (
    object_codes,
    object_content,
    object_exact_values,
    pandas_objects,
    parse_object_dates,
    to_storable_objects,
)
from shoal.data.frames.typed_numbers import to_arrow_type, to_pandas_dtype, to_polars_dtype
from shoal.data.library_errors import translate_errors
from shoal.data.new_columns import gather_indices, rows_to_copy, to_number_series, to_string_series
from shoal.data.table import ColumnContent, NewColumn, NewColumns, Table, nan_to_null, without_negative_zero
from shoal.domain import DateColumn, IntVector, RoundedColumn, TextColumn
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, DataError
from shoal.system.threads import parallel_map


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
    rows = rows_to_copy(series_content(series).text_values, column)
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
        rows = rows_to_copy(self.content(name).text_values, column)
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
    """Return whether a pandas column holds datetimes, in any time zone."""
    return getattr(series.dtype, "kind", "") == "M"


def _is_arrow(series: Any) -> bool:
    """Return whether pyarrow stores the cells; it keeps more digits than Python objects."""
    return type(series.dtype).__name__ == "ArrowDtype"


def _is_long_double(series: Any) -> bool:
    """Return whether the floats are wider than Python's."""
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


@dataclass(frozen=True, eq=False, repr=False)
class ArrowCells:
    """Backend over a pyarrow table; a release has no metadata of the table or its fields."""

    table: Any

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.table.column_names)

    @property
    def height(self) -> int:
        return int(self.table.num_rows)

    def native(self) -> Any:
        return self.table

    def content(self, name: str) -> ColumnContent:
        column = self.table.column(name)
        with translate_errors(lambda: DataError.unknown_objects(name)):
            return arrow_content(column, type=str(column.type))

    def visible_values(self, name: str) -> pl.Series:
        with translate_errors(lambda: DataError.unknown_objects(name)):
            return series_visible_values(arrow_series(self.table.column(name)))

    def exact_values(self, name: str) -> pl.Series:
        return series_exact_values(arrow_series(self.table.column(name)))

    def take(self, rows: IntVector) -> ArrowCells:
        import pyarrow as pa

        arrays = [_arrow_take(self.table.column(name), rows) for name in self.names]
        return ArrowCells(pa.table(arrays, schema=self.table.schema))

    def replace_columns(self, names: Sequence[str], columns: NewColumns) -> ArrowCells:
        import pyarrow as pa

        arrays = [
            self._new_column(name, columns[name])
            if name in columns
            else strip_arrow_metadata(drop_unused_arrow_labels(self.table.column(name)))
            for name in names
        ]
        fields = [
            pa.field(name, array.type, nullable=name in columns or self.table.schema.field(name).nullable)
            for name, array in zip(names, arrays, strict=True)
        ]
        return ArrowCells(pa.table(arrays, schema=pa.schema(fields)))

    def _new_column(self, name: str, column: NewColumn) -> Any:
        import pyarrow as pa

        cells = self.table.column(name)
        if isinstance(column, DateColumn):
            keeps_type = pa.types.is_temporal(cells.type) or pa.types.is_large_string(cells.type)
            new = to_date_series(column, self.content(name)).to_arrow()
            # unsafe cast: polars has no unit of seconds, and finer parts were rounded before
            return pa.chunked_array([new.cast(cells.type if keeps_type else pa.string(), safe=False)])
        if isinstance(column, RoundedColumn):
            return to_arrow_type(column, self.content(name).values.dtype, cells.type)
        if not isinstance(column, TextColumn):
            return pa.chunked_array([to_number_series(column).to_arrow()])
        rows = rows_to_copy(self.content(name).text_values, column)
        if rows is None:
            words = pa.array(column.words, type=pa.string())
            return pa.chunked_array([words.take(pa.array(column.codes, mask=column.codes < 0))])
        if "view" in str(cells.type):  # pyarrow cannot take rows of view types
            cells = cells.cast(pa.string())
        copied = cells.take(pa.array(rows, mask=rows < 0))
        if pa.types.is_floating(cells.type) and not pa.types.is_float16(cells.type):
            import pyarrow.compute as pc

            return pc.add(copied, pa.scalar(0.0, cells.type))  # no -0.0
        return drop_unused_arrow_labels(copied)

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({name: to_storable_series(arrow_series(self.table.column(name))) for name in self.names})


def _arrow_take(column: Any, rows: IntVector) -> Any:
    """Take rows of a column; an unordered dictionary is rebuilt by first appearance."""
    import pyarrow as pa

    dtype = column.type
    is_dictionary = pa.types.is_dictionary(dtype) and not dtype.ordered
    is_view = "view" in str(dtype)  # pyarrow cannot take rows of view types
    plain = column.cast(dtype.value_type) if is_dictionary else column.cast(pa.string()) if is_view else column
    taken = plain.take(pa.array(rows)).combine_chunks()
    chunked = taken if isinstance(taken, pa.ChunkedArray) else pa.chunked_array([taken])
    return chunked.dictionary_encode().cast(dtype) if is_dictionary else chunked.cast(dtype) if is_view else chunked


def arrow_content(column: Any, *, type: str) -> ColumnContent:
    """Return the content of a pyarrow column."""
    content = series_content(arrow_series(column))
    kind = content.kind
    if hasattr(column.type, "ordered"):
        kind = Kind.ORDINAL if column.type.ordered else Kind.NOMINAL
    levels = tuple(str(label) for label in _dictionary(column)) if kind is Kind.ORDINAL else ()
    return ColumnContent(kind, type, content.values, content.numbers, content.non_numeric, levels)


def _dictionary(column: Any) -> list[Any]:
    """Return the labels of a dictionary column, in order."""
    joined = column.unify_dictionaries() if hasattr(column, "chunks") else column
    chunks = joined.chunks if hasattr(joined, "chunks") else [joined]
    return list(chunks[0].dictionary.to_pylist()) if chunks else []


def arrow_series(column: Any) -> pl.Series:
    try:
        with translate_errors(DataError.no_columns):
            series = pl.from_arrow(column)
    except DataError:
        # a type that polars does not support
        series = pl.Series(column.to_pylist(), dtype=pl.Object)
    return series.alias("") if isinstance(series, pl.Series) else series.to_series().alias("")


def open_frame(source: Any) -> Table:
    """Return a table over a data frame."""
    if isinstance(source, pl.DataFrame):
        return check_table(Table("polars", PolarsCells(source)))
    import narwhals as nw  # imported late: polars frames do not need it
    from narwhals import dependencies

    if isinstance(source, nw.DataFrame):
        return open_frame(source.to_native())
    if dependencies.is_pandas_dataframe(source):
        table = Table("pandas", PandasCells(source, tuple(str(label) for label in source.columns)))
    elif dependencies.is_pyarrow_table(source):
        table = Table("pyarrow", ArrowCells(source))
    elif dependencies.is_pyspark_dataframe(source):
        raise DataError.spark_frame()
    elif isinstance(nw.from_native(source, pass_through=True), nw.LazyFrame):
        raise DataError.lazy_frame(type(source).__name__)
    else:
        raise DataError.unknown_table_type(type(source).__name__)
    return check_table(table)


def check_table(table: Table) -> Table:
    """Return the table; refuse one without columns, with duplicate names, or without records."""
    if not table.names:
        raise DataError.no_columns()
    duplicates = sorted(name for name, count in Counter(table.names).items() if count > 1)
    if duplicates:
        raise ColumnError.duplicate_names(duplicates)
    if table.height == 0:
        raise DataError.no_records()
    return table

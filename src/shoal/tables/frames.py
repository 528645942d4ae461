"""Frames in memory: polars, pandas and pyarrow in, the same kind out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import polars as pl

from shoal.errors import ColumnError, DataError
from shoal.schema.columns import Kind
from shoal.tables.dates import dated
from shoal.tables.foreign import replaced_by
from shoal.tables.fresh import copied_rows, numbered, places, worded
from shoal.tables.metadata import arrow_bare, arrow_without_unused, pandas_without_unused, without_unused
from shoal.tables.objects import (
    object_codes,
    object_content,
    object_dates,
    object_marks,
    object_values,
    pandas_objects,
)
from shoal.tables.settled import settled_series
from shoal.tables.table import Content, NewColumn, NewColumns, Table, unsigned, without_nan
from shoal.tables.typed import arrow_numbers, pandas_numbers, polars_numbers
from shoal.threads import share
from shoal.values import Days, IntVector, Rounded, Worded


@dataclass(frozen=True, eq=False, repr=False)
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

    def marks(self, name: str) -> pl.Series:
        return series_marks(self.table[name])

    def taken(self, rows: IntVector) -> Self:
        some = {name: settled_series(self.table[name].gather(rows)) for name in self.names}
        return replace(self, table=pl.DataFrame(some))

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({name: series_values(self.table[name]) for name in self.names})


def with_columns(frame: pl.DataFrame, kept: Sequence[str], columns: NewColumns) -> pl.DataFrame:
    """Columns are never selected by a list of names: polars takes some names, such as ^x$, for patterns."""
    fresh = [name for name in kept if name in columns]
    made = share(lambda name: _new_series(frame[name], columns[name]), fresh, records=frame.height)
    new = dict(zip(fresh, made, strict=True))
    return pl.DataFrame({name: new[name] if name in new else without_unused(frame[name]) for name in kept})


def _new_series(series: pl.Series, column: NewColumn) -> pl.Series:
    if isinstance(column, Days):
        return dated(column, series_content(series))
    if isinstance(column, Rounded):
        return polars_numbers(column, series.dtype)
    if not isinstance(column, Worded):
        return numbered(column)
    rows = copied_rows(series_content(series).words, column)
    return worded(column) if rows is None else without_unused(_copied(series, rows))


def _copied(series: pl.Series, rows: IntVector) -> pl.Series:
    """Cells of the series, missing where the row is -1; behind them lies the text of no other cell."""
    used, inverse = np.unique(rows, return_inverse=True)
    cells = settled_series(series.gather(places(used)))
    return (unsigned(cells) if series.dtype.is_float() else cells).gather(inverse.astype(np.int64))


def series_content(series: pl.Series) -> Content:
    """What a polars column holds, by its type."""
    with replaced_by(lambda: DataError.strange_cells(series.name)):
        return _series_content(series.alias(""))


def _series_content(series: pl.Series) -> Content:
    dtype = series.dtype
    word = str(dtype)
    if dtype.is_numeric():
        values = without_nan(series) if dtype.is_float() else series
        return Content(Kind.NUMERIC, word, values, values.cast(pl.Float64))
    if dtype == pl.Object:
        return object_content(series.to_list(), type=word)
    if isinstance(dtype, pl.Enum):
        return Content(Kind.ORDINAL, word, series, levels=tuple(dtype.categories.to_list()))
    if dtype in (pl.Date, pl.Datetime):
        return Content(Kind.DATE, word, series)
    return Content(Kind.NOMINAL, word, series)


def series_seen(series: pl.Series) -> pl.Series:
    """A polars column as a reader sees it."""
    with replaced_by(lambda: DataError.strange_cells(series.name)):
        if series.dtype == pl.Object:
            return object_codes(series.to_list())
        return series.alias("")


def series_marks(series: pl.Series) -> pl.Series:
    """A polars column with nothing taken for alike; objects by their types and texts."""
    return object_marks(series.to_list()) if series.dtype == pl.Object else series.alias("")


def series_values(series: pl.Series) -> pl.Series:
    """A polars column as files hold it: none of them holds Python objects."""
    return object_values(series.to_list()) if series.dtype == pl.Object else series


@dataclass(frozen=True, eq=False, repr=False)
class PandasCells:
    """A pandas frame; a release keeps its index, its labels and the types of untouched columns, and no attributes."""

    table: Any
    names: tuple[str, ...]

    @property
    def height(self) -> int:
        return len(self.table)

    def native(self) -> Any:
        return self.table

    def content(self, name: str) -> Content:
        with replaced_by(lambda: DataError.strange_cells(name)):
            return self._content(self._series(name))

    def _content(self, series: Any) -> Content:
        word = str(series.dtype)
        if _is_of_arrow(series):
            return arrow_content(series.array.__arrow_array__(), type=word)
        if hasattr(series, "cat"):
            kind = Kind.ORDINAL if series.cat.ordered else Kind.NOMINAL
            levels = tuple(str(label) for label in series.cat.categories) if series.cat.ordered else ()
            return Content(kind, word, _pandas_categories(series), levels=levels)
        if _is_of_numbers(series):
            values = _pandas_numbers(series)
            return Content(Kind.NUMERIC, word, values, values.cast(pl.Float64))
        if _is_time(series):
            return Content(Kind.DATE, word, pl.Series(series.to_numpy(dtype="datetime64[us]")))
        return object_content(pandas_objects(series), type=word)

    def seen(self, name: str) -> pl.Series:
        with replaced_by(lambda: DataError.strange_cells(name)):
            series = self._series(name)
            if _is_of_arrow(series):
                return series_seen(arrow_series(series.array.__arrow_array__()))
            if hasattr(series, "cat"):
                # By their codes: the labels 1 and "1" are two categories.
                return _codes(series)
            if _is_of_numbers(series) and not str(series.dtype).startswith("Float"):
                return series_seen(_pandas_numbers(series))
            # NaN, None and <NA> are three things to see, where a type can hold several of them
            return object_codes(series.astype(object).tolist())

    def marks(self, name: str) -> pl.Series:
        series = self._series(name)
        if _is_of_arrow(series):
            return series_marks(arrow_series(series.array.__arrow_array__()))
        if hasattr(series, "cat"):
            labels = object_marks(list(series.cat.categories))
            return labels.gather(_codes(series)) if len(labels) else pl.Series([None] * len(series), dtype=pl.String)
        if _is_of_numbers(series):
            return _pandas_numbers(series)
        return object_marks(pandas_objects(series))

    def taken(self, rows: IntVector) -> PandasCells:
        """The index is numbered anew: one that goes along would put the rows back in their order."""
        new = self.table.iloc[rows].reset_index(drop=True)
        for position in range(new.shape[1]):
            series = new.iloc[:, position]
            if hasattr(series, "cat") and not series.cat.ordered:
                # categories may be listed as they came
                labels = series.cat.categories
                by_text = np.argsort(np.array(object_marks(list(labels)).to_list(), dtype=object), kind="stable")
                new.isetitem(position, series.cat.reorder_categories(labels[by_text]))
        new.attrs = {}
        return PandasCells(new, self.names)

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> PandasCells:
        new = self.table.iloc[:, [self.names.index(name) for name in kept]].copy()
        for position, name in enumerate(kept):
            if name in columns:
                new.isetitem(position, self._new(name, columns[name]))
            elif (without := pandas_without_unused(self._series(name))) is not None:
                new.isetitem(position, without)
        new.attrs = {}
        new.columns = new.columns.set_names([None] * new.columns.nlevels)  # the labels have a name too
        if type(new.index).__name__ == "RangeIndex":
            new.index.name = None
        return PandasCells(new, tuple(kept))

    def _new(self, name: str, column: NewColumn) -> Any:
        series = self._series(name)
        if isinstance(column, Days):
            return _pandas_dates(series, dated(column, self.content(name)))
        if isinstance(column, Rounded):
            return pandas_numbers(column, series, self.content(name).values.dtype)
        if not isinstance(column, Worded):
            numbers = numbered(column)
            if numbers.dtype.is_integer() and numbers.null_count():
                return type(series)(numbers.to_list(), index=series.index, dtype="Int64")
            return numbers.to_numpy(writable=True)
        rows = copied_rows(self.content(name).words, column)
        return _pandas_text(series, worded(column)) if rows is None else _pandas_copied(series, rows)

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({name: self._polars(self._series(name)) for name in self.names})

    def _polars(self, series: Any) -> pl.Series:
        """By way of pyarrow where that is installed and takes the column: it keeps more types."""
        if _is_of_arrow(series):
            return series_values(arrow_series(series.array.__arrow_array__()))
        if series.dtype == object or _is_wide(series):
            return object_values(pandas_objects(series))
        try:
            with replaced_by(DataError.no_columns):
                return pl.Series(series, nan_to_null=True)
        except DataError:
            return _pandas_numbers(series) if _is_of_numbers(series) else object_values(pandas_objects(series))

    def _series(self, name: str) -> Any:
        return self.table.iloc[:, self.names.index(name)]


def _pandas_text(series: Any, words: pl.Series) -> Any:
    text = "str" in str(series.dtype)  # the types of text, whatever holds it
    return type(series)(words.to_list(), index=series.index, dtype=series.dtype if text else object)


def _pandas_copied(series: Any, rows: IntVector) -> Any:
    """Cells of the series, missing where the row is -1; whole numbers and truth values take a type that bears gaps."""
    gone = rows < 0
    copied = series.take(np.where(gone, 0, rows))
    copied.index = series.index
    if "float" in str(series.dtype).lower() or "double" in str(series.dtype):
        copied = (copied + 0.0).astype(series.dtype)  # no -0.0
    if gone.any():
        bearing = {"i": "Int", "u": "UInt", "b": "boolean"}.get(getattr(series.dtype, "kind", ""))
        if isinstance(series.dtype, np.dtype) and bearing:
            copied = copied.astype(bearing if bearing == "boolean" else f"{bearing}{8 * series.dtype.itemsize}")
        copied = copied.mask(gone)
    return copied.cat.remove_unused_categories() if hasattr(copied, "cat") else copied


def _pandas_dates(series: Any, new: pl.Series) -> Any:
    """The dates in the type of the series; those of numpy are counted in UTC and bear the zone in their type."""
    if _is_of_arrow(series):
        return type(series)(new.to_list(), index=series.index, dtype=series.dtype)
    if _is_time(series):
        times = type(series)(new.to_numpy(), index=series.index)
        zoned = getattr(series.dtype, "tz", None) is not None
        return (times.dt.tz_localize("UTC") if zoned else times).astype(series.dtype)
    cells = object_dates(pandas_objects(series), new)
    return _pandas_text(series, new) if cells is None else type(series)(cells, index=series.index, dtype=object)


def _dtype(series: Any) -> Any:
    import narwhals as nw

    return nw.from_native(series, series_only=True).dtype


def _is_time(series: Any) -> bool:
    """Whether a pandas column holds points in time, in whatever zone."""
    return getattr(series.dtype, "kind", "") == "M"


def _is_of_arrow(series: Any) -> bool:
    """Whether pyarrow holds the cells, which keeps more digits than Python objects do."""
    return type(series.dtype).__name__ == "ArrowDtype"


def _is_wide(series: Any) -> bool:
    """Whether the floats have more digits than those of Python."""
    return isinstance(series.dtype, np.dtype) and series.dtype.kind == "f" and series.dtype.itemsize > 8


def _is_of_numbers(series: Any) -> bool:
    dtype = _dtype(series)
    return bool(dtype.is_numeric()) and not dtype.is_decimal() and not _is_wide(series)


def _pandas_numbers(series: Any) -> pl.Series:
    dtype = _dtype(series)
    if not dtype.is_integer():
        return pl.Series(series.to_numpy(dtype=np.float64, na_value=np.nan)).fill_nan(None)
    # Filled as whole numbers: floats would lose the last digits of long ones.
    whole = series.fillna(0).to_numpy(dtype=np.uint64 if dtype.is_unsigned_integer() else np.int64)
    return pl.Series(whole).set(pl.Series(series.isna().to_numpy(dtype=bool)), None)


def _codes(series: Any) -> pl.Series:
    return pl.Series(series.cat.codes.to_numpy().astype(np.int64)).replace(-1, None)


def _pandas_categories(series: Any) -> pl.Series:
    codes = _codes(series)
    labels = pl.Series([str(label) for label in series.cat.categories], dtype=pl.String)
    return labels.gather(codes) if len(labels) else pl.Series([None] * len(codes), dtype=pl.String)


@dataclass(frozen=True, eq=False, repr=False)
class ArrowCells:
    """A pyarrow table; a release has no metadata, neither of the table nor of its fields."""

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
        column = self.table.column(name)
        with replaced_by(lambda: DataError.strange_cells(name)):
            return arrow_content(column, type=str(column.type))

    def seen(self, name: str) -> pl.Series:
        with replaced_by(lambda: DataError.strange_cells(name)):
            return series_seen(arrow_series(self.table.column(name)))

    def marks(self, name: str) -> pl.Series:
        return series_marks(arrow_series(self.table.column(name)))

    def taken(self, rows: IntVector) -> ArrowCells:
        import pyarrow as pa

        some = [_arrow_taken(self.table.column(name), rows) for name in self.names]
        return ArrowCells(pa.table(some, schema=self.table.schema))

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> ArrowCells:
        import pyarrow as pa

        arrays = [
            self._new(name, columns[name])
            if name in columns
            else arrow_bare(arrow_without_unused(self.table.column(name)))
            for name in kept
        ]
        fields = [
            pa.field(name, array.type, nullable=name in columns or self.table.schema.field(name).nullable)
            for name, array in zip(kept, arrays, strict=True)
        ]
        return ArrowCells(pa.table(arrays, schema=pa.schema(fields)))

    def _new(self, name: str, column: NewColumn) -> Any:
        import pyarrow as pa

        cells = self.table.column(name)
        if isinstance(column, Days):
            kept = pa.types.is_temporal(cells.type) or pa.types.is_large_string(cells.type)
            new = dated(column, self.content(name)).to_arrow()
            # not safe: polars knows no whole seconds as a unit, and what is finer was rounded before
            return pa.chunked_array([new.cast(cells.type if kept else pa.string(), safe=False)])
        if isinstance(column, Rounded):
            return arrow_numbers(column, self.content(name).values.dtype, cells.type)
        if not isinstance(column, Worded):
            return pa.chunked_array([numbered(column).to_arrow()])
        rows = copied_rows(self.content(name).words, column)
        if rows is None:
            words = pa.array(column.words, type=pa.string())
            return pa.chunked_array([words.take(pa.array(column.places, mask=column.places < 0))])
        if "view" in str(cells.type):  # such cells cannot be taken by their places
            cells = cells.cast(pa.string())
        copied = cells.take(pa.array(rows, mask=rows < 0))
        if pa.types.is_floating(cells.type) and not pa.types.is_float16(cells.type):
            import pyarrow.compute as pc

            return pc.add(copied, pa.scalar(0.0, cells.type))  # no -0.0
        return arrow_without_unused(copied)

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({name: series_values(arrow_series(self.table.column(name))) for name in self.names})


def _arrow_taken(column: Any, rows: IntVector) -> Any:
    """Cells of the column; labels of codes without an order are listed as they come now."""
    import pyarrow as pa

    kind = column.type
    coded = pa.types.is_dictionary(kind) and not kind.ordered
    viewed = "view" in str(kind)  # such cells cannot be taken by their places
    plain = column.cast(kind.value_type) if coded else column.cast(pa.string()) if viewed else column
    some = plain.take(pa.array(rows)).combine_chunks()
    whole = some if isinstance(some, pa.ChunkedArray) else pa.chunked_array([some])
    return whole.dictionary_encode().cast(kind) if coded else whole.cast(kind) if viewed else whole


def arrow_content(column: Any, *, type: str) -> Content:
    """What a column of pyarrow holds."""
    content = series_content(arrow_series(column))
    kind = content.kind
    if hasattr(column.type, "ordered"):
        kind = Kind.ORDINAL if column.type.ordered else Kind.NOMINAL
    levels = tuple(str(label) for label in _dictionary(column)) if kind is Kind.ORDINAL else ()
    return Content(kind, type, content.values, content.numbers, content.text, levels)


def _dictionary(column: Any) -> list[Any]:
    """The labels of a column of codes, in their order."""
    joined = column.unify_dictionaries() if hasattr(column, "chunks") else column
    chunks = joined.chunks if hasattr(joined, "chunks") else [joined]
    return list(chunks[0].dictionary.to_pylist()) if chunks else []


def arrow_series(column: Any) -> pl.Series:
    try:
        with replaced_by(DataError.no_columns):
            series = pl.from_arrow(column)
    except DataError:
        # A type that polars does not know.
        series = pl.Series(column.to_pylist(), dtype=pl.Object)
    return series.alias("") if isinstance(series, pl.Series) else series.to_series().alias("")


def open_frame(source: Any) -> Table:
    """A table over a frame in memory."""
    if isinstance(source, pl.DataFrame):
        return checked(Table("polars", PolarsCells(source)))
    import narwhals as nw  # here, since only frames of others need it
    from narwhals import dependencies

    if isinstance(source, nw.DataFrame):
        return open_frame(source.to_native())
    if dependencies.is_pandas_dataframe(source):
        table = Table("pandas", PandasCells(source, tuple(str(label) for label in source.columns)))
    elif dependencies.is_pyarrow_table(source):
        table = Table("pyarrow", ArrowCells(source))
    elif dependencies.is_pyspark_dataframe(source):
        raise DataError.on_cluster()
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

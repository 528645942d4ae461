"""Pyarrow tables; a release has no metadata of the table or its fields, which could hold original values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal.data.encode.dates import to_date_series
from shoal.data.frames.polars_frames import (
    series_content,
    series_exact_values,
    series_visible_values,
    to_storable_series,
)
from shoal.data.library_errors import translate_errors
from shoal.data.new_columns import first_rows, rows_to_copy, to_number_series, to_polars_dtype
from shoal.data.table import ColumnContent, NewColumn, NewColumns
from shoal.domain import DateColumn, IntVector, RoundedColumn, TextColumn
from shoal.domain.columns import Kind
from shoal.errors import DataError


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
        rows = rows_to_copy(first_rows(self.content(name).text_values), column)
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


def strip_arrow_metadata(column: Any) -> Any:
    """Remove the metadata of nested fields."""
    bare = _strip_type(column.type)
    return column if bare.equals(column.type, check_metadata=True) else column.cast(bare)


def _strip_type(dtype: Any) -> Any:
    """Return the type without the metadata of its fields."""
    import pyarrow as pa

    def strip_field(field: Any) -> Any:
        return pa.field(field.name, _strip_type(field.type), nullable=field.nullable)

    if pa.types.is_struct(dtype):
        return pa.struct([strip_field(dtype.field(at)) for at in range(dtype.num_fields)])
    if pa.types.is_large_list(dtype):
        return pa.large_list(strip_field(dtype.value_field))
    if pa.types.is_fixed_size_list(dtype):
        return pa.list_(strip_field(dtype.value_field), dtype.list_size)
    if pa.types.is_list(dtype):
        return pa.list_(strip_field(dtype.value_field))
    return pa.map_(strip_field(dtype.key_field), strip_field(dtype.item_field)) if pa.types.is_map(dtype) else dtype


def drop_unused_arrow_labels(column: Any) -> Any:
    """Remove unused labels of an Arrow dictionary column, keeping their order."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column
    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    array = pa.concat_arrays(chunked.unify_dictionaries().chunks)
    missing = array.indices.is_null().to_numpy(zero_copy_only=False)
    codes = array.indices.fill_null(0).to_numpy(zero_copy_only=False)
    used = np.unique(codes[~missing])
    labels = array.dictionary.take(pa.array(used))
    new = pa.array(np.searchsorted(used, codes), type=column.type.index_type, mask=missing)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(new, labels, ordered=column.type.ordered)])


def to_arrow_type(column: RoundedColumn, dtype: pl.DataType, type: Any) -> Any:
    """Return a pyarrow chunked array of this type if possible."""
    import pyarrow as pa

    numbers = to_polars_dtype(column, dtype)
    array = numbers.to_arrow()
    keeps = numbers.dtype == dtype and dtype.is_numeric()
    return pa.chunked_array([array.cast(type) if keeps else array])

"""Detect the decimal places of numeric columns, which released numbers keep."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.csv.text_values import BLANKS, FieldParser
from shoal.data.decimals import DecimalPlaces, decimals_of_objects, decimals_of_series, decimals_of_text, float_dtype
from shoal.data.frames.native_frames import PandasCells
from shoal.data.frames.numpy_arrays import ArrayCells
from shoal.data.frames.object_columns import pandas_objects
from shoal.data.table import ColumnContent, Table, TableCells
from shoal.domain import Precision
from shoal.system.threads import parallel_map


def detect_precisions(table: Table, names: Sequence[str]) -> dict[str, Precision]:
    """Return the precision of each of these numeric columns."""
    detected = parallel_map(lambda name: _precision(table.cells, name), names, records=table.height)
    return dict(zip(names, detected, strict=True))


def _precision(cells: TableCells, name: str) -> Precision:
    content = cells.content(name)
    dtype = float_dtype(str(cells.table.dtype) if isinstance(cells, ArrayCells) else content.type)
    low = high = None
    if content.numbers is not None:
        low, high = content.numbers.min(), content.numbers.max()
    if low is None or high is None:
        return Precision(dtype=dtype)
    return _decimals(cells, name, content, dtype).precision(low=float(low), high=float(high), dtype=dtype)  # type: ignore[arg-type]


def _decimals(cells: TableCells, name: str, content: ColumnContent, dtype: str) -> DecimalPlaces:
    if isinstance(cells, DelimitedCells):
        return DecimalPlaces(0, 0) if content.type == "integer" else _field_decimals(*cells.distinct_texts(name))
    if isinstance(cells, PandasCells) and content.type == "object":
        return decimals_of_objects(pandas_objects(cells.table.iloc[:, cells.names.index(name)]))
    numbers = content.numbers
    return decimals_of_series(
        content.values if numbers is None or content.values.dtype.is_numeric() else numbers, dtype
    )


def _field_decimals(fields: pl.Series, reading: FieldParser) -> DecimalPlaces:
    """Return the decimal places of a text column of numbers and missing values."""
    texts = reading.to_standard(fields).str.strip_chars(BLANKS)
    return decimals_of_text(texts.filter(~texts.is_in(list(reading.missing))))

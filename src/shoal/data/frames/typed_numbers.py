"""Convert rounded numbers to the library and dtype of the original column."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from shoal.data.decimals import format_number
from shoal.data.frames.object_columns import pandas_objects
from shoal.data.new_columns import to_number_series
from shoal.domain import Precision, RoundedColumn


def to_polars_dtype(column: RoundedColumn, dtype: pl.DataType) -> pl.Series:
    """Return a polars column of this dtype if it can hold the numbers, else of floats."""
    numbers = to_number_series(column)
    if not keeps_dtype(column.precision, dtype):
        return numbers
    if isinstance(dtype, pl.Decimal):
        distinct = numbers.unique()
        exact = [None if number is None else Decimal(format_number(number, column.precision)) for number in distinct]
        return numbers.replace_strict(distinct, pl.Series(exact, dtype=dtype))
    return numbers.cast(dtype)


def keeps_dtype(precision: Precision, dtype: pl.DataType) -> bool:
    """Return whether a release keeps this dtype for rounded numbers."""
    return dtype.is_float() or (dtype.is_numeric() and precision.max_decimals is not None)


def to_arrow_type(column: RoundedColumn, dtype: pl.DataType, type: Any) -> Any:
    """Return a pyarrow chunked array of this type if possible."""
    import pyarrow as pa

    numbers = to_polars_dtype(column, dtype)
    array = numbers.to_arrow()
    keeps = numbers.dtype == dtype and dtype.is_numeric()
    return pa.chunked_array([array.cast(type) if keeps else array])


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

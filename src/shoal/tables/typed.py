"""Typed numbers: rounded numbers as columns of the library and the type that the original has."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from shoal.tables.decimals import number_text
from shoal.tables.fresh import numbered
from shoal.tables.objects import pandas_objects
from shoal.values import Precision, Rounded


def polars_numbers(column: Rounded, dtype: pl.DataType) -> pl.Series:
    """In this type, where it can hold the numbers; else as floats."""
    numbers = numbered(column)
    if not keeps_type(column.precision, dtype):
        return numbers
    if isinstance(dtype, pl.Decimal):
        different = numbers.unique()
        exact = [None if number is None else Decimal(number_text(number, column.precision)) for number in different]
        return numbers.replace_strict(different, pl.Series(exact, dtype=dtype))
    return numbers.cast(dtype)


def keeps_type(precision: Precision, dtype: pl.DataType) -> bool:
    """Whether rounded numbers are released in this type of their column."""
    return dtype.is_float() or (dtype.is_numeric() and precision.most is not None)


def arrow_numbers(column: Rounded, dtype: pl.DataType, type: Any) -> Any:
    """The same in a type of pyarrow, as a chunked array."""
    import pyarrow as pa

    numbers = polars_numbers(column, dtype)
    array = numbers.to_arrow()
    kept = numbers.dtype == dtype and dtype.is_numeric()
    return pa.chunked_array([array.cast(type) if kept else array])


def pandas_numbers(column: Rounded, series: Any, dtype: pl.DataType) -> Any:
    """The same in the type of a pandas column, which polars reads as ``dtype``."""
    if series.dtype == object:
        return type(series)(_objects(column, pandas_objects(series)), index=series.index, dtype=object)
    if hasattr(series.dtype, "pyarrow_dtype"):
        return type(series.array)(arrow_numbers(column, dtype, series.dtype.pyarrow_dtype))
    numbers = numbered(column)
    if not keeps_type(column.precision, dtype):
        return numbers.to_numpy(writable=True)
    held = np.dtype(getattr(series.dtype, "numpy_dtype", series.dtype))
    whole, gone = held.kind in "iu", numbers.is_null().to_numpy()
    if held.itemsize > 8:  # floats with more digits than those of Python
        return numbers.to_numpy(writable=True)
    if isinstance(series.dtype, np.dtype) and not (whole and gone.any()):
        return numbers.to_numpy(writable=True).astype(held)
    filled = numbers.fill_null(0).to_numpy().astype(held)
    if not isinstance(series.dtype, np.dtype):
        return type(series.array)(filled, gone)
    bearing = f"{'U' if held.kind == 'u' else ''}Int{8 * held.itemsize}"
    new = type(series)(filled, index=series.index).astype(bearing)
    return new.mask(gone) if gone.any() else new


def _objects(column: Rounded, cells: Sequence[Any]) -> list[Any]:
    """Numbers of Python: decimals or whole numbers where the cells are such."""
    known = [cell for cell in cells if cell is not None]
    numbers = numbered(column).to_list()
    if any(isinstance(cell, Decimal) for cell in known) and column.precision.most is not None:
        return [None if number is None else Decimal(number_text(number, column.precision)) for number in numbers]
    if all(isinstance(cell, int) for cell in known):
        return numbers
    return [None if number is None else float(number) for number in numbers]

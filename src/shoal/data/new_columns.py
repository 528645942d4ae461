"""Convert new values of a release to polars columns, with the type of the original where possible."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.decimals import format_number
from shoal.data.table import nan_to_null
from shoal.domain import IntegerColumn, IntVector, Precision, RoundedColumn, TextColumn


def to_number_series(column: NDArray[Any] | IntegerColumn | RoundedColumn) -> pl.Series:
    """Convert numbers to Float64 or Int64, null where missing; -0.0 becomes 0.0."""
    if isinstance(column, RoundedColumn):
        column = IntegerColumn(column.numbers) if column.precision.max_decimals == 0 else column.numbers
    if isinstance(column, IntegerColumn):
        missing = np.isnan(column.numbers)
        return pl.Series(np.where(missing, 0, column.numbers).astype(np.int64)).set(pl.Series(missing), None)
    if column.dtype.kind in "iu":
        return pl.Series(column.astype(np.int64))
    return nan_to_null(pl.Series(column.astype(np.float64) + 0.0))


def to_string_series(column: TextColumn) -> pl.Series:
    """Convert a text column to strings, null where missing."""
    words = pl.Series([*column.words, None], dtype=pl.String)  # the extra null avoids gathering from an empty series
    return words.gather(gather_indices(column.codes))


def gather_indices(numbers: IntVector) -> pl.Series:
    """Return indices for ``gather``, null for -1."""
    return pl.Series(numbers).set(pl.Series(numbers < 0), None)


def first_rows(words: pl.Series) -> dict[str | None, int]:
    """Return the first row of each distinct text."""
    first = words.arg_unique()
    return dict(zip(words.gather(first).to_list(), first.to_list(), strict=True))


def rows_to_copy(row_of: Mapping[str | None, int], column: TextColumn) -> IntVector | None:
    """Return for each record an original row with its new value, -1 where missing.

    ``row_of`` is an original row of each value. None if a value does not occur in the original. Copying cells preserves
    the type of the column.
    """
    used = np.unique(column.codes[column.codes >= 0])
    if not all(column.words[index] in row_of for index in used):
        return None
    rows = np.full(len(column.words) + 1, -1, dtype=np.int64)  # the extra last entry is for index -1
    rows[used] = [row_of[column.words[index]] for index in used]
    return rows[column.codes]


def copy_spelling(fields: pl.Series, words: pl.Series, column: TextColumn) -> TextColumn:
    """Spell each new value as the first original field with this value does, if any."""
    row_of = first_rows(words)
    spelling = dict(zip(row_of, fields.gather(list(row_of.values())).to_list(), strict=True))
    return TextColumn(tuple(spelling.get(word) or word for word in column.words), column.codes)


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

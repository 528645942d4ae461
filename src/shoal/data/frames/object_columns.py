"""Columns of Python objects, which may mix numbers and text."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any
from uuid import UUID

import numpy as np
import polars as pl

from shoal.data.table import ColumnContent
from shoal.domain.columns import Kind

Objects = Sequence[Any]
"""Cells of a column; None where missing."""

_COMPARABLE = (bool, int, str, bytes, type(None))
_PRINTABLE = (str, bool, int, float, Decimal, Fraction, date, time, timedelta, UUID, np.number, np.bool_, np.datetime64)
"""Types whose text represents the value completely."""


def pandas_objects(series: Any) -> list[Any]:
    """Return the cells of a pandas column, None where missing."""
    cells = series.astype(object).tolist()
    if any(isinstance(cell, Decimal) for cell in cells):
        # pandas compares each cell with itself, which raises for a signalling NaN
        cells = [None if isinstance(cell, Decimal) and cell.is_nan() else cell for cell in cells]
        series = type(series)(cells, dtype=object)
    return [None if missing else cell for cell, missing in zip(cells, series.isna().tolist(), strict=True)]


def object_content(cells: Objects, *, type: str) -> ColumnContent:
    """Infer the content of a column of objects: booleans, numbers, dates, or else text."""
    present = [cell for cell in cells if cell is not None]
    if present and all(isinstance(cell, bool | np.bool_) for cell in present):
        values = pl.Series([None if cell is None else bool(cell) for cell in cells], dtype=pl.Boolean)
        return ColumnContent(Kind.NOMINAL, type, values)
    if present and all(isinstance(cell, date) for cell in present):
        return ColumnContent(Kind.DATE, type, _as_text(cells))
    numbers = pl.Series([_number(cell) for cell in cells], dtype=pl.Float64).fill_nan(None)
    non_numeric = numbers.is_null() & pl.Series([not _is_missing(cell) for cell in cells], dtype=pl.Boolean)
    if len(numbers) == numbers.null_count():
        return ColumnContent(Kind.NOMINAL, type, _as_text(cells))
    if not non_numeric.any():
        return ColumnContent(
            Kind.NUMERIC, type, numbers if _floats_are_exact(cells, numbers) else _as_text(cells), numbers
        )
    return ColumnContent(Kind.NOMINAL, type, _as_text(cells), numbers, non_numeric)


def object_codes(cells: Objects) -> pl.Series:
    """Return a code for each distinct object.

    Types matter, since a reader may see them: 1, 1.0, True and "1" are four values; None, NaN and other missing values
    differ, too. Numpy numbers equal Python numbers. An object that cannot be compared differs from all others.
    """
    codes: dict[Any, int] = {}
    return pl.Series([codes.setdefault(_key(cell), len(codes)) for cell in cells], dtype=pl.Int64)


def object_exact_values(cells: Objects) -> pl.Series:
    """Return a text for each object, equal only for identical objects; raise an error if one has no such text."""
    return pl.Series([None if cell is None else _identity_text(cell) for cell in cells], dtype=pl.String)


def to_storable_objects(cells: Objects) -> pl.Series:
    """Convert objects losslessly to a column for files; raise an error if that is impossible."""
    python_cells = [None if _is_missing(cell) else _as_python(cell) for cell in cells]
    # the result of polars is verified, and any error leads to the next attempt
    with suppress(Exception):
        series = pl.Series(python_cells, strict=True)
        # few programs can read 128-bit integers from a file
        wide = str(series.dtype).endswith("Int128")
        if series.dtype != pl.Object and not wide and _equal(python_cells, series.to_list()):
            return series
    numbers = pl.Series([_number(cell) for cell in cells], dtype=pl.Float64).fill_nan(None)
    if _floats_are_exact(cells, numbers) and numbers.null_count() == sum(cell is None for cell in python_cells):
        return numbers
    of_pandas = {type(cell) for cell in python_cells if type(cell).__module__.partition(".")[0] == "pandas"}
    printable = (*_PRINTABLE, *of_pandas, type(None))
    if not all(isinstance(cell, printable) for cell in python_cells):
        raise TypeError("no file holds such objects")
    return pl.Series([None if cell is None else str(cell) for cell in python_cells], dtype=pl.String)


def parse_object_dates(cells: Objects, texts: pl.Series) -> list[Any] | None:
    """Parse dates into the class of the cells; None if the cells are not dates."""
    present = [cell for cell in cells if cell is not None]
    if not present or not all(isinstance(cell, date) for cell in present):
        return None
    date_class = next((type(cell) for cell in present if isinstance(cell, datetime)), date)
    return [None if text is None else date_class.fromisoformat(text) for text in texts.to_list()]


def _equal(cells: Objects, others: Objects) -> bool:
    kinds = {type(cell) for cell in cells} - {type(None)}
    if kinds <= {str} or kinds <= {Decimal}:
        # a column of decimals has a common number of trailing zeros, which does not change values
        return list(cells) == list(others)
    return all(_key(cell) == _key(other) for cell, other in zip(cells, others, strict=True))


def _floats_are_exact(cells: Objects, numbers: pl.Series) -> bool:
    pairs = zip(cells, numbers.to_list(), strict=True)
    return all(number is None or isinstance(cell, float) or bool(cell == number) for cell, number in pairs)


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, Real | Decimal) or _is_missing(cell):
        return None
    try:
        return float(cell)
    except OverflowError:
        return float("inf")


def _is_missing(cell: Any) -> bool:
    if isinstance(cell, Decimal):
        # a signalling NaN raises in comparisons
        return cell.is_nan()
    return cell is None or (isinstance(cell, Real) and bool(cell != cell))


def _key(cell: Any) -> Any:
    """Return a key that is equal only for cells that look the same; -0.0 differs from 0.0."""
    cell = _as_python(cell) if isinstance(cell, np.generic) else cell
    kind = type(cell)
    if kind in _COMPARABLE:
        return kind, cell
    if kind is float or isinstance(cell, Decimal):
        return kind, repr(cell)  # also for a NaN that cannot be compared
    if kind in (list, tuple):
        return kind, tuple(_key(part) for part in cell)
    if kind is dict:
        return kind, tuple((_key(name), _key(part)) for name, part in cell.items())
    if kind in (set, frozenset):
        return kind, frozenset(_key(part) for part in cell)
    if kind is np.ndarray:
        # repr abbreviates long arrays
        inside = cell.tobytes() if cell.dtype.kind in "biufcmMSU" else _key(cell.tolist())
        return kind, cell.dtype.str, cell.shape, inside
    try:
        hash(cell)
    except TypeError:
        return kind, "alone", id(cell)
    # both: equality ignores trailing zeros and time zones, and a repr may omit parts
    return kind, repr(cell), cell


def _identity_text(cell: Any) -> str:
    """Return type and text of an object, recursively."""
    cell = _as_python(cell)
    kind = type(cell)
    if kind in (list, tuple, set, frozenset):
        parts = [_identity_text(part) for part in cell]
        inside = repr(sorted(parts) if kind in (set, frozenset) else parts)
    elif kind is dict:
        inside = repr([(_identity_text(name), _identity_text(part)) for name, part in cell.items()])
    elif kind is np.ndarray:
        inside = repr((cell.dtype.str, cell.shape, cell.tolist()))
    elif "__repr__" not in {name for base in kind.__mro__[:-1] for name in vars(base)}:
        raise TypeError("such objects have no text")
    else:
        inside = repr(cell)
    return f"{kind.__module__}.{kind.__qualname__} {inside}"


def _as_python(cell: Any) -> Any:
    """Convert numpy scalars and arrays to Python objects if that is lossless."""
    if isinstance(cell, np.ndarray):
        return [_as_python(part) for part in cell.tolist()] if cell.dtype.kind in "biufOSU" else cell
    if isinstance(cell, np.generic) and cell.dtype.kind in "biufSU":
        return cell.item()
    if type(cell) in (list, tuple):
        return [_as_python(part) for part in cell]
    return cell


def _as_text(cells: Objects) -> pl.Series:
    """Return the objects as text for counting; lone surrogates are escaped."""
    texts = (None if _is_missing(cell) else str(cell) for cell in cells)
    safe = [None if text is None else text.encode(errors="backslashreplace").decode() for text in texts]
    return pl.Series(safe, dtype=pl.String)

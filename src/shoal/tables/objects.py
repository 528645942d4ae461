"""Columns of Python objects, where numbers and text may stand side by side."""

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

from shoal.schema.columns import Kind
from shoal.tables.table import Content

Objects = Sequence[Any]
"""The cells of a column; None where one is missing."""

_PLAIN = (bool, int, str, bytes, type(None))
"""Types that are compared as they are."""
_PRINTABLE = (str, bool, int, float, Decimal, Fraction, date, time, timedelta, UUID, np.number, np.bool_, np.datetime64)
"""Types whose text says all that they hold."""


def pandas_objects(series: Any) -> list[Any]:
    """The cells of a pandas column, None where one is missing."""
    cells = series.astype(object).tolist()
    if any(isinstance(cell, Decimal) for cell in cells):
        # pandas compares each cell with itself, which a signalling NaN does not bear.
        cells = [None if isinstance(cell, Decimal) and cell.is_nan() else cell for cell in cells]
        series = type(series)(cells, dtype=object)
    return [None if gone else cell for cell, gone in zip(cells, series.isna().tolist(), strict=True)]


def object_content(cells: Objects, *, type: str) -> Content:
    """What the objects are: truth values, numbers, dates, or text and everything else."""
    given = [cell for cell in cells if cell is not None]
    if given and all(isinstance(cell, bool | np.bool_) for cell in given):
        values = pl.Series([None if cell is None else bool(cell) for cell in cells], dtype=pl.Boolean)
        return Content(Kind.NOMINAL, type, values)
    if given and all(isinstance(cell, date) for cell in given):
        return Content(Kind.DATE, type, _described(cells))
    numbers = pl.Series([_number(cell) for cell in cells], dtype=pl.Float64).fill_nan(None)
    text = numbers.is_null() & pl.Series([not _is_missing(cell) for cell in cells], dtype=pl.Boolean)
    if len(numbers) == numbers.null_count():
        return Content(Kind.NOMINAL, type, _described(cells))
    if not text.any():
        return Content(Kind.NUMERIC, type, numbers if _exact(cells, numbers) else _described(cells), numbers)
    return Content(Kind.NOMINAL, type, _described(cells), numbers, text)


def object_codes(cells: Objects) -> pl.Series:
    """A number for each different object.

    Types count, as a reader may see them: 1, 1.0, True and "1" are four values, and so do None, NaN and other signs for
    what is missing. Numbers of numpy are those of Python. What cannot be compared is different from everything.
    """
    codes: dict[Any, int] = {}
    return pl.Series([codes.setdefault(_key(cell), len(codes)) for cell in cells], dtype=pl.Int64)


def object_marks(cells: Objects) -> pl.Series:
    """A text for each object, equal only for objects that nothing tells apart; an error where one has no such text."""
    return pl.Series([None if cell is None else _mark(cell) for cell in cells], dtype=pl.String)


def object_values(cells: Objects) -> pl.Series:
    """The objects as a column that files can hold without changing any; an error where there is none."""
    plain = [None if _is_missing(cell) else _as_python(cell) for cell in cells]
    # Whatever polars makes of them is compared, so whatever it refuses may be tried in another way.
    with suppress(Exception):
        series = pl.Series(plain, strict=True)
        # Few programs read whole numbers of 128 bits from a file.
        wide = str(series.dtype).endswith("Int128")
        if series.dtype != pl.Object and not wide and _same(plain, series.to_list()):
            return series
    numbers = pl.Series([_number(cell) for cell in cells], dtype=pl.Float64).fill_nan(None)
    if _exact(cells, numbers) and numbers.null_count() == sum(cell is None for cell in plain):
        return numbers
    if not all(cell is None or isinstance(cell, _PRINTABLE) or _is_of_pandas(cell) for cell in plain):
        raise TypeError("no file holds such objects")
    return pl.Series([None if cell is None else str(cell) for cell in plain], dtype=pl.String)


def object_dates(cells: Objects, texts: pl.Series) -> list[Any] | None:
    """Dates from their texts, of the class that the cells have; None where the cells are no dates."""
    given = [cell for cell in cells if cell is not None]
    if not given or not all(isinstance(cell, date) for cell in given):
        return None
    made = next((type(cell) for cell in given if isinstance(cell, datetime)), date)
    return [None if text is None else made.fromisoformat(text) for text in texts.to_list()]


def _same(cells: Objects, others: Objects) -> bool:
    kinds = {type(cell) for cell in cells} - {type(None)}
    if kinds <= {str} or kinds <= {Decimal}:
        # A column of decimals has one number of zeros at the end, which is no change of value.
        return list(cells) == list(others)
    return all(_key(cell) == _key(other) for cell, other in zip(cells, others, strict=True))


def _exact(cells: Objects, numbers: pl.Series) -> bool:
    """Whether every number that is given is a float, or one that a float gives back."""
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
        # A signalling NaN cannot even be compared.
        return cell.is_nan()
    return cell is None or (isinstance(cell, Real) and bool(cell != cell))


def _key(cell: Any) -> Any:
    """What is equal only for cells that no reader can tell apart; -0.0 shows its sign."""
    cell = _as_python(cell) if isinstance(cell, np.generic) else cell
    kind = type(cell)
    if kind in _PLAIN:
        return kind, cell
    if kind is float or isinstance(cell, Decimal):
        return kind, repr(cell)  # also of a NaN that cannot be compared
    if kind in (list, tuple):
        return kind, tuple(_key(part) for part in cell)
    if kind is dict:
        return kind, tuple((_key(name), _key(part)) for name, part in cell.items())
    if kind in (set, frozenset):
        return kind, frozenset(_key(part) for part in cell)
    if kind is np.ndarray:
        # The text of a long array leaves out its middle.
        inside = cell.tobytes() if cell.dtype.kind in "biufcmMSU" else _key(cell.tolist())
        return kind, cell.dtype.str, cell.shape, inside
    try:
        hash(cell)
    except TypeError:
        return kind, "alone", id(cell)
    # Both: equality does not see the zeros of 1.00 nor a zone of time, and a text may leave something out.
    return kind, repr(cell), cell


def _mark(cell: Any) -> str:
    """The type and the text of an object, and of what it holds."""
    cell = _as_python(cell)
    kind = type(cell)
    if kind in (list, tuple, set, frozenset):
        parts = [_mark(part) for part in cell]
        inside = repr(sorted(parts) if kind in (set, frozenset) else parts)
    elif kind is dict:
        inside = repr([(_mark(name), _mark(part)) for name, part in cell.items()])
    elif kind is np.ndarray:
        inside = repr((cell.dtype.str, cell.shape, cell.tolist()))
    elif "__repr__" not in {name for base in kind.__mro__[:-1] for name in vars(base)}:
        raise TypeError("such objects have no text")
    else:
        inside = repr(cell)
    return f"{kind.__module__}.{kind.__qualname__} {inside}"


def _as_python(cell: Any) -> Any:
    """Scalars and arrays of numpy as Python has them, where it has them without loss."""
    if isinstance(cell, np.ndarray):
        return [_as_python(part) for part in cell.tolist()] if cell.dtype.kind in "biufOSU" else cell
    if isinstance(cell, np.generic) and cell.dtype.kind in "biufSU":
        return cell.item()
    if type(cell) in (list, tuple):
        return [_as_python(part) for part in cell]
    return cell


def _is_of_pandas(cell: Any) -> bool:
    return type(cell).__module__.partition(".")[0] == "pandas"


def _described(cells: Objects) -> pl.Series:
    """The text of the objects, to be counted; half a surrogate pair is spelled out."""
    texts = (None if _is_missing(cell) else str(cell) for cell in cells)
    safe = [None if text is None else text.encode(errors="backslashreplace").decode() for text in texts]
    return pl.Series(safe, dtype=pl.String)

"""Columns of Python objects, where numbers and text may stand side by side."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import polars as pl

from shoal.schema.columns import Kind
from shoal.tables.table import Content

Objects = Sequence[Any]
"""The cells of a column; None where one is missing."""


def object_content(cells: Objects, *, type: str) -> Content:
    """What the objects are: truth values, numbers, dates, or text and everything else."""
    given = [cell for cell in cells if cell is not None]
    if given and all(isinstance(cell, bool | np.bool_) for cell in given):
        values = pl.Series([None if cell is None else bool(cell) for cell in cells], dtype=pl.Boolean)
        return Content(Kind.NOMINAL, type, values)
    if given and all(isinstance(cell, date) for cell in given):
        return Content(Kind.DATE, type, _as_text(cells))
    numbers = pl.Series([_number(cell) for cell in cells], dtype=pl.Float64).fill_nan(None)
    text = numbers.is_null() & pl.Series([cell is not None and not _is_nan(cell) for cell in cells], dtype=pl.Boolean)
    if len(numbers) == numbers.null_count():
        return Content(Kind.NOMINAL, type, _as_text(cells))
    if not text.any():
        return Content(Kind.NUMERIC, type, numbers, numbers)
    return Content(Kind.NOMINAL, type, _as_text(cells), numbers, text)


def object_codes(cells: Objects) -> pl.Series:
    """A number for each different object: 1 and 1.0 are the same value, 1 and "1" are not."""
    codes: dict[Any, int] = {}
    return pl.Series([None if c is None or _is_nan(c) else codes.setdefault(_key(c), len(codes)) for c in cells])


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, Real | Decimal):
        return None
    try:
        return float(cell)
    except OverflowError:
        return float("inf")


def _is_nan(cell: Any) -> bool:
    return isinstance(cell, Real | Decimal) and cell != cell


def _key(cell: Any) -> Any:
    try:
        hash(cell)
    except TypeError:
        return repr(cell)
    return cell


def _as_text(cells: Objects) -> pl.Series:
    return pl.Series([None if cell is None or _is_nan(cell) else str(cell) for cell in cells], dtype=pl.String)

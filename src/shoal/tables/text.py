"""Text and numbers: what the fields of a text column mean, and how numbers are written as text."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.schema.columns import Kind
from shoal.tables.fresh import numbered
from shoal.tables.table import Content
from shoal.values import Whole

_BLANKS = " \t"
_INFINITE = r"(?i:inf(?:inity)?)"
DATE = r"^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$"
"""A date as ISO 8601 writes it, with or without a time."""


def _number(decimal: str) -> str:
    mark = re.escape(decimal)
    digits = rf"[0-9]+(?:{mark}[0-9]*)?|{mark}[0-9]+"
    return rf"^[+-]?(?:(?:{digits})(?:[eE][+-]?[0-9]+)?|{_INFINITE})$"


def is_number(text: str, *, decimal: str) -> bool:
    return re.match(_number(decimal), text.strip(_BLANKS)) is not None


def understood(text: pl.Series, *, decimal: str, missing: tuple[str, ...]) -> Content:
    """What a column of text fields holds.

    Numbers, if every field is one or means missing; but integers with leading zeros, such as 00501, are
    codes and stay text. Integers too long for the types of frames are numbers whose values stay text.
    """
    text = text.alias("")
    plain = text.str.strip_chars(_BLANKS)
    absent = plain.is_in(list(missing))
    number = plain.str.contains(_number(decimal)) & ~absent
    found = int(number.sum())
    values = text.set(text == "", None)
    if found == 0:
        return _dates_or_text(values, values.set(absent, None))
    other = ~(number | absent)
    numbers = _floats(plain, number, decimal)
    if other.any():
        return Content(Kind.NOMINAL, "text", values, numbers, other)
    if plain.str.contains(r"^[+-]?0[0-9]+$").any():
        return Content(Kind.NOMINAL, "text", values)
    if (plain.str.contains(r"^[+-]?[0-9]+$") | absent).all():
        digits = plain.zip_with(number, pl.Series([None], dtype=pl.String))
        whole = digits.cast(pl.Int64, strict=False)
        fits = whole.null_count() == len(text) - found
        return Content(Kind.NUMERIC, "integer", whole if fits else digits, numbers)
    return Content(Kind.NUMERIC, "number", numbers, numbers)


def _floats(plain: pl.Series, number: pl.Series, decimal: str) -> pl.Series:
    dotted = plain.str.replace(decimal, ".", literal=True) if decimal != "." else plain
    return dotted.zip_with(number, pl.Series([None], dtype=pl.String)).cast(pl.Float64, strict=False)


def _dates_or_text(values: pl.Series, present: pl.Series) -> Content:
    """Dates as ISO 8601 writes them, with or without a time; they stay text.

    Among dates a word that means missing does so, as among numbers; in other text it may be a value.
    """
    given = present.drop_nulls()
    if len(given) and given.str.contains(DATE).all():
        days = given.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
        if days.null_count() == 0:
            return Content(Kind.DATE, "date", present)
    return Content(Kind.NOMINAL, "text", values)


def written(column: NDArray[Any] | Whole, *, decimal: str) -> pl.Series:
    """Numbers as text: the shortest that reads back as the same number; empty where one is missing.

    Python's own repr does it, once for each different number, so that no version of a library changes
    the bytes of a release.
    """
    numbers = numbered(column)
    different, which = np.unique(numbers.fill_null(0).to_numpy(), return_inverse=True)
    texts = pl.Series([repr(number) for number in different.tolist()], dtype=pl.String)
    if decimal != "." and numbers.dtype.is_float():
        texts = texts.str.replace(".", decimal, literal=True)
    return texts.gather(which.astype(np.uint32)).set(numbers.is_null(), "")

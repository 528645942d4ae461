"""Text and numbers: what the fields of a text column mean, and how numbers are written as text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.schema.columns import Kind
from shoal.tables.column_format import column_format
from shoal.tables.decimals import number_text
from shoal.tables.fresh import numbered
from shoal.tables.table import Content
from shoal.values import Precision, Rounded, Whole, Worded

BLANKS = " \t"
_INFINITE = r"(?i:inf(?:inity)?)"
DATE = r"^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$"
"""A date as ISO 8601 writes it, with or without a time."""

_EXACT = Precision()
_FEW = 1_000
"""Fields that are looked at before all of them are."""


NUMBER = rf"^[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|{_INFINITE})$"
"""A number in the standard form."""


class Reading(NamedTuple):
    """How the fields of a column are understood."""

    format: str = ""
    """The `column_format` of its numbers or dates; empty for the standard form."""
    missing: tuple[str, ...] = ("",)
    """What means missing among numbers and dates."""
    blank: tuple[str, ...] = ("",)
    """What means missing in text."""

    def standard(self, text: pl.Series) -> pl.Series:
        """The fields in the standard form, those that mean missing as they are."""
        form = column_format(self.format)
        if form is None:
            return text
        return text.zip_with(text.str.strip_chars(BLANKS).is_in(list(self.missing)), form.standard(text))

    def present(self, text: pl.Series) -> pl.Series:
        """The fields of a text column, null where one means missing."""
        blank = text == "" if self.blank == ("",) else text.str.strip_chars(BLANKS).is_in(list(self.blank))
        return text.set(blank, None) if blank.any() else text


def is_number(text: str) -> bool:
    return re.match(NUMBER, text.strip(BLANKS)) is not None


def understood(text: pl.Series, reading: Reading) -> Content:
    """What a column of text fields holds.

    Numbers, if every field is one or means missing; but integers with leading zeros, such as 00501, are
    codes and stay text. Integers too long for the types of frames are numbers whose values stay text.
    """
    text = text.alias("")
    content = _understood(reading.standard(text), reading)
    if content.kind is Kind.NOMINAL and reading.format:
        return replace(content, values=reading.present(text))
    return content


def _understood(text: pl.Series, reading: Reading) -> Content:
    missing = reading.missing
    whole = _whole(text, missing)
    if whole is not None:
        return Content(Kind.NUMERIC, "integer", whole, whole.cast(pl.Float64))
    plain = text.str.strip_chars(BLANKS)
    numbers = _floats(plain)
    number = numbers.is_not_null()
    values = reading.present(text)
    if not number.any():
        return _dates_or_text(plain, values, missing)
    absent = plain.is_in(list(missing))
    number &= ~absent
    found = int(number.sum())
    if found == 0:
        return _dates_or_text(plain, values, missing)
    numbers = numbers.set(absent, None) if absent.any() else numbers
    other = ~(number | absent)
    if other.any():
        return Content(Kind.NOMINAL, "text", values, numbers, other)
    if _with_zeros(plain):
        return Content(Kind.NOMINAL, "text", values)
    digits = plain.set(absent, None) if absent.any() else plain
    if all(some.str.contains(r"^[+-]?[0-9]+$").all() for some in (digits.head(_FEW), digits)):
        whole = digits.cast(pl.Int64, strict=False)
        fits = whole.null_count() == len(text) - found
        return Content(Kind.NUMERIC, "integer", whole if fits else digits, numbers)
    return Content(Kind.NUMERIC, "number", numbers, numbers)


def floats(plain: pl.Series, number: pl.Series) -> pl.Series:
    """The numbers among these fields, as a mask says which are; null for all else."""
    return _floats(plain.zip_with(number, pl.Series([None], dtype=pl.String)))


def _whole(text: pl.Series, missing: tuple[str, ...]) -> pl.Series | None:
    """The column as whole numbers, null where a field is empty; None where it is not plainly that."""
    if any(word and is_number(word) for word in missing):
        return None
    found = text.cast(pl.Int64, strict=False)
    if found.null_count() == len(found) or found.null_count() != int((text == "").sum()):
        return None
    # Minus zero is a number of its own kind, which no integer tells from zero.
    return None if _with_zeros(text) or text.str.starts_with("-0").any() else found


def _with_zeros(plain: pl.Series) -> bool:
    """Whether one of these is an integer with leading zeros."""
    zeros = [plain.filter(plain.str.starts_with(start)) for start in ("0", "-0", "+0")]
    return any(some.str.contains(r"^[+-]?0[0-9]+$").any() for some in zeros)


def _floats(plain: pl.Series) -> pl.Series:
    """Every number, null for all else. What a cast takes for one is what `is_number` takes for one, but for NaN."""
    return plain.cast(pl.Float64, strict=False).fill_nan(None)


def _dates_or_text(plain: pl.Series, values: pl.Series, missing: tuple[str, ...]) -> Content:
    """Dates as ISO 8601 writes them, with or without a time; they stay text.

    Among dates a word that means missing does so, as among numbers; in other text it may be a value.
    """
    few = _present(plain.head(_FEW), values.head(_FEW), missing).drop_nulls()
    if few.str.contains(DATE).all():
        present = _present(plain, values, missing)
        given = present.drop_nulls().unique()
        if len(given) and given.str.contains(DATE).all():
            days = given.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
            if days.null_count() == 0:
                return Content(Kind.DATE, "date", present)
    return Content(Kind.NOMINAL, "text", values)


def _present(plain: pl.Series, values: pl.Series, missing: tuple[str, ...]) -> pl.Series:
    absent = plain.is_in(list(missing))
    return values.set(absent, None) if absent.any() else values


def written(column: NDArray[Any] | Whole | Rounded) -> Worded:
    """Numbers as text: with the decimals of their column, or the shortest that reads back as the same number.

    Python's own repr does it, once for each different number, so that no version of a library changes
    the bytes of a release.
    """
    numbers = numbered(column)
    different, which = np.unique(numbers.fill_null(0).to_numpy(), return_inverse=True)
    precision = column.precision if isinstance(column, Rounded) else _EXACT
    texts = [number_text(number, precision) for number in different.tolist()]
    places = which.astype(np.int64)
    places[numbers.is_null().to_numpy()] = -1
    return Worded(tuple(texts), places)

"""Infer the type of a text column, and write numbers as text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.csv.column_format import parse_column_format
from shoal.data.decimals import format_number
from shoal.data.new_columns import to_number_series
from shoal.data.table import ColumnContent
from shoal.domain import IntegerColumn, Precision, RoundedColumn, TextColumn
from shoal.domain.columns import Kind

BLANKS = " \t"
_INFINITY = r"(?i:inf(?:inity)?)"
DATE = r"^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$"
"""An ISO 8601 date, with or without a time."""

_ALL_DIGITS = Precision()
_SAMPLE = 1_000
"""Fields checked before all are."""


NUMBER = rf"^[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|{_INFINITY})$"
"""A number in standard form."""
INTEGER = r"^[+-]?[0-9]+$"
CODE = r"^[+-]?0[0-9]+$"
"""An integer with leading zeros."""


class FieldParser(NamedTuple):
    """Parser of the fields of a column."""

    format: str = ""
    """Column format of its numbers or dates; empty for the standard form."""
    missing: tuple[str, ...] = ("",)
    """Missing values of numeric and date columns."""
    blank: tuple[str, ...] = ("",)
    """Missing values of text columns."""

    def to_standard(self, text: pl.Series) -> pl.Series:
        """Convert fields to the standard form; missing values stay unchanged."""
        form = parse_column_format(self.format)
        if form is None:
            return text
        return text.zip_with(text.str.strip_chars(BLANKS).is_in(list(self.missing)), form.to_standard(text))

    def mask_missing(self, text: pl.Series) -> pl.Series:
        """Return the fields of a text column with missing values as null."""
        blank = text == "" if self.blank == ("",) else text.str.strip_chars(BLANKS).is_in(list(self.blank))
        return text.set(blank, None) if blank.any() else text


def are_dates(texts: pl.Series) -> pl.Series:
    """Return which texts begin with a date of the calendar, in ISO 8601."""
    days = texts.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    return texts.str.contains(DATE) & days.is_not_null()


def is_number(text: str) -> bool:
    return re.match(NUMBER, text.strip(BLANKS)) is not None


def infer_content(text: pl.Series, parser: FieldParser) -> ColumnContent:
    """Infer the content of a column of text fields.

    It is numeric if every field is a number or missing. Integers with leading zeros, such as 00501, are codes and
    stay text. Integers that overflow int64 are numeric, but their values stay text.
    """
    text = text.alias("")
    content = _infer(parser.to_standard(text), parser)
    if content.kind is Kind.NOMINAL and parser.format:
        return replace(content, values=parser.mask_missing(text))
    return content


def _infer(text: pl.Series, reading: FieldParser) -> ColumnContent:
    missing_values = reading.missing
    integers = _parse_integers(text, missing_values)
    if integers is not None:
        return ColumnContent(Kind.NUMERIC, "integer", integers, integers.cast(pl.Float64))
    plain = text.str.strip_chars(BLANKS)
    numbers = _parse_floats(plain)
    is_number_field = numbers.is_not_null()
    values = reading.mask_missing(text)
    if not is_number_field.any():
        return _dates_or_text(plain, values, missing_values)
    is_missing = plain.is_in(list(missing_values))
    is_number_field &= ~is_missing
    n_numbers = int(is_number_field.sum())
    if n_numbers == 0:
        return _dates_or_text(plain, values, missing_values)
    numbers = numbers.set(is_missing, None) if is_missing.any() else numbers
    non_numeric = ~(is_number_field | is_missing)
    if non_numeric.any():
        return ColumnContent(Kind.NOMINAL, "text", values, numbers, non_numeric)
    if _has_leading_zeros(plain):
        return ColumnContent(Kind.NOMINAL, "text", values)
    digits = plain.set(is_missing, None) if is_missing.any() else plain
    if all(some.str.contains(INTEGER).all() for some in (digits.head(_SAMPLE), digits)):
        integers = digits.cast(pl.Int64, strict=False)
        fits = integers.null_count() == len(text) - n_numbers
        return ColumnContent(Kind.NUMERIC, "integer", integers if fits else digits, numbers)
    return ColumnContent(Kind.NUMERIC, "number", numbers, numbers)


def parse_floats(plain: pl.Series, number: pl.Series) -> pl.Series:
    """Parse the fields that the mask marks as numbers; null for others."""
    return _parse_floats(plain.zip_with(number, pl.Series([None], dtype=pl.String)))


def _parse_integers(text: pl.Series, missing: tuple[str, ...]) -> pl.Series | None:
    """Parse the column as integers, null where a field is empty; None if this is not certain."""
    if any(word and is_number(word) for word in missing):
        return None
    integers = text.cast(pl.Int64, strict=False)
    if integers.null_count() == len(integers) or integers.null_count() != int((text == "").sum()):
        return None
    # integers cannot represent -0
    return None if _has_leading_zeros(text) or text.str.starts_with("-0").any() else integers


def _has_leading_zeros(plain: pl.Series) -> bool:
    """Return whether any field is an integer with leading zeros."""
    candidates = [plain.filter(plain.str.starts_with(start)) for start in ("0", "-0", "+0")]
    return any(some.str.contains(CODE).any() for some in candidates)


def _parse_floats(plain: pl.Series) -> pl.Series:
    """Parse numbers, null for others. Except for NaN, the cast accepts the same texts as `is_number`."""
    return plain.cast(pl.Float64, strict=False).fill_nan(None)


def _dates_or_text(plain: pl.Series, values: pl.Series, missing: tuple[str, ...]) -> ColumnContent:
    """Return ISO 8601 dates, which stay text, or else text.

    Missing values of numeric columns are missing among dates, too; in other text they may be values.
    """
    sample = _mask_missing(plain.head(_SAMPLE), values.head(_SAMPLE), missing).drop_nulls()
    if sample.str.contains(DATE).all():
        present = _mask_missing(plain, values, missing)
        distinct = present.drop_nulls().unique()
        if len(distinct) and are_dates(distinct).all():
            return ColumnContent(Kind.DATE, "date", present)
    return ColumnContent(Kind.NOMINAL, "text", values)


def _mask_missing(plain: pl.Series, values: pl.Series, missing: tuple[str, ...]) -> pl.Series:
    is_missing = plain.is_in(list(missing))
    return values.set(is_missing, None) if is_missing.any() else values


def numbers_to_text(column: NDArray[Any] | IntegerColumn | RoundedColumn) -> TextColumn:
    """Format numbers with the decimals of their column, or as the shortest text that parses to the same number.

    Uses Python's repr, once per distinct number: the bytes of a release must not depend on library versions.
    """
    numbers = to_number_series(column)
    distinct, which = np.unique(numbers.fill_null(0).to_numpy(), return_inverse=True)
    precision = column.precision if isinstance(column, RoundedColumn) else _ALL_DIGITS
    texts = [format_number(number, precision) for number in distinct.tolist()]
    indices = which.astype(np.int64)
    indices[numbers.is_null().to_numpy()] = -1
    return TextColumn(tuple(texts), indices)

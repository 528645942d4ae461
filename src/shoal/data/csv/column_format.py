"""Column formats: how numbers or dates of a text column are written, such as ``1.234,5 €`` or ``DD.MM.YYYY``.

All other code works on the standard form: ``1234.5`` and ``1980-12-31``. A format converts cells to it, and released
values back, so that a column keeps its format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache, partial
from typing import Protocol

import polars as pl

from shoal.errors import OptionError

TEXT_FORMAT = "text"
"""Format of a column that is text even if its cells look like numbers or dates."""
STANDARD_NUMBER = "1234.5"
"""Standard form of numbers; that of dates is ISO 8601."""
_NOT_A_VALUE = "\x1a"
"""Prefix of cells that do not match the format of their column, so that they do not parse as numbers or dates."""

BLANKS = " \u00a0\u202f\u2009"
"""Blanks between thousands, and between a number and its unit."""
THOUSANDS = (".", ",", " ", "\u00a0", "\u202f", "\u2009", "'", "\u2019")
_NUMBER = re.compile(r"([^0-9]*)1([^0-9]?)234([.,])5([^0-9]*)")
_NUMBER_IN_TEXT = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")
_DATE_IN_TEXT = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2})[0-9.]*)?)?")
_NUMBER_LIKE = r"^[ \t]*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t]*$"
_VALUE_LIKE = r"^[ \t]*[+-]?[0-9.]"
_YEARS = {"YYYY": "", "19YY": "19", "20YY": "20", "YY": ""}
"""Year patterns, with the omitted century."""
_PIVOT = 69
"""``YY`` means 1969 to 2068, as in POSIX."""
_TOKENS = {"DD": "day", "D": "day", "MM": "month", "M": "month", **dict.fromkeys(_YEARS, "year")}
_TOKEN = f"(DD?|MM?|{'|'.join(_YEARS)})"
_DATE = re.compile(rf"{_TOKEN}([./-] ?){_TOKEN}([./-] ?){_TOKEN}(\.?)((?: |T)HH:MM(?::SS)?)?")
_OR = "|"


class ColumnFormat(Protocol):
    """Format of the cells of a column."""

    def to_standard(self, text: pl.Series) -> pl.Series:
        """Convert cells to the standard form; mark cells in another format so that they do not parse as values."""

    def to_standard_inside(self, text: pl.Series) -> pl.Series:
        """Convert values inside longer texts, such as the ends of intervals."""

    def from_standard(self, word: str) -> str:
        """Convert a text from the standard form; it may contain several values."""


@dataclass(frozen=True)
class NumberFormat:
    """Numbers with a decimal mark, and optionally a thousands separator, prefix and suffix."""

    decimal: str = "."
    thousands: str = ""
    prefix: str = ""
    suffix: str = ""

    def __str__(self) -> str:
        return f"{self.prefix}1{self.thousands}234{self.decimal}5{self.suffix}"

    @cached_property
    def body(self) -> str:
        """Regular expression of a number without sign and unit."""
        mark, digits = re.escape(self.decimal), "[0-9]+"
        if self.thousands:
            grouped = f"[0-9]{{1,3}}(?:{_blank_or(self.thousands)}[0-9]{{3}})+"
            digits = f"(?:{grouped}|[0-9]+)"
        power = "" if self.prefix or self.suffix else "(?:[eE][+-]?[0-9]+)?"
        return f"(?:{digits}(?:{mark}[0-9]*)?|{mark}[0-9]+){power}"

    @cached_property
    def pattern(self) -> str:
        """Regular expression of a whole cell, with its signs and its number as groups."""
        before = _unit(self.prefix) if self.prefix.strip(BLANKS) else ""
        behind = _unit(self.suffix) if self.suffix.strip(BLANKS) else ""
        return rf"^[ \t]*([+-]?){before}([+-]?)({self.body}){behind}[ \t]*$"

    def to_standard(self, text: pl.Series) -> pl.Series:
        parts = text.str.extract_groups(self.pattern).struct.unnest()
        sign, inner, body = (parts.to_series(at) for at in range(3))
        for mark in _separators(self.thousands):
            body = body.str.replace_all(mark, "", literal=True)
        body = body.str.replace(self.decimal, ".", literal=True)
        return _mark_others(sign + inner + body, text, _NUMBER_LIKE)

    def to_standard_inside(self, text: pl.Series) -> pl.Series:
        return text.map_elements(self._standard_inside, return_dtype=pl.String)

    def _standard_inside(self, text: str) -> str:
        unit = re.escape(self.prefix), re.escape(self.suffix)

        def convert(match: re.Match[str]) -> str:
            body = match[1]
            for mark in _separators(self.thousands):
                body = body.replace(mark, "")
            return body.replace(self.decimal, ".")

        return re.sub(f"{unit[0]}({self.body}){unit[1]}", convert, text)

    def from_standard(self, word: str) -> str:
        return _NUMBER_IN_TEXT.sub(lambda found: self._format_number(found[0]), word)

    def _format_number(self, number: str) -> str:
        if "e" in number and (self.thousands or self.prefix or self.suffix):
            number = f"{Decimal(number):f}"
        whole, point, rest = number.partition(".")
        if self.thousands:
            whole = f"{int(whole):,}".replace(",", self.thousands)
        return f"{self.prefix}{whole}{self.decimal if point else ''}{rest}{self.suffix}"


@dataclass(frozen=True)
class DateFormat:
    """Dates, optionally with times, in one or several patterns; releases use the first."""

    patterns: tuple[str, ...]

    def __str__(self) -> str:
        return _OR.join(self.patterns)

    def to_standard(self, text: pl.Series) -> pl.Series:
        standard = pl.Series([None] * len(text), dtype=pl.String)
        for pattern in self.patterns:
            standard = standard.zip_with(standard.is_not_null(), _standard_days(text, pattern))
        return _mark_others(standard, text, _VALUE_LIKE)

    def to_standard_inside(self, text: pl.Series) -> pl.Series:
        return text.map_elements(self._standard_inside, return_dtype=pl.String)

    def _standard_inside(self, text: str) -> str:
        for pattern in self.patterns:
            text = re.sub(rf"(?<![0-9]){_day_pattern(pattern)}(?![0-9])", partial(_to_iso, years=_years(pattern)), text)
        return text

    def from_standard(self, word: str) -> str:
        first = self.patterns[0]
        return _DATE_IN_TEXT.sub(lambda match: _in_pattern(match, first), word)


@dataclass(frozen=True)
class TextFormat:
    """Text, even if it looks like numbers or dates."""

    def __str__(self) -> str:
        return TEXT_FORMAT

    def to_standard(self, text: pl.Series) -> pl.Series:
        return _NOT_A_VALUE + text

    def to_standard_inside(self, text: pl.Series) -> pl.Series:
        return text

    def from_standard(self, word: str) -> str:
        return word


@lru_cache(maxsize=1024)
def parse_column_format(text: str) -> ColumnFormat | None:
    """Parse the notation of a column format; None for the standard form."""
    if text in ("", STANDARD_NUMBER, "YYYY-MM-DD"):
        return None
    if text == TEXT_FORMAT:
        return TextFormat()
    number = _NUMBER.fullmatch(text)
    if number:
        prefix, thousands, decimal, suffix = number.groups()
        if thousands == decimal or (thousands and thousands not in THOUSANDS):
            raise OptionError.invalid_column_format()
        return NumberFormat(decimal, thousands, prefix, suffix)
    patterns = tuple(text.split(_OR))
    if not all(_is_date_pattern(pattern) for pattern in patterns):
        raise OptionError.invalid_column_format()
    return DateFormat(patterns)


def _is_date_pattern(pattern: str) -> bool:
    match = _DATE.fullmatch(pattern)
    return match is not None and {_TOKENS[match[at]] for at in (1, 3, 5)} == {"day", "month", "year"}


@lru_cache(maxsize=256)
def _day_pattern(pattern: str) -> str:
    """Return a regular expression with the groups ``year``, ``month``, ``day`` and the parts of the time, if any."""
    match = _DATE.fullmatch(pattern)
    if match is None:
        raise OptionError.invalid_column_format()
    widths = {"DD": "(?P<day>0?[1-9]|[12][0-9]|3[01])", "MM": "(?P<month>0?[1-9]|1[0-2])", "YYYY": "(?P<year>[0-9]{4})"}
    widths |= {"D": widths["DD"], "M": widths["MM"]}
    widths |= dict.fromkeys(set(_YEARS) - {"YYYY"}, "(?P<year>[0-9]{2})")
    gap = " ?" if match[2].endswith(" ") else ""
    marks = [re.escape(match[at][0]) + gap for at in (2, 4)]
    days = f"{widths[match[1]]}{marks[0]}{widths[match[3]]}{marks[1]}{widths[match[5]]}{re.escape(match[6])}"
    if not match[7]:
        return days
    seconds = r"(?::(?P<second>[0-5][0-9])(?:\.[0-9]+)?)?" if match[7].endswith("SS") else ""
    return rf"{days}(?:[ T](?P<hour>[01]?[0-9]|2[0-3]):(?P<minute>[0-5][0-9]){seconds})?"


def _standard_days(text: pl.Series, pattern: str) -> pl.Series:
    """Convert cells of this pattern to ISO 8601; null for others."""
    parts = text.str.strip_chars().str.extract_groups(f"^{_day_pattern(pattern)}$").struct.unnest()

    def part(name: str) -> pl.Series:
        return parts[name].str.zfill(2)

    years = _years(pattern)
    year = parts["year"] if years == "YYYY" else parts["year"].map_elements(partial(_full_year, years=years), pl.String)
    found = year + "-" + part("month") + "-" + part("day")
    if "hour" not in parts.columns:
        return found
    time = " " + part("hour") + ":" + part("minute")
    if "second" in parts.columns:
        time += pl.select(pl.concat_str(pl.lit(":"), pl.lit(part("second")))).to_series().fill_null("")
    return found + time.fill_null("")


def _years(pattern: str) -> str:
    return next(years for years in _YEARS if years in pattern)


def _full_year(year: str, *, years: str) -> str:
    if years != "YY":
        return _YEARS[years] + year
    return ("19" if int(year) >= _PIVOT else "20") + year


def _to_iso(match: re.Match[str], *, years: str) -> str:
    parts = {name: (value or "").zfill(2) for name, value in match.groupdict().items()}
    day = f"{_full_year(parts['year'], years=years)}-{parts['month']}-{parts['day']}"
    if not match.groupdict().get("hour"):
        return day
    return f"{day} {parts['hour']}:{parts['minute']}" + (f":{parts['second']}" if "second" in parts else "")


def _in_pattern(match: re.Match[str], pattern: str) -> str:
    year, month, day, hour, minute, second = match.groups()
    values = {"MM": month, "M": str(int(month)), "DD": day, "D": str(int(day))}
    values |= dict.fromkeys(_YEARS, year[2:]) | {"YYYY": year}
    if hour is None:
        pattern = re.sub("[ T]HH.*", "", pattern)
    else:
        values |= {"HH": hour, "SS": second or "00"}
        pattern = pattern.replace("HH:MM", f"HH:{minute}")
    return re.sub(f"{'|'.join(_YEARS)}|MM?|DD?|HH|SS", lambda token: values[token[0]], pattern)


def _mark_others(standard: pl.Series, text: pl.Series, like: str) -> pl.Series:
    """Return cells in the standard form; mark others that would parse as values of that form."""
    marked = (_NOT_A_VALUE + text).zip_with(text.str.contains(like), text)
    return standard.zip_with(standard.is_not_null(), marked)


def _separators(thousands: str) -> Sequence[str]:
    """Return the accepted thousands separators: all blanks are equivalent."""
    return () if not thousands else tuple(BLANKS) if thousands in BLANKS else (thousands,)


def _blank_or(mark: str) -> str:
    return f"[{BLANKS}]" if mark in BLANKS else re.escape(mark)


def _unit(unit: str) -> str:
    """Return the regular expression of a unit with blanks around it; a currency is optional."""
    pattern = f"[{BLANKS}]*{re.escape(unit.strip(BLANKS))}[{BLANKS}]*"
    return pattern if "%" in unit else f"(?:{pattern})?"

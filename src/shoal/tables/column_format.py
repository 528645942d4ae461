"""Column formats: how the numbers or dates of a text column are written, such as ``1.234,5 €`` or ``DD.MM.YYYY``.

Everything behind the reader works on the standard form: ``1234.5`` and ``1980-12-31``. A format translates the cells
of a column into it, and released values back, so that a column is released in the format it came in.
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

TEXT = "text"
"""The format of a column whose cells are neither numbers nor dates, whatever they look like."""
PLAIN = "1234.5"
"""The standard form of numbers. ISO 8601 is that of dates; a column in it needs no format."""
_OTHER = "\x1a"
"""Stands before a cell that is not in the format of its column, so that nothing takes it for a number or a date."""

BLANKS = " \u00a0\u202f\u2009"
"""Blanks that part thousands, and that stand between a number and its unit."""
THOUSANDS = (".", ",", " ", "\u00a0", "\u202f", "\u2009", "'", "\u2019")
_NUMBER = re.compile(r"([^0-9]*)1([^0-9]?)234([.,])5([^0-9]*)")
_IN_WORD = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")
_DAY_IN_WORD = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2})[0-9.]*)?)?")
_NUMBER_LIKE = r"^[ \t]*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t]*$"
_VALUE_LIKE = r"^[ \t]*[+-]?[0-9.]"
_YEARS = {"YYYY": "", "19YY": "19", "20YY": "20", "YY": ""}
"""How years are written, with the century that is left out."""
_PIVOT = 69
"""``YY`` stands for 1969 to 2068, as POSIX has it."""
_TOKENS = {"DD": "day", "D": "day", "MM": "month", "M": "month", **dict.fromkeys(_YEARS, "year")}
_TOKEN = f"(DD?|MM?|{'|'.join(_YEARS)})"
_DATE = re.compile(rf"{_TOKEN}([./-] ?){_TOKEN}([./-] ?){_TOKEN}(\.?)((?: |T)HH:MM(?::SS)?)?")
_EITHER = "|"


class ColumnFormat(Protocol):
    """How the cells of a column are written."""

    def standard(self, text: pl.Series) -> pl.Series:
        """The cells in the standard form; those in another format are marked so that nothing takes them for values."""

    def inside(self, text: pl.Series) -> pl.Series:
        """The same for values inside longer texts, such as the ends of intervals."""

    def written(self, word: str) -> str:
        """A word of the standard form, or one that holds such values, in this format."""


@dataclass(frozen=True)
class NumberFormat:
    """Numbers with a decimal mark, perhaps with thousands parted, and perhaps with a unit before or behind them."""

    decimal: str = "."
    thousands: str = ""
    prefix: str = ""
    suffix: str = ""

    def __str__(self) -> str:
        return f"{self.prefix}1{self.thousands}234{self.decimal}5{self.suffix}"

    @cached_property
    def body(self) -> str:
        """The pattern of a number without sign and unit."""
        mark, digits = re.escape(self.decimal), "[0-9]+"
        if self.thousands:
            parted = f"[0-9]{{1,3}}(?:{_blank_or(self.thousands)}[0-9]{{3}})+"
            digits = f"(?:{parted}|[0-9]+)"
        power = "" if self.prefix or self.suffix else "(?:[eE][+-]?[0-9]+)?"
        return f"(?:{digits}(?:{mark}[0-9]*)?|{mark}[0-9]+){power}"

    @cached_property
    def pattern(self) -> str:
        """The pattern of a whole cell, with its signs and its number as groups."""
        before = _unit(self.prefix) if self.prefix.strip(BLANKS) else ""
        behind = _unit(self.suffix) if self.suffix.strip(BLANKS) else ""
        return rf"^[ \t]*([+-]?){before}([+-]?)({self.body}){behind}[ \t]*$"

    def standard(self, text: pl.Series) -> pl.Series:
        parts = text.str.extract_groups(self.pattern).struct.unnest()
        sign, inner, body = (parts.to_series(at) for at in range(3))
        for mark in _marks(self.thousands):
            body = body.str.replace_all(mark, "", literal=True)
        body = body.str.replace(self.decimal, ".", literal=True)
        return _or_marked(sign + inner + body, text, _NUMBER_LIKE)

    def inside(self, text: pl.Series) -> pl.Series:
        return text.map_elements(self._standard_inside, return_dtype=pl.String)

    def _standard_inside(self, text: str) -> str:
        unit = re.escape(self.prefix), re.escape(self.suffix)

        def plain(found: re.Match[str]) -> str:
            body = found[1]
            for mark in _marks(self.thousands):
                body = body.replace(mark, "")
            return body.replace(self.decimal, ".")

        return re.sub(f"{unit[0]}({self.body}){unit[1]}", plain, text)

    def written(self, word: str) -> str:
        return _IN_WORD.sub(lambda found: self._one(found[0]), word)

    def _one(self, number: str) -> str:
        if "e" in number and (self.thousands or self.prefix or self.suffix):
            number = f"{Decimal(number):f}"
        whole, point, rest = number.partition(".")
        if self.thousands:
            whole = f"{int(whole):,}".replace(",", self.thousands)
        return f"{self.prefix}{whole}{self.decimal if point else ''}{rest}{self.suffix}"


@dataclass(frozen=True)
class DateFormat:
    """Days, perhaps with a time, in one pattern or several; released dates are written in the first."""

    patterns: tuple[str, ...]

    def __str__(self) -> str:
        return _EITHER.join(self.patterns)

    def standard(self, text: pl.Series) -> pl.Series:
        found = pl.Series([None] * len(text), dtype=pl.String)
        for pattern in self.patterns:
            found = found.zip_with(found.is_not_null(), _standard_days(text, pattern))
        return _or_marked(found, text, _VALUE_LIKE)

    def inside(self, text: pl.Series) -> pl.Series:
        return text.map_elements(self._standard_inside, return_dtype=pl.String)

    def _standard_inside(self, text: str) -> str:
        for pattern in self.patterns:
            text = re.sub(rf"(?<![0-9]){_day_pattern(pattern)}(?![0-9])", partial(_iso, years=_years(pattern)), text)
        return text

    def written(self, word: str) -> str:
        first = self.patterns[0]
        return _DAY_IN_WORD.sub(lambda found: _in_pattern(found, first), word)


@dataclass(frozen=True)
class PlainText:
    """Text, whatever it looks like."""

    def __str__(self) -> str:
        return TEXT

    def standard(self, text: pl.Series) -> pl.Series:
        return _OTHER + text

    def inside(self, text: pl.Series) -> pl.Series:
        return text

    def written(self, word: str) -> str:
        return word


@lru_cache(maxsize=1024)
def column_format(text: str) -> ColumnFormat | None:
    """The format that is written so; None for the standard form."""
    if text in ("", PLAIN, "YYYY-MM-DD"):
        return None
    if text == TEXT:
        return PlainText()
    number = _NUMBER.fullmatch(text)
    if number:
        prefix, thousands, decimal, suffix = number.groups()
        if thousands == decimal or (thousands and thousands not in THOUSANDS):
            raise OptionError.bad_column_format()
        return NumberFormat(decimal, thousands, prefix, suffix)
    patterns = tuple(text.split(_EITHER))
    if not all(_is_date_pattern(pattern) for pattern in patterns):
        raise OptionError.bad_column_format()
    return DateFormat(patterns)


def _is_date_pattern(pattern: str) -> bool:
    found = _DATE.fullmatch(pattern)
    return found is not None and {_TOKENS[found[at]] for at in (1, 3, 5)} == {"day", "month", "year"}


@lru_cache(maxsize=256)
def _day_pattern(pattern: str) -> str:
    """A regular expression with the groups ``year``, ``month``, ``day`` and, where there is a time, its parts."""
    found = _DATE.fullmatch(pattern)
    if found is None:
        raise OptionError.bad_column_format()
    widths = {"DD": "(?P<day>0?[1-9]|[12][0-9]|3[01])", "MM": "(?P<month>0?[1-9]|1[0-2])", "YYYY": "(?P<year>[0-9]{4})"}
    widths |= {"D": widths["DD"], "M": widths["MM"]}
    widths |= dict.fromkeys(set(_YEARS) - {"YYYY"}, "(?P<year>[0-9]{2})")
    gap = " ?" if found[2].endswith(" ") else ""
    marks = [re.escape(found[at][0]) + gap for at in (2, 4)]
    days = f"{widths[found[1]]}{marks[0]}{widths[found[3]]}{marks[1]}{widths[found[5]]}{re.escape(found[6])}"
    if not found[7]:
        return days
    seconds = r"(?::(?P<second>[0-5][0-9])(?:\.[0-9]+)?)?" if found[7].endswith("SS") else ""
    return rf"{days}(?:[ T](?P<hour>[01]?[0-9]|2[0-3]):(?P<minute>[0-5][0-9]){seconds})?"


def _standard_days(text: pl.Series, pattern: str) -> pl.Series:
    """The cells of this pattern in ISO 8601; null for others."""
    parts = text.str.strip_chars().str.extract_groups(f"^{_day_pattern(pattern)}$").struct.unnest()

    def part(name: str) -> pl.Series:
        return parts[name].str.zfill(2)

    years = _years(pattern)
    year = parts["year"] if years == "YYYY" else parts["year"].map_elements(partial(_full, years=years), pl.String)
    found = year + "-" + part("month") + "-" + part("day")
    if "hour" not in parts.columns:
        return found
    time = " " + part("hour") + ":" + part("minute")
    if "second" in parts.columns:
        time += pl.select(pl.concat_str(pl.lit(":"), pl.lit(part("second")))).to_series().fill_null("")
    return found + time.fill_null("")


def _years(pattern: str) -> str:
    """How years are written in a pattern."""
    return next(years for years in _YEARS if years in pattern)


def _full(year: str, *, years: str) -> str:
    """A year with its century."""
    if years != "YY":
        return _YEARS[years] + year
    return ("19" if int(year) >= _PIVOT else "20") + year


def _iso(found: re.Match[str], *, years: str) -> str:
    parts = {name: (value or "").zfill(2) for name, value in found.groupdict().items()}
    day = f"{_full(parts['year'], years=years)}-{parts['month']}-{parts['day']}"
    if not found.groupdict().get("hour"):
        return day
    return f"{day} {parts['hour']}:{parts['minute']}" + (f":{parts['second']}" if "second" in parts else "")


def _in_pattern(found: re.Match[str], pattern: str) -> str:
    year, month, day, hour, minute, second = found.groups()
    words = {"MM": month, "M": str(int(month)), "DD": day, "D": str(int(day))}
    words |= dict.fromkeys(_YEARS, year[2:]) | {"YYYY": year}
    if hour is None:
        pattern = re.sub("[ T]HH.*", "", pattern)
    else:
        words |= {"HH": hour, "SS": second or "00"}
        pattern = pattern.replace("HH:MM", f"HH:{minute}")
    return re.sub(f"{'|'.join(_YEARS)}|MM?|DD?|HH|SS", lambda token: words[token[0]], pattern)


def _or_marked(standard: pl.Series, text: pl.Series, like: str) -> pl.Series:
    """The cells in the standard form; of the others those that would be taken for values of that form are marked."""
    marked = (_OTHER + text).zip_with(text.str.contains(like), text)
    return standard.zip_with(standard.is_not_null(), marked)


def _marks(thousands: str) -> Sequence[str]:
    """The marks that part thousands in cells of such a format: one blank is as good as another."""
    return () if not thousands else tuple(BLANKS) if thousands in BLANKS else (thousands,)


def _blank_or(mark: str) -> str:
    return f"[{BLANKS}]" if mark in BLANKS else re.escape(mark)


def _unit(unit: str) -> str:
    """The pattern of a unit with blanks around it; a currency may be left out."""
    found = f"[{BLANKS}]*{re.escape(unit.strip(BLANKS))}[{BLANKS}]*"
    return found if "%" in unit else f"(?:{found})?"

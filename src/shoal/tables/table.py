"""The interface of this room: a table, the cells behind it, and how a file is to be read."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import OptionError
from shoal.schema.columns import Kind
from shoal.tables.column_format import THOUSANDS, column_format
from shoal.tables.formats import FORMATS
from shoal.values import Days, IntVector, Rounded, Whole, Worded

MISSING_WORDS = (
    *("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "#NULL!", "None", ".", "-", "--", "?"),
    *("k.A.", "k. A.", "keine Angabe", "n.d.", "n. d.", "s.o.", "s/d", "missing", "unknown"),
)
"""What means missing in a column of numbers or dates. In text only the empty field does: NA may be Namibia."""

NewColumn = NDArray[Any] | Rounded | Whole | Worded | Days
"""A column of a release that differs from the original: float64 with NaN where missing, int64, or one of these."""
NewColumns = Mapping[str, NewColumn]

Settings = Mapping[str, Any]
"""How a file was read: texts, numbers, truth values, and such by column."""

_LABELLED = ("spss", "stata", "sas")
_EXACT_WHOLE = 2.0**53
_OTHER_MARK = {".": ",", ",": "."}
"""The decimal mark where one of them parts thousands."""
_NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}


@dataclass(frozen=True)
class ReadOptions:
    """How a file is to be read; what is None is found out from the file."""

    delimiter: str | None = None
    quote: str | None = '"'
    """None and the empty text switch quoting off."""
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    """What parts thousands; the empty text where nothing does."""
    header: bool = True
    skip: int | None = None
    """The lines above the header."""
    skip_footer: int | None = None
    """The lines below the last record, such as totals and notes."""
    row_numbers: bool | None = None
    """Whether the first column has no name and numbers the rows, so that it is left out."""
    missing: Iterable[str] | None = None
    """The word or the words that mean missing in any column, besides the empty field."""
    missing_in: Mapping[str, Iterable[str] | str] = field(default_factory=dict)
    """Further words that mean missing in some columns, by their names."""
    column_formats: Mapping[str, str] = field(default_factory=dict)
    """How numbers or dates of some columns are written, such as ``1.234,5 €``, ``DD.MM.YYYY`` or ``text``."""
    detect: bool = True
    """Whether formats of numbers and dates that are not named are detected."""
    sheet: str | None = None
    format: str | None = None
    value_labels: bool = True
    """Whether columns of SPSS and Stata hold the labels of their values where every value has one, not the codes."""
    typed: bool = False
    """Text of a workbook is text, whatever it looks like: so did policies read it that note no decimal mark."""
    header_known: bool = False
    """The first line is a header even if it looks like data: somebody said so, or it was written as one."""

    def __post_init__(self) -> None:
        given: dict[str, Any] = {name: getattr(self, name) for name in self.__dataclass_fields__}
        for name, (types, expected) in _EXPECTED.items():
            if not isinstance(given[name], types):
                raise OptionError.bad_option(name, expected)
        delimiter = None if self.delimiter is None else _NAMED_DELIMITERS.get(self.delimiter, self.delimiter)
        quote = "" if self.quote in (None, "none") else self.quote
        object.__setattr__(self, "delimiter", delimiter)
        object.__setattr__(self, "quote", quote)
        object.__setattr__(self, "missing", _words(given["missing"]))
        object.__setattr__(self, "missing_in", self.words_in)
        if self.decimal is None and self.thousands in _OTHER_MARK:
            object.__setattr__(self, "decimal", _OTHER_MARK[self.thousands])
        if delimiter is not None and not _is_mark(delimiter):
            raise OptionError.bad_option("delimiter", _EXPECTED["delimiter"][1])
        if quote and (not _is_mark(quote) or quote == delimiter):
            raise OptionError.bad_option("quote", _EXPECTED["quote"][1])
        if self.decimal not in (None, ".", ","):
            raise OptionError.bad_option("decimal", _EXPECTED["decimal"][1])
        if self.thousands and (self.thousands not in THOUSANDS or self.thousands == self.decimal):
            raise OptionError.bad_option("thousands", _EXPECTED["thousands"][1])
        for name in ("skip", "skip_footer"):
            if given[name] is not None and (isinstance(given[name], bool) or given[name] < 0):
                raise OptionError.bad_option(name, _EXPECTED[name][1])
        for form in self.column_formats.values():
            column_format(form)
        if self.format is not None and self.format not in FORMATS:
            raise OptionError.bad_option("format", _EXPECTED["format"][1])
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
                known = self.encoding.isprintable()  # Python passes over what no name has
            except (LookupError, ValueError):
                known = False
            if not known:
                raise OptionError.bad_option("encoding", _EXPECTED["encoding"][1])

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """The options that read a file as it was read when these settings were noted."""
        if not isinstance(settings, Mapping):
            raise OptionError.bad_option("settings", "the settings that were noted when a file was read")
        given: dict[str, Any] = {name: settings[name] for name in _NOTED if name in settings}
        given["header_known"] = "header" in settings
        if "missing" in settings:
            noted = settings["missing"]
            given["missing"] = tuple(noted.split("\n")) if isinstance(noted, str) else noted
        if {"format", "decimal"} <= settings.keys():  # those of a file that was read, and not what somebody said
            given |= {"detect": False, "thousands": settings.get("thousands", "")}
            given |= {name: settings.get(name, 0) for name in ("skip", "skip_footer")}
        elif settings.get("format") in _LABELLED:
            given["value_labels"] = settings.get("value_labels", False)
        elif settings.get("format") == "excel":
            given |= {"detect": False, "skip": 0, "skip_footer": 0, "row_numbers": False, "typed": True}
        return cls(**given)

    @classmethod
    def of_release(cls, settings: Settings, *, names: Mapping[str, str], same: bool, written: bool) -> Self:
        """The options that read a release of a file that was read with these settings.

        ``names`` are its columns with their names in the release. Nothing stands above its header. Where its format is
        not the ``same``, only the formats of its cells are, if they are ``written`` as before.
        """
        noted = cls.from_settings(settings)
        plain = replace(
            noted,
            skip=0,
            skip_footer=0,
            row_numbers=False,
            detect=False,
            column_formats={
                names[name]: form for name, form in noted.column_formats.items() if name in names and written
            },
            missing_in={names[name]: words for name, words in noted.missing_in.items() if name in names},
        )
        if same:
            return plain
        if not written:
            plain = replace(plain, decimal=".", thousands="")
        return replace(
            plain, delimiter=None, quote='"', encoding=None, header=True, sheet=None, format=None, header_known=True
        )

    @property
    def missing_words(self) -> tuple[str, ...]:
        return MISSING_WORDS if self.missing is None else ("", *(word.strip() for word in self.missing))

    @property
    def words_in(self) -> dict[str, tuple[str, ...]]:
        """The further words that mean missing in some columns."""
        return {name: _words(words) or () for name, words in self.missing_in.items()}

    @property
    def blank_words(self) -> tuple[str, ...]:
        """What means missing in text."""
        return ("",) if self.missing is None else self.missing_words


_TEXT: tuple[type, ...] = (str, type(None))
_EXPECTED: dict[str, tuple[type | tuple[type, ...], str]] = {
    "delimiter": (_TEXT, "one character such as ',' or ';' or 'tab'"),
    "quote": (_TEXT, "one character such as '\"', or '' for none"),
    "encoding": (_TEXT, "a name such as 'utf-8', 'latin-1' or 'cp1252'"),
    "decimal": (_TEXT, "'.' or ','"),
    "thousands": (_TEXT, "one of '.', ',', a blank or an apostrophe, other than the decimal mark, or '' for none"),
    "header": (bool, "true or false"),
    "skip": ((int, type(None)), "the number of lines above the header"),
    "skip_footer": ((int, type(None)), "the number of lines below the last record"),
    "row_numbers": ((bool, type(None)), "true or false"),
    "missing_in": (Mapping, "words for columns, such as {'age': ['999']}"),
    "column_formats": (Mapping, "formats of columns, such as {'born': 'DD.MM.YYYY', 'income': '1.234,5'}"),
    "detect": (bool, "true or false"),
    "sheet": (_TEXT, "the name of a sheet"),
    "format": (_TEXT, f"one of {', '.join(FORMATS)}"),
    "value_labels": (bool, "true or false"),
    "typed": (bool, "true or false"),
    "header_known": (bool, "true or false"),
}
"""The types of the options, and the hint where a value is none of them."""
_NOTED = (
    *("delimiter", "quote", "encoding", "decimal", "thousands", "header", "skip", "skip_footer"),
    *("row_numbers", "missing_in", "column_formats", "sheet", "format", "value_labels"),
)


def _words(missing: Any) -> tuple[str, ...] | None:
    """One word, or several of them."""
    if missing is None or isinstance(missing, str):
        return None if missing is None else (missing,)
    words = tuple(missing) if isinstance(missing, Iterable) else (missing,)
    if not all(isinstance(word, str) for word in words):
        raise OptionError.bad_option("missing", "the words that mean missing")
    return words


def _is_mark(text: str) -> bool:
    return len(text) == 1 and text.isascii() and text not in "\0\r\n" and not text.isalnum()


@dataclass(frozen=True, eq=False, repr=False)
class Content:
    """One column, understood."""

    kind: Kind
    type: str
    values: pl.Series
    """Every cell; missing ones are null."""
    numbers: pl.Series | None = None
    """The cells as float64, null where a cell is missing or not a number; None where no cell is a number."""
    text: pl.Series | None = None
    """Which cells hold something else among numbers; None where none does."""
    levels: tuple[str, ...] = ()
    """The order of an ordinal column, the lowest first, where its type tells it."""
    timed: bool = False
    """Whether points in time are written with their times even where all are midnight: others of the column are not."""

    @property
    def words(self) -> pl.Series:
        """Every cell as text, as a hierarchy names it; missing ones are null.

        Whole numbers have no point, whatever type holds them; points in time are days where all are midnight.
        """
        values = self.values
        if values.dtype.is_float():
            return _number_words(without_nan(values.cast(pl.Float64)))
        if isinstance(values.dtype, pl.Datetime):
            return _time_words(values, timed=self.timed)
        return values.cast(pl.String)


def _number_words(numbers: pl.Series) -> pl.Series:
    whole = ((numbers == numbers.floor()) & (numbers.abs() < _EXACT_WHOLE)).fill_null(False)
    short = numbers.set(~whole, None).cast(pl.Int64).cast(pl.String)
    return short.zip_with(whole, numbers.cast(pl.String))


def _time_words(times: pl.Series, *, timed: bool) -> pl.Series:
    zone = isinstance(times.dtype, pl.Datetime) and times.dtype.time_zone
    if not (timed or zone or has_times(times)):
        return times.dt.date().cast(pl.String)
    end = "%:z" if zone else ""
    seconds = times.dt.to_string(f"%Y-%m-%d %H:%M:%S{end}")
    fractions = times.dt.to_string(f"%Y-%m-%d %H:%M:%S%.6f{end}")
    return seconds.zip_with((times.dt.nanosecond() == 0).fill_null(True), fractions)


def has_times(times: pl.Series) -> bool:
    """Whether some of these points in time are not midnight."""
    known = times.drop_nulls()
    return bool((known != known.dt.truncate("1d")).any())


class Cells(Protocol):
    """What every kind of table can do. Nothing here changes the table."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def height(self) -> int: ...

    def native(self) -> Any:
        """The table as its user knows it."""

    def content(self, name: str) -> Content:
        """The column, understood."""

    def seen(self, name: str) -> pl.Series:
        """The column so that two cells are equal where a reader of the table sees no difference."""

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> Cells:
        """Only the kept columns, in their order, some of them with new numbers or words."""

    def marks(self, name: str) -> pl.Series:
        """The column so that two cells are equal only where nothing tells them apart, whatever stands in other rows."""

    def taken(self, rows: IntVector) -> Cells:
        """These rows, in their order, with nothing left of the order that they had."""

    def frame(self) -> pl.DataFrame:
        """The table as a polars frame, to be written in any format."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table with one row a person."""

    kind: str
    cells: Cells
    path: Path | None = None
    settings: Settings = field(default_factory=dict)
    """What was given or found out when the file was read."""
    sha256: str | None = None
    """The fingerprint of the file as it was read; of the original file where this is a release."""

    @property
    def names(self) -> tuple[str, ...]:
        return self.cells.names

    @property
    def height(self) -> int:
        return self.cells.height

    def native(self) -> Any:
        """The same kind of frame as came in; a polars frame for files."""
        return self.cells.native()

    def __repr__(self) -> str:
        return f"Table(kind={self.kind!r}, records={self.height}, columns={list(self.names)})"


def without_nan(numbers: pl.Series) -> pl.Series:
    """Floats, null where one is NaN.

    Most columns have no NaN. To look for one is much faster than to replace it: polars plans a query for that.
    """
    found = np.isnan(numbers.to_numpy())  # missing cells too
    return numbers.fill_nan(None) if np.count_nonzero(found) > numbers.null_count() else numbers


def unsigned(numbers: pl.Series) -> pl.Series:
    """Floats without -0.0; polars leaves it as it is where it adds zero."""
    values = numbers.to_numpy()
    negative = pl.Series(np.signbit(values) & (values == 0))
    return numbers.set(negative, 0.0) if negative.any() else numbers


def where(mask: pl.Series) -> dict[str, int]:
    """How many records, of how many, and the number of the first of them."""
    return {"rows": int(mask.sum()), "of": len(mask), "first": int(mask.arg_true()[0]) + 1}

"""Table, its storage backends, and the options that control how a file is read."""

from __future__ import annotations

import codecs
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.csv.column_format import THOUSANDS, parse_column_format
from shoal.data.file_formats import FORMATS
from shoal.data.library_errors import translate_errors
from shoal.domain import DateColumn, IntegerColumn, IntVector, RoundedColumn, TextColumn
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, DataError, OptionError

DEFAULT_MISSING_VALUES = (
    *("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "#NULL!", "None", ".", "-", "--", "?"),
    *("k.A.", "k. A.", "keine Angabe", "n.d.", "n. d.", "s.o.", "s/d", "missing", "unknown"),
)
"""Texts read as missing in columns of numbers or dates. In text columns only the empty field is: NA may be Namibia."""

NewColumn = NDArray[Any] | RoundedColumn | IntegerColumn | TextColumn | DateColumn
"""A released column that differs from the original: float64 with NaN where missing, int64, or one of these types."""
NewColumns = Mapping[str, NewColumn]

Settings = Mapping[str, Any]
"""How a file was read: strings, numbers, booleans, and mappings of these by column."""

_LABELLED_FORMATS = ("spss", "stata", "sas")
_MAX_EXACT_INTEGER = 2.0**53
_DECIMAL_FOR_THOUSANDS = {".": ",", ",": "."}
"""The decimal mark that goes with each thousands separator."""
_NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a file; an option that is None is detected from the file."""

    delimiter: str | None = None
    quote: str | None = '"'
    """None and the empty string disable quoting."""
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: bool = True
    skip: int | None = None
    skip_footer: int | None = None
    """Number of lines below the last record, such as totals and notes."""
    row_numbers: bool | None = None
    """Whether the first column holds unnamed row numbers and is dropped."""
    missing: Iterable[str] | None = None
    """One text or several that mean missing in any column, besides the empty field."""
    missing_in: Mapping[str, Iterable[str] | str] = field(default_factory=dict)
    """Additional missing values by column name."""
    column_formats: Mapping[str, str] = field(default_factory=dict)
    """Number or date formats by column name, such as ``1.234,5 €``, ``DD.MM.YYYY`` or ``text``."""
    detect: bool = True
    """Whether to detect number and date formats that are not given."""
    sheet: str | None = None
    format: str | None = None
    value_labels: bool = True
    """Whether SPSS and Stata columns hold value labels instead of codes where every value has a label."""
    typed: bool = False
    """Read text cells of a workbook as text, whatever they look like, as policies without a decimal mark expect."""
    header_known: bool = False
    """Accept the first line as a header even if it looks like data."""

    def __post_init__(self) -> None:
        given: dict[str, Any] = {name: getattr(self, name) for name in self.__dataclass_fields__}
        for name, (types, expected) in _EXPECTED.items():
            if not isinstance(given[name], types):
                raise OptionError.invalid_value(name, expected)
        delimiter = None if self.delimiter is None else _NAMED_DELIMITERS.get(self.delimiter, self.delimiter)
        quote = "" if self.quote in (None, "none") else self.quote
        object.__setattr__(self, "delimiter", delimiter)
        object.__setattr__(self, "quote", quote)
        object.__setattr__(self, "missing", _as_tuple(given["missing"]))
        object.__setattr__(self, "missing_in", self.missing_by_column)
        if self.decimal is None and self.thousands in _DECIMAL_FOR_THOUSANDS:
            object.__setattr__(self, "decimal", _DECIMAL_FOR_THOUSANDS[self.thousands])
        valid = {
            "delimiter": delimiter is None or _is_separator(delimiter),
            "quote": not quote or (_is_separator(quote) and quote != delimiter),
            "decimal": self.decimal in (None, ".", ","),
            "thousands": not self.thousands or (self.thousands in THOUSANDS and self.thousands != self.decimal),
            "skip": self.skip is None or (type(self.skip) is int and self.skip >= 0),
            "skip_footer": self.skip_footer is None or (type(self.skip_footer) is int and self.skip_footer >= 0),
            "format": self.format in (None, *FORMATS),
            "encoding": self.encoding is None or _is_encoding(self.encoding),
        }
        for name, is_valid in valid.items():
            if not is_valid:
                raise OptionError.invalid_value(name, _EXPECTED[name][1])
        for form in self.column_formats.values():
            parse_column_format(form)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return the options that reproduce the read that recorded these settings."""
        if not isinstance(settings, Mapping):
            raise OptionError.invalid_value("settings", "the settings that were noted when a file was read")
        given: dict[str, Any] = {name: settings[name] for name in _RECORDED if name in settings}
        given["header_known"] = "header" in settings
        if "missing" in settings:
            recorded = settings["missing"]
            given["missing"] = tuple(recorded.split("\n")) if isinstance(recorded, str) else recorded
        if {"format", "decimal"} <= settings.keys():  # recorded by a read, not given by a user
            given |= {"detect": False, "thousands": settings.get("thousands", "")}
            given |= {name: settings.get(name, 0) for name in ("skip", "skip_footer")}
        elif settings.get("format") in _LABELLED_FORMATS:
            given["value_labels"] = settings.get("value_labels", False)
        elif settings.get("format") == "excel":
            given |= {"detect": False, "skip": 0, "skip_footer": 0, "row_numbers": False, "typed": True}
        return cls(**given)

    @classmethod
    def of_release(cls, settings: Settings, *, names: Mapping[str, str], same_format: bool, as_text: bool) -> Self:
        """Return the options that read a release of a file that was read with these settings.

        ``names`` maps original column names to released ones. If the file format differs, only the cell formats
        carry over, and only if the cells are written as text as before.
        """
        original = cls.from_settings(settings)
        options = replace(
            original,
            skip=0,
            skip_footer=0,
            row_numbers=False,
            detect=False,
            column_formats={
                names[name]: form for name, form in original.column_formats.items() if name in names and as_text
            },
            missing_in={names[name]: words for name, words in original.missing_in.items() if name in names},
        )
        if same_format:
            return options
        if not as_text:
            options = replace(options, decimal=".", thousands="")
        return replace(
            options, delimiter=None, quote='"', encoding=None, header=True, sheet=None, format=None, header_known=True
        )

    @property
    def missing_values(self) -> tuple[str, ...]:
        return DEFAULT_MISSING_VALUES if self.missing is None else ("", *(word.strip() for word in self.missing))

    @property
    def missing_by_column(self) -> dict[str, tuple[str, ...]]:
        return {name: _as_tuple(words) or () for name, words in self.missing_in.items()}

    @property
    def missing_texts(self) -> tuple[str, ...]:
        return ("",) if self.missing is None else self.missing_values


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
"""Accepted types of each option, and the hint of the error for other values."""
_RECORDED = (
    *("delimiter", "quote", "encoding", "decimal", "thousands", "header", "skip", "skip_footer"),
    *("row_numbers", "missing_in", "column_formats", "sheet", "format", "value_labels"),
)


def _as_tuple(missing: Any) -> tuple[str, ...] | None:
    if missing is None or isinstance(missing, str):
        return None if missing is None else (missing,)
    words = tuple(missing) if isinstance(missing, Iterable) else (missing,)
    if not all(isinstance(word, str) for word in words):
        raise OptionError.invalid_value("missing", "the words that mean missing")
    return words


def _is_separator(text: str) -> bool:
    return len(text) == 1 and text.isascii() and text not in "\0\r\n" and not text.isalnum()


def _is_encoding(name: str) -> bool:
    try:
        codecs.lookup(name)
    except (LookupError, ValueError):
        return False
    return name.isprintable()  # codecs.lookup ignores unprintable characters


@dataclass(frozen=True, eq=False, repr=False)
class ColumnContent:
    """Typed content of one column."""

    kind: Kind
    type: str
    values: pl.Series
    """All cells; missing ones are null."""
    numbers: pl.Series | None = None
    """The cells as float64, null where missing or not a number; None if no cell is a number."""
    non_numeric: pl.Series | None = None
    """Mask of non-numeric cells in a column that also has numbers; None if there are none."""
    levels: tuple[str, ...] = ()
    """Levels of an ordinal column, lowest first, if its type defines them."""
    write_times: bool = False
    """Whether to write times of day even if all are midnight: other chunks of the column have times."""

    @property
    def text_values(self) -> pl.Series:
        """All cells as text, as leaves of a hierarchy name them; missing ones are null.

        Integers have no decimal point, even in float columns. Datetimes are written as dates if all are midnight.
        """
        values = self.values
        if values.dtype.is_float():
            return _numbers_as_text(nan_to_null(values.cast(pl.Float64)))
        if isinstance(values.dtype, pl.Datetime):
            return _times_as_text(values, timed=self.write_times)
        return values.cast(pl.String)


def _numbers_as_text(numbers: pl.Series) -> pl.Series:
    is_integer = ((numbers == numbers.floor()) & (numbers.abs() < _MAX_EXACT_INTEGER)).fill_null(False)
    integers = numbers.set(~is_integer, None).cast(pl.Int64).cast(pl.String)
    return integers.zip_with(is_integer, numbers.cast(pl.String))


def _times_as_text(times: pl.Series, *, timed: bool) -> pl.Series:
    has_zone = isinstance(times.dtype, pl.Datetime) and times.dtype.time_zone
    if not (timed or has_zone or has_times(times)):
        return times.dt.date().cast(pl.String)
    suffix = "%:z" if has_zone else ""
    seconds = times.dt.to_string(f"%Y-%m-%d %H:%M:%S{suffix}")
    fractions = times.dt.to_string(f"%Y-%m-%d %H:%M:%S%.6f{suffix}")
    return seconds.zip_with((times.dt.nanosecond() == 0).fill_null(True), fractions)


def has_times(times: pl.Series) -> bool:
    """Return whether any of these datetimes is not midnight."""
    known = times.drop_nulls()
    return bool((known != known.dt.truncate("1d")).any())


class TableCells(Protocol):
    """Interface of all storage backends. Backends are immutable."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def height(self) -> int: ...

    def native(self) -> Any:
        """Return the table in the type that the user passed."""

    def content(self, name: str) -> ColumnContent:
        """Return the typed content of a column."""

    def visible_values(self, name: str) -> pl.Series:
        """Return a column whose cells are equal if and only if a reader of the table sees no difference."""

    def replace_columns(self, names: Sequence[str], columns: NewColumns) -> TableCells:
        """Return only the kept columns, in this order, some of them with new values."""

    def exact_values(self, name: str) -> pl.Series:
        """Return a column whose cells are equal only if they are identical, independent of all other rows."""

    def take(self, rows: IntVector) -> TableCells:
        """Return these rows in this order, without any trace of their original order."""

    def frame(self) -> pl.DataFrame:
        """Return the table as a polars frame, for writing in any format."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table with one row per person."""

    kind: str
    cells: TableCells
    path: Path | None = None
    settings: Settings = field(default_factory=dict)
    sha256: str | None = None
    """SHA-256 of the file that was read; for a release, of the original file."""

    @property
    def names(self) -> tuple[str, ...]:
        return self.cells.names

    @property
    def height(self) -> int:
        return self.cells.height

    def native(self) -> Any:
        """Return the same kind of frame as the input; a polars frame for files."""
        return self.cells.native()

    def __repr__(self) -> str:
        return f"Table(kind={self.kind!r}, records={self.height}, columns={list(self.names)})"


def check_table(table: Table) -> Table:
    """Return the table; refuse one without columns, with duplicate names, or without records."""
    if not table.names:
        raise DataError.no_columns()
    duplicates = sorted(name for name, count in Counter(table.names).items() if count > 1)
    if duplicates:
        raise ColumnError.duplicate_names(duplicates)
    if table.height == 0:
        raise DataError.no_records()
    return table


def nan_to_null(numbers: pl.Series) -> pl.Series:
    """Replace NaN by null.

    Most columns have no NaN, and searching for one is much faster than ``fill_nan``, which plans a query.
    """
    is_nan = np.isnan(numbers.to_numpy())  # includes missing cells
    return numbers.fill_nan(None) if np.count_nonzero(is_nan) > numbers.null_count() else numbers


def without_negative_zero(numbers: pl.Series) -> pl.Series:
    """Replace -0.0 by 0.0; in polars, adding zero keeps the sign."""
    values = numbers.to_numpy()
    negative = pl.Series(np.signbit(values) & (values == 0))
    return numbers.set(negative, 0.0) if negative.any() else numbers


def affected_rows(mask: pl.Series) -> dict[str, int]:
    """Return the number of marked rows, the number of all rows, and the first marked row, from 1."""
    return {"rows": int(mask.sum()), "of": len(mask), "first": int(mask.arg_true()[0]) + 1}


def text_values(table: Table, name: str) -> pl.Series:
    """Return the cells of a column as text, as hierarchies name them; dates in ISO 8601; missing ones are null."""
    if name not in table.names:
        raise ColumnError.unknown(name, table.names)
    with translate_errors(lambda: DataError.unknown_objects(name)):
        return table.cells.content(name).text_values.alias("")


def text_list(table: Table, name: str, rows: list[int] | None = None) -> list[str | None]:
    """Return the cells of a column, or of some rows, as strings; None where missing."""
    cells = text_values(table, name)
    return (cells if rows is None else cells.gather(rows)).to_list()


def value_counts(table: Table, name: str) -> dict[str, int]:
    """Count the records of each value, sorted by value, numbers numerically. Missing values are excluded."""
    text = text_values(table, name).alias("word")
    with translate_errors(lambda: DataError.unknown_objects(name)):
        frame = pl.DataFrame([table.cells.content(name).values.alias("value"), text]).drop_nulls()
        counts = frame.group_by("word").agg(pl.col("value").min(), pl.len().alias("records")).sort("value", "word")
        return dict(counts.select("word", "records").iter_rows())


def content_hash(table: Table, names: Iterable[str]) -> str:
    """Return the SHA-256 of the cells of these columns and, for a file, of its hash and read settings."""
    digest = hashlib.sha256(repr((table.kind, table.height, table.sha256, sorted(table.settings.items()))).encode())
    for name in names:
        content = table.cells.content(name)
        digest.update(repr((name, str(content.kind), content.type, content.levels)).encode())
        digest.update(content.values.is_null().to_numpy().tobytes())
        digest.update(_cell_bytes(content.values.drop_nulls()))
    return digest.hexdigest()


def _cell_bytes(values: pl.Series) -> bytes:
    """Return the cells as bytes, independent of chunks and slices."""
    if values.dtype in (pl.String, pl.Categorical, pl.Enum):
        text = values.cast(pl.String)
        joined: str = text.str.join().item()
        return text.str.len_bytes().to_numpy().tobytes() + joined.encode()
    physical = values.to_physical()
    if physical.dtype.is_numeric() and not str(physical.dtype).endswith("128"):  # numpy has no 128-bit integers
        return physical.to_numpy().tobytes()
    return repr(values.to_list()).encode()

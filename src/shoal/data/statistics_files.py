"""Read and write SPSS, Stata and SAS files with their labels."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.data.file_formats import extension
from shoal.data.frames.polars_frames import PolarsCells, series_content, with_columns
from shoal.data.library_errors import translate_read_errors, translate_write_errors
from shoal.data.new_columns import first_rows, rows_to_copy
from shoal.data.round_trip import round_trips
from shoal.data.table import ColumnContent, NewColumn, NewColumns, ReadOptions, Table
from shoal.domain import DateColumn, IntegerColumn, RoundedColumn, TextColumn
from shoal.domain.columns import Kind
from shoal.errors import FileError, OutputError


@dataclass(frozen=True, repr=False)
class FileLabels:
    """Metadata of a statistics file: labels, formats and declared missing values."""

    family: str = ""
    """File format that defines the notation of formats and missing values."""
    file: str = ""
    table: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    missing_ranges: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    missing_letters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    widths: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_metadata(cls, family: str, meta: Any) -> FileLabels:
        return cls(
            family=family,
            file=meta.file_label or "",
            table=meta.table_name or "",
            variables=_without_none(meta.column_names_to_labels),
            values=meta.variable_value_labels,
            missing_ranges=meta.missing_ranges,
            missing_letters=meta.missing_user_values,
            formats=_without_none(meta.original_variable_types),
            measures=_without_none(meta.variable_measure),
            widths=_without_none(meta.variable_display_width),
        )

    def for_release(self, names: Sequence[str], columns: NewColumns) -> FileLabels:
        """Return the labels of the kept columns, without file label and table name.

        Means have no value labels, and one within a range of missing values would be lost. Therefore, columns with new
        numbers keep only the variable label, and the format only if they are integers, dates, or rounded to the
        decimals of the column.
        """
        unchanged = [name for name in names if name not in columns]
        keeps_format = [name for name in names if name in columns and _keeps_format(columns[name])]
        numbers = [name for name in names if not isinstance(columns.get(name), TextColumn)]
        return replace(
            self,
            file="",
            table="",
            variables=_only(self.variables, names),
            values=_only(self.values, unchanged),
            missing_ranges=_only(self.missing_ranges, unchanged),
            missing_letters=_only(self.missing_letters, unchanged),
            formats=_only(self.formats, [*unchanged, *keeps_format]),
            measures=_only(self.measures, numbers),
            widths=_only(self.widths, numbers),
        )


def _keeps_format(column: NewColumn) -> bool:
    if isinstance(column, RoundedColumn):
        return column.precision.max_decimals is not None
    return isinstance(column, IntegerColumn | DateColumn) or (
        isinstance(column, np.ndarray) and column.dtype.kind in "iu"
    )


def _without_none(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if value is not None}


def _only(metadata: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if name in names}


@dataclass(frozen=True, eq=False, repr=False)
class LabelledCells(PolarsCells):
    """Backend over a polars frame with labels; Stata's missing values .a to .z are letters among the numbers."""

    labels: FileLabels
    use_value_labels: bool = True
    """Whether to use value labels instead of codes where every value has a label."""

    def native(self) -> pl.DataFrame:
        return self.frame()

    def content(self, name: str) -> ColumnContent:
        """Return the content of a column; declared missing values are missing."""
        content = series_content(_numeric(self.table[name]))
        declared = self.labels.missing_ranges.get(name, ())
        values = content.values
        if values.dtype == pl.String:
            values = values.set(values == "", None)
        for item in declared:
            low, high = (item["lo"], item["hi"]) if isinstance(item, Mapping) else (item, item)
            if (content.kind is Kind.NUMERIC) == isinstance(low, int | float):
                values = values.set(values.is_between(low, high).fill_null(False), None)
        if (categories := self._categories(name, values)) is not None:
            return categories
        numbers = values.cast(pl.Float64) if content.kind is Kind.NUMERIC else None
        return ColumnContent(content.kind, content.type, values, numbers, content.non_numeric)

    def _categories(self, name: str, values: pl.Series) -> ColumnContent | None:
        """Return the labels of the values; None if a value has none, or two values share one."""
        labels = self.labels.values.get(name, {})
        named = {
            value: label for value, label in labels.items() if isinstance(value, str) == (values.dtype == pl.String)
        }
        present = values.drop_nulls().unique().to_list()
        if not self.use_value_labels or not present or not all(value in named for value in present):
            return None
        if len(set(named.values())) < len(named) or not all(named.values()):
            return None
        words = values.replace_strict(present, [named[value] for value in present], return_dtype=pl.String)
        if self.labels.measures.get(name) != "ordinal":
            return ColumnContent(Kind.NOMINAL, "labels", words)
        return ColumnContent(Kind.ORDINAL, "labels", words, levels=tuple(named[value] for value in sorted(present)))

    def _labels_to_codes(self, name: str, column: NewColumn) -> NewColumn:
        """Convert new labels to their codes, if the column has all of these labels."""
        content = self.content(name)
        if content.type != "labels" or not isinstance(column, TextColumn):
            return column
        codes = series_content(self.table[name]).text_values
        code_of = {label: codes[row] for label, row in first_rows(content.values).items()}
        used = set(column.codes[column.codes >= 0].tolist())
        if not all(column.words[place] in code_of for place in used):
            return column
        return replace(column, words=tuple(code_of.get(word, "") for word in column.words))

    def replace_columns(self, names: Sequence[str], columns: NewColumns) -> LabelledCells:
        columns = {name: self._labels_to_codes(name, column) for name, column in columns.items() if name in names}
        copied = {name for name, column in columns.items() if name in names and self._is_copied(name, column)}
        new = {name: column for name, column in columns.items() if name not in copied}
        table, labels = with_columns(self.table, names, columns), self.labels.for_release(names, new)
        # labels of values that no longer occur would disclose them
        used = {name: set(table[name].to_list()) for name in labels.values}
        values = {
            name: {value: label for value, label in named.items() if name not in used or value in used[name]}
            for name, named in labels.values.items()
        }
        return LabelledCells(table, replace(labels, values=values), self.use_value_labels)

    def _is_copied(self, name: str, column: NewColumn) -> bool:
        """Return whether every new value occurs in the original column, with its label."""
        return (
            isinstance(column, TextColumn)
            and rows_to_copy(first_rows(series_content(self.table[name]).text_values), column) is not None
        )

    def frame(self) -> pl.DataFrame:
        contents = {name: self.content(name) for name in self.names if name in self.labels.values}
        labels = {name: content.values for name, content in contents.items() if content.type == "labels"}
        return pl.DataFrame(
            {name: labels[name] if name in labels else _numeric(self.table[name]) for name in self.names}
        )

    def codes_frame(self) -> pl.DataFrame:
        """Return the table with codes instead of labels."""
        return pl.DataFrame({name: _numeric(self.table[name]) for name in self.names})


def _numeric(series: pl.Series) -> pl.Series:
    """Return mixed numbers and letters as numbers, with null for letters."""
    if series.dtype != pl.Object:
        return series
    numbers = [cell if isinstance(cell, int | float) else None for cell in series.to_list()]
    return pl.Series(series.name, numbers, dtype=pl.Float64)


def read_statistics(path: Path, kind: str, *, options: ReadOptions) -> LabelledCells:
    pyreadstat = _pyreadstat(path)
    reader, arguments = _reader(pyreadstat, kind, path)
    if options.encoding:
        arguments["encoding"] = options.encoding
    with translate_read_errors(path, kind):
        if kind == "spss" and not is_valid_dictionary(path):
            raise FileError.damaged(path, kind)
        frame, meta = reader(str(path), output_format="polars", **arguments)
        return LabelledCells(frame, FileLabels.from_metadata(kind, meta), options.value_labels)


def _reader(pyreadstat: Any, kind: str, path: Path) -> tuple[Callable[..., Any], dict[str, Any]]:
    if kind == "stata":
        return pyreadstat.read_dta, {"user_missing": True}
    if kind == "sas":
        return (pyreadstat.read_xport if extension(path) == ".xpt" else pyreadstat.read_sas7bdat), {}
    if extension(path) == ".por":
        return pyreadstat.read_por, {}
    return pyreadstat.read_sav, {"user_missing": True}


def write_statistics(table: Table, path: Path, kind: str) -> None:
    """Write with the labels that the format supports, then read back: the library does not report a full disk."""
    pyreadstat = _pyreadstat(path)
    labels = table.cells.labels if isinstance(table.cells, LabelledCells) else FileLabels()
    same = labels.family == kind
    with translate_write_errors(path):
        cells = table.cells
        original = (
            cells.frame() if not isinstance(cells, LabelledCells) else cells.table if same else cells.codes_frame()
        )
    if any(dtype.is_nested() or dtype in (pl.Binary, pl.Duration) for dtype in original.dtypes):
        raise OutputError.not_representable(path)
    frame = pl.DataFrame({name: _storable(original[name].alias("")) for name in original.columns})
    arguments: dict[str, Any] = {
        "file_label": labels.file,
        "column_labels": dict(labels.variables),
        "variable_format": dict(labels.formats) if same else {},
    }
    if kind == "stata":
        writer = pyreadstat.write_dta
        arguments["version"] = 14  # every Stata since version 14 reads it; the next file version needs Stata/MP
        arguments["variable_value_labels"] = _stata_labels(labels.values, frame)
        arguments["missing_user_values"] = dict(labels.missing_letters)
    elif kind == "sas":
        writer = pyreadstat.write_xport
        if labels.table and same:
            arguments["table_name"] = labels.table
    else:
        writer = pyreadstat.write_sav
        arguments["variable_value_labels"] = _spss_labels(labels.values, frame)
        arguments["compress"] = extension(path) == ".zsav"
        if same:
            arguments["missing_ranges"] = dict(labels.missing_ranges)
            arguments["variable_measure"] = dict(labels.measures)
            arguments["variable_display_width"] = dict(labels.widths)
    with translate_write_errors(path):
        writer(frame, str(path), **arguments)
        fix_timestamps(path, kind)
    try:
        read_back = read_statistics(path, kind, options=ReadOptions())
    except FileError:
        raise OutputError.unwritable(path, "it cannot be read back") from None
    if (read_back.height, read_back.names) != (frame.height, tuple(frame.columns)):
        raise OutputError.unwritable(path, "it cannot be read back")
    with translate_write_errors(path):
        if not round_trips(original, read_back.table, ignore_trailing_blanks=True):
            raise OutputError.not_representable(path)


def _storable(series: pl.Series) -> pl.Series:
    """Convert a column to a type of these formats: float, integer, text, date or time."""
    dtype = series.dtype
    if dtype in (pl.Categorical, pl.Enum):
        return series.cast(pl.String)
    if dtype in (pl.Null, pl.Boolean) or dtype.is_decimal() or dtype.is_unsigned_integer():
        return series.cast(pl.Float64)
    if isinstance(dtype, pl.Datetime) and dtype.time_zone:
        return series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return series


def _stata_labels(values: Mapping[str, Mapping[Any, str]], frame: pl.DataFrame) -> dict[str, dict[Any, str]]:
    """Return the labels for Stata, which labels integers, and letters for missing values in columns that have them."""
    supported: dict[str, dict[Any, str]] = {}
    for name, labels in values.items():
        numbers = {int(key): label for key, label in labels.items() if isinstance(key, int | float) and key == int(key)}
        letters = {key: label for key, label in labels.items() if isinstance(key, str)}
        supported[name] = numbers | (letters if frame.schema[name] == pl.Object else {})
    return {name: labels for name, labels in supported.items() if labels and frame.schema[name] != pl.String}


def _spss_labels(values: Mapping[str, Mapping[Any, str]], frame: pl.DataFrame) -> dict[str, dict[Any, str]]:
    """Return the labels for SPSS, which labels texts in text columns and numbers in numeric columns."""
    supported: dict[str, dict[Any, str]] = {}
    for name, labels in values.items():
        is_text = frame.schema[name] == pl.String
        supported[name] = {key: label for key, label in labels.items() if isinstance(key, str) == is_text}
    return {name: labels for name, labels in supported.items() if labels}


def _pyreadstat(path: Path) -> Any:
    try:
        import pyreadstat
    except ImportError:
        raise FileError.needs_extra(path, "stats") from None
    return pyreadstat


_HEADER = 4096

_SPSS_AT, _SPSS = 92, b"01 Jan 0000:00:00"
_STATA_MARK, _STATA = b"<timestamp>\x11", b"01 Jan 2000 00:00"
_SAS_AT, _SAS = (144, 160, 464, 480), b"01JAN00:00:00:00"
"""Offsets: twice for the library and twice for its table, in lines of 80 bytes."""


def fix_timestamps(path: Path, kind: str) -> None:
    """Overwrite the creation time in a file that was just written."""
    with path.open("r+b") as file:
        header = file.read(_HEADER)
        if kind == "spss":
            offsets, stamp = [_SPSS_AT], _SPSS
        elif kind == "stata":
            # only in the header: the same text in a label belongs to the user
            at = header.find(_STATA_MARK, 0, header.find(b"</header>"))
            offsets, stamp = ([at + len(_STATA_MARK)] if at >= 0 else []), _STATA
        else:
            offsets, stamp = list(_SAS_AT), _SAS
        for offset in offsets:
            file.seek(offset)
            file.write(stamp)


_MAGIC = (b"$FL2", b"$FL3")
_LAYOUT_AT, _LAYOUTS = 64, (2, 3)
_RECORDS_AT = 176
_VARIABLE, _LABELS, _LABELLED, _REMARKS, _MORE, _END = 2, 3, 4, 6, 7, 999
_WIDTHS = range(-1, 256)
"""Widths of a variable: 0 for a number, else of a text; -1 continues the previous text."""
_MISSING = (-3, -2, 0, 1, 2, 3)
"""Number of declared missing values; negative if they include a range."""
_LAST_OF_TEXT = 2
"""Largest format number of a text format."""
_MAX_BYTES = 64 << 20


def is_valid_dictionary(path: Path) -> bool:
    """Return whether the dictionary is valid; True for files that are not SPSS files."""
    with path.open("rb") as file:
        head = file.read(_MAX_BYTES)
    if head[:4] not in _MAGIC or len(head) < _RECORDS_AT:
        return True
    orders = [order for order in "<>" if struct.unpack_from(f"{order}i", head, _LAYOUT_AT)[0] in _LAYOUTS]
    try:
        return bool(orders) and _Records(head, orders[0]).are_sound()
    except struct.error:
        return len(head) == _MAX_BYTES  # truncated, unless it exceeds the bytes read


class _Records:
    """Sequential reader and validator of dictionary records."""

    def __init__(self, head: bytes, order: str) -> None:
        self._head, self._order, self._at, self._variables = head, order, _RECORDS_AT, 0

    def _numbers(self, count: int) -> tuple[int, ...]:
        numbers = struct.unpack_from(f"{self._order}{count}i", self._head, self._at)
        self._at += 4 * count
        return numbers

    def _skip(self, count: int) -> bool:
        self._at += count
        return count >= 0 and self._at <= len(self._head)

    def are_sound(self) -> bool:
        while True:
            (kind,) = self._numbers(1)
            if kind == _END:
                return True
            if not self._is_sound(kind):
                return False

    def _is_sound(self, kind: int) -> bool:
        if kind == _VARIABLE:
            return self._is_variable()
        if kind == _LABELS:
            return self._are_labels()
        (count,) = self._numbers(1)
        if kind == _LABELLED:
            return 0 <= count <= self._variables and all(1 <= n <= self._variables for n in self._numbers(count))
        if kind == _REMARKS:
            return self._skip(80 * count)
        if kind != _MORE:
            return False
        size, parts = self._numbers(2)
        return size >= 0 and self._skip(size * parts)

    def _is_variable(self) -> bool:
        width, labelled, missing, format_code, *_ = self._numbers(7)
        self._variables += 1
        if width not in _WIDTHS or labelled not in (0, 1) or missing not in _MISSING:
            return False
        if width > 0 and (format_code >> 16 & 255) > _LAST_OF_TEXT:
            return False
        has_name = not labelled or self._skip((self._numbers(1)[0] + 3) // 4 * 4)
        return has_name and self._skip(8 * abs(missing))

    def _are_labels(self) -> bool:
        (count,) = self._numbers(1)
        for _ in range(count):
            (length,) = struct.unpack_from("8xB", self._head, self._at)
            if not self._skip(8 + (1 + length + 7) // 8 * 8):
                return False
        return count >= 0

"""Files of SPSS, Stata and SAS, with the labels that their users live by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.errors import FileError, OutputError
from shoal.schema.columns import Kind
from shoal.tables.dictionary import is_sound
from shoal.tables.fidelity import gives_back
from shoal.tables.foreign import replaced_by, writing
from shoal.tables.formats import ending
from shoal.tables.frames import PolarsCells, series_content, with_columns
from shoal.tables.fresh import copied_rows
from shoal.tables.stamps import fix_stamps
from shoal.tables.table import Content, NewColumn, NewColumns, ReadOptions, Table
from shoal.values import Days, Rounded, Whole, Worded


@dataclass(frozen=True, repr=False)
class Labels:
    """What such a file says about its columns besides their values."""

    family: str = ""
    """The format that the notations of formats and missing values belong to."""
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
    def noted(cls, family: str, meta: Any) -> Labels:
        return cls(
            family=family,
            file=meta.file_label or "",
            table=meta.table_name or "",
            variables=_given(meta.column_names_to_labels),
            values=meta.variable_value_labels,
            missing_ranges=meta.missing_ranges,
            missing_letters=meta.missing_user_values,
            formats=_given(meta.original_variable_types),
            measures=_given(meta.variable_measure),
            widths=_given(meta.variable_display_width),
        )

    def released(self, kept: Sequence[str], columns: NewColumns) -> Labels:
        """The labels of the kept columns; not that of the file, nor its name for the table.

        A mean is none of the labelled values, and one that falls into a range of missing values would be
        lost: columns with new numbers keep the label of the variable, and the format only if they are whole,
        dates, or rounded to the decimals of the column.
        """
        untouched = [name for name in kept if name not in columns]
        whole = [name for name in kept if name in columns and _keeps_format(columns[name])]
        numbers = [name for name in kept if not isinstance(columns.get(name), Worded)]
        return replace(
            self,
            file="",
            table="",
            variables=_only(self.variables, kept),
            values=_only(self.values, untouched),
            missing_ranges=_only(self.missing_ranges, untouched),
            missing_letters=_only(self.missing_letters, untouched),
            formats=_only(self.formats, [*untouched, *whole]),
            measures=_only(self.measures, numbers),
            widths=_only(self.widths, numbers),
        )


def _keeps_format(column: NewColumn) -> bool:
    if isinstance(column, Rounded):
        return column.precision.most is not None
    return isinstance(column, Whole | Days) or (isinstance(column, np.ndarray) and column.dtype.kind in "iu")


def _given(notes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: note for name, note in notes.items() if note is not None}


def _only(notes: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: note for name, note in notes.items() if name in names}


@dataclass(frozen=True, eq=False, repr=False)
class LabelledCells(PolarsCells):
    """A polars frame with labels. Stata's missing values .a to .z stand as letters among the numbers."""

    labels: Labels
    labelled: bool = True
    """Whether a column of which every value has a label holds the labels."""

    def native(self) -> pl.DataFrame:
        return self.frame()

    def content(self, name: str) -> Content:
        """The values that the file's author declared missing are missing."""
        content = series_content(_plain(self.table[name]))
        declared = self.labels.missing_ranges.get(name, ())
        values = content.values
        if values.dtype == pl.String:
            values = values.set(values == "", None)
        for one in declared:
            low, high = (one["lo"], one["hi"]) if isinstance(one, Mapping) else (one, one)
            if (content.kind is Kind.NUMERIC) == isinstance(low, int | float):
                values = values.set(values.is_between(low, high).fill_null(False), None)
        if (categories := self._categories(name, values)) is not None:
            return categories
        numbers = values.cast(pl.Float64) if content.kind is Kind.NUMERIC else None
        return Content(content.kind, content.type, values, numbers, content.text)

    def _categories(self, name: str, values: pl.Series) -> Content | None:
        """The labels of the values; None where some value has none, or two values share one."""
        labels = self.labels.values.get(name, {})
        named = {
            value: label for value, label in labels.items() if isinstance(value, str) == (values.dtype == pl.String)
        }
        present = values.drop_nulls().unique().to_list()
        if not self.labelled or not present or not all(value in named for value in present):
            return None
        if len(set(named.values())) < len(named) or not all(named.values()):
            return None
        words = values.replace_strict(present, [named[value] for value in present], return_dtype=pl.String)
        if self.labels.measures.get(name) != "ordinal":
            return Content(Kind.NOMINAL, "labels", words)
        return Content(Kind.ORDINAL, "labels", words, levels=tuple(named[value] for value in sorted(present)))

    def _coded(self, name: str, column: NewColumn) -> NewColumn:
        """New labels as the codes that they stand for, where all of them are labels that the column has."""
        content = self.content(name)
        if content.type != "labels" or not isinstance(column, Worded):
            return column
        first = content.values.arg_unique()
        codes = series_content(self.table[name]).words
        pairs = zip(content.values.gather(first).to_list(), codes.gather(first).to_list(), strict=True)
        code_of = {label: code for label, code in pairs if label is not None}
        used = set(column.places[column.places >= 0].tolist())
        if not all(column.words[place] in code_of for place in used):
            return column
        return replace(column, words=tuple(code_of.get(word, "") for word in column.words))

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> LabelledCells:
        columns = {name: self._coded(name, column) for name, column in columns.items() if name in kept}
        copied = {name for name, column in columns.items() if name in kept and self._is_copied(name, column)}
        new = {name: column for name, column in columns.items() if name not in copied}
        table, labels = with_columns(self.table, kept, columns), self.labels.released(kept, new)
        # the label of a value that is gone would tell that it was there
        left = {name: set(table[name].to_list()) for name in labels.values}
        values = {
            name: {value: label for value, label in named.items() if name not in left or value in left[name]}
            for name, named in labels.values.items()
        }
        return LabelledCells(table, replace(labels, values=values), self.labelled)

    def _is_copied(self, name: str, column: NewColumn) -> bool:
        """Whether every new value is one that the column had, with its label."""
        return isinstance(column, Worded) and copied_rows(series_content(self.table[name]).words, column) is not None

    def frame(self) -> pl.DataFrame:
        contents = {name: self.content(name) for name in self.names if name in self.labels.values}
        labels = {name: content.values for name, content in contents.items() if content.type == "labels"}
        return pl.DataFrame({name: labels[name] if name in labels else _plain(self.table[name]) for name in self.names})

    def codes(self) -> pl.DataFrame:
        """The table with the codes that labels stand for."""
        return pl.DataFrame({name: _plain(self.table[name]) for name in self.names})


def _plain(series: pl.Series) -> pl.Series:
    """Numbers among letters as numbers, with null for the letters."""
    if series.dtype != pl.Object:
        return series
    numbers = [cell if isinstance(cell, int | float) else None for cell in series.to_list()]
    return pl.Series(series.name, numbers, dtype=pl.Float64)


def read_statistics(path: Path, kind: str, *, options: ReadOptions) -> LabelledCells:
    pyreadstat = _pyreadstat(path)
    reader, more = _reader(pyreadstat, kind, path)
    if options.encoding:
        more["encoding"] = options.encoding
    with replaced_by(lambda: FileError.damaged(path, kind), system=lambda why: FileError.unreadable(path, why)):
        if kind == "spss" and not is_sound(path):
            raise FileError.damaged(path, kind)
        frame, meta = reader(str(path), output_format="polars", **more)
        return LabelledCells(frame, Labels.noted(kind, meta), options.value_labels)


def _reader(pyreadstat: Any, kind: str, path: Path) -> tuple[Callable[..., Any], dict[str, Any]]:
    if kind == "stata":
        return pyreadstat.read_dta, {"user_missing": True}
    if kind == "sas":
        return (pyreadstat.read_xport if ending(path) == ".xpt" else pyreadstat.read_sas7bdat), {}
    if ending(path) == ".por":
        return pyreadstat.read_por, {}
    return pyreadstat.read_sav, {"user_missing": True}


def write_statistics(table: Table, path: Path, kind: str) -> None:
    """Write with the labels that the format can hold, then read back: a full disk goes unnoticed otherwise."""
    pyreadstat = _pyreadstat(path)
    labels = table.cells.labels if isinstance(table.cells, LabelledCells) else Labels()
    own = labels.family == kind
    with writing(path):
        cells = table.cells
        original = cells.frame() if not isinstance(cells, LabelledCells) else cells.table if own else cells.codes()
    if any(dtype.is_nested() or dtype in (pl.Binary, pl.Duration) for dtype in original.dtypes):
        raise OutputError.does_not_fit(path)
    frame = pl.DataFrame({name: _storable(original[name].alias("")) for name in original.columns})
    more: dict[str, Any] = {
        "file_label": labels.file,
        "column_labels": dict(labels.variables),
        "variable_format": dict(labels.formats) if own else {},
    }
    if kind == "stata":
        writer = pyreadstat.write_dta
        more["version"] = 14  # every Stata since then reads it; the next one only the largest edition
        more["variable_value_labels"] = _for_stata(labels.values, frame)
        more["missing_user_values"] = dict(labels.missing_letters)
    elif kind == "sas":
        writer = pyreadstat.write_xport
        if labels.table and own:
            more["table_name"] = labels.table
    else:
        writer = pyreadstat.write_sav
        more["variable_value_labels"] = _for_spss(labels.values, frame)
        more["compress"] = ending(path) == ".zsav"
        if own:
            more["missing_ranges"] = dict(labels.missing_ranges)
            more["variable_measure"] = dict(labels.measures)
            more["variable_display_width"] = dict(labels.widths)
    with writing(path):
        writer(frame, str(path), **more)
        fix_stamps(path, kind)
    try:
        again = read_statistics(path, kind, options=ReadOptions())
    except FileError:
        raise OutputError.unwritable(path, "it cannot be read back") from None
    if (again.height, again.names) != (frame.height, tuple(frame.columns)):
        raise OutputError.unwritable(path, "it cannot be read back")
    with writing(path):
        if not gives_back(original, again.table, blanks_end=True):
            raise OutputError.does_not_fit(path)


def _storable(series: pl.Series) -> pl.Series:
    """These formats know floats, whole numbers, text, dates and times."""
    dtype = series.dtype
    if dtype in (pl.Categorical, pl.Enum):
        return series.cast(pl.String)
    if dtype in (pl.Null, pl.Boolean) or dtype.is_decimal() or dtype.is_unsigned_integer():
        return series.cast(pl.Float64)
    if isinstance(dtype, pl.Datetime) and dtype.time_zone:
        return series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return series


def _for_stata(values: Mapping[str, Mapping[Any, str]], frame: pl.DataFrame) -> dict[str, dict[Any, str]]:
    """Stata labels whole numbers, and the letters of missing values where a column has them."""
    kept: dict[str, dict[Any, str]] = {}
    for name, labels in values.items():
        numbers = {int(key): label for key, label in labels.items() if isinstance(key, int | float) and key == int(key)}
        letters = {key: label for key, label in labels.items() if isinstance(key, str)}
        kept[name] = numbers | (letters if frame.schema[name] == pl.Object else {})
    return {name: labels for name, labels in kept.items() if labels and frame.schema[name] != pl.String}


def _for_spss(values: Mapping[str, Mapping[Any, str]], frame: pl.DataFrame) -> dict[str, dict[Any, str]]:
    """SPSS labels text in columns of text and numbers in columns of numbers."""
    kept: dict[str, dict[Any, str]] = {}
    for name, labels in values.items():
        text = frame.schema[name] == pl.String
        kept[name] = {key: label for key, label in labels.items() if isinstance(key, str) == text}
    return {name: labels for name, labels in kept.items() if labels}


def _pyreadstat(path: Path) -> Any:
    try:
        import pyreadstat
    except ImportError:
        raise FileError.needs_extra(path, "stats") from None
    return pyreadstat

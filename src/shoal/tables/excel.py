"""Workbooks: one sheet of them, with the names of the columns in its first row."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
from polars import selectors

from shoal.errors import ColumnError, FileError, OutputError
from shoal.schema.columns import Kind
from shoal.tables.foreign import replaced_by, writing
from shoal.tables.formats import ending
from shoal.tables.frames import series_content, series_seen, with_columns
from shoal.tables.table import Content, NewColumns, ReadOptions
from shoal.tables.text import understood

_MOST_RECORDS = 1_048_575
_MOST_CHARACTERS = 32_767
_MADE = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""The time of making that workbooks are given, so that the same release has the same bytes."""


@dataclass(frozen=True, eq=False)
class SheetCells:
    """A sheet. A column with text among its numbers comes as text, so numbers are looked for in it."""

    table: pl.DataFrame
    missing: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.table.columns)

    @property
    def height(self) -> int:
        return self.table.height

    def native(self) -> pl.DataFrame:
        return self.table

    def content(self, name: str) -> Content:
        series = self.table[name]
        content = series_content(series)
        if series.dtype != pl.String:
            return content
        inside = understood(series.fill_null(""), decimal=".", missing=self.missing)
        mixed = inside.kind is Kind.NOMINAL and inside.text is not None
        return Content(content.kind, content.type, content.values, *((inside.numbers, inside.text) if mixed else ()))

    def seen(self, name: str) -> pl.Series:
        return series_seen(self.table[name])

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> SheetCells:
        return SheetCells(with_columns(self.table, kept, columns), self.missing)

    def frame(self) -> pl.DataFrame:
        return self.table


def read_excel(path: Path, *, options: ReadOptions) -> tuple[SheetCells, str]:
    """The cells of a sheet, and its name."""
    try:
        import fastexcel
    except ImportError:
        raise FileError.needs_extra(path, "stats") from None
    with replaced_by(lambda: FileError.damaged(path, "workbook"), system=lambda why: FileError.unreadable(path, why)):
        book = fastexcel.read_excel(str(path))
        sheets = list(book.sheet_names)
        sheet = options.sheet
        if sheet is None:
            if len(sheets) != 1:
                raise FileError.several_sheets(path, len(sheets))
            sheet = sheets[0]
        elif sheet not in sheets:
            raise FileError.no_sheet(path, sheet, len(sheets))
        if options.header:
            _check_header(book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars(), path)
        # The type of a column is that of all its cells: a text far down must not become a missing number.
        loaded = book.load_sheet(sheet, header_row=0 if options.header else None, schema_sample_rows=None)
        frame = loaded.to_polars()
        if not options.header:
            frame.columns = [f"column_{position}" for position in range(1, frame.width + 1)]
        frame = frame.with_columns(_days(series) for series in frame.select(selectors.datetime()))
        # Rows without any cell hold nobody.
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    if frame.height == 0:
        raise FileError.header_only(path)
    return SheetCells(frame, options.missing_words), sheet


def _days(series: pl.Series) -> pl.Series:
    """A workbook knows only points in time; where all of them are midnight, days were meant."""
    return series.dt.date() if (series == series.dt.truncate("1d")).all() else series


def _check_header(first: pl.DataFrame, path: Path) -> None:
    """The names as the sheet has them: the reader would number those that stand twice or are empty."""
    if first.height == 0:
        raise FileError.empty(path)
    names = [None if name is None else str(name) for name in first.row(0)]
    for position, name in enumerate(names, start=1):
        if name is None or not name.strip():
            raise ColumnError.empty_name(position)
    twice = sorted(str(name) for name, times in Counter(names).items() if times > 1)
    if twice:
        raise ColumnError.duplicate_names(twice)


def write_excel(frame: pl.DataFrame, path: Path, *, sheet: str, header: bool) -> None:
    """One sheet; text that looks like a formula or an address stays text."""
    if ending(path) != ".xlsx":
        raise OutputError.cannot_write(path, ending(path))
    if frame.height > _MOST_RECORDS:
        raise OutputError.too_long(path, _MOST_RECORDS)
    if not _fits(frame):
        raise OutputError.does_not_fit(path)
    try:
        import xlsxwriter
    except ImportError:
        raise FileError.needs_extra(path, "stats") from None
    safe: dict[str, Any] = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with writing(path):
        buffer = io.BytesIO()
        book = xlsxwriter.Workbook(buffer, {**safe, "nan_inf_to_errors": True, "in_memory": True})
        book.set_properties({"created": _MADE})
        frame.fill_nan(None).write_excel(book, sheet, autofilter=False, include_header=header)
        book.close()
        path.write_bytes(buffer.getbuffer())


def _fits(frame: pl.DataFrame) -> bool:
    """Whether a sheet can hold the table; the writer would leave out names or cells without a word."""
    names = {name.lower() for name in frame.columns}
    long = any((text.str.len_chars() > _MOST_CHARACTERS).any() for text in frame.select(selectors.string()))
    infinite = any(numbers.is_infinite().any() for numbers in frame.select(selectors.float()))
    return len(names) == frame.width and not long and not infinite

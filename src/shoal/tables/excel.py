"""Workbooks: one sheet of them, with the names of the columns in its first row."""

from __future__ import annotations

import io
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import ColumnError, FileError, OutputError
from shoal.schema.columns import Kind
from shoal.tables.fidelity import gives_back
from shoal.tables.foreign import replaced_by, writing
from shoal.tables.frames import PolarsCells, series_content, with_columns
from shoal.tables.table import Content, NewColumns, ReadOptions
from shoal.tables.text import Reading, understood

_MOST_RECORDS = 1_048_575
_MOST_CHARACTERS = 32_767
_MADE = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""The time of making that workbooks are given, so that the same release has the same bytes."""
_LOOKS = {pl.Date: "yyyy-mm-dd", pl.Datetime: "yyyy-mm-dd hh:mm:ss", pl.Time: "hh:mm:ss"}


@dataclass(frozen=True, eq=False, repr=False)
class SheetCells(PolarsCells):
    """A sheet. A column with text among its numbers comes as text, so numbers are looked for in it.

    The reader makes it so, and then the number 1 and the text 1 are the same.
    """

    missing: tuple[str, ...]

    def content(self, name: str) -> Content:
        series = self.table[name]
        content = series_content(series)
        if series.dtype != pl.String:
            return content
        inside = understood(series.alias("").fill_null(""), Reading(missing=self.missing))
        mixed = inside.kind is Kind.NOMINAL and inside.text is not None
        return Content(content.kind, content.type, content.values, *((inside.numbers, inside.text) if mixed else ()))

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> SheetCells:
        return SheetCells(with_columns(self.table, kept, columns), self.missing)


def read_excel(path: Path, *, options: ReadOptions) -> tuple[SheetCells, str]:
    """The cells of a sheet, and its name."""
    try:
        import fastexcel
    except ImportError:
        raise FileError.needs_extra(path, "stats") from None
    _keep_quiet("fastexcel")
    with replaced_by(lambda: FileError.damaged(path, "workbook"), system=lambda why: FileError.unreadable(path, why)):
        book = fastexcel.read_excel(str(path))
        sheets = list(book.sheet_names)
        sheet = options.sheet
        if sheet is None:
            if len(sheets) != 1:
                raise FileError.several_sheets(path, sheets)
            sheet = sheets[0]
        elif sheet not in sheets:
            alike = [name for name in sheets if name.casefold() == sheet.strip().casefold()]
            if len(alike) != 1:
                raise FileError.no_sheet(path, sheet, sheets)
            sheet = alike[0]
        if options.header:
            _check_header(book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars(), path)
        # The type of a column is that of all its cells: a text far down must not become a missing number.
        loaded = book.load_sheet(sheet, header_row=0 if options.header else None, schema_sample_rows=None)
        frame = loaded.to_polars()
        if frame.width == 0:
            raise FileError.empty(path)
        if not options.header:
            frame.columns = [f"column_{position}" for position in range(1, frame.width + 1)]
        frame = pl.DataFrame({series.name: _days(series.alias("")) for series in frame})
        # Rows without any cell hold nobody.
        frame = frame.filter(reduce(or_, (series.alias("").is_not_null() for series in frame)))
    if frame.height == 0:
        raise FileError.header_only(path)
    return SheetCells(frame, options.missing_words), sheet


def sheets(path: Path) -> list[str]:
    """The names of the sheets of a workbook."""
    try:
        import fastexcel
    except ImportError:
        raise FileError.needs_extra(path, "stats") from None
    _keep_quiet("fastexcel")
    with replaced_by(lambda: FileError.damaged(path, "workbook"), system=lambda why: FileError.unreadable(path, why)):
        return list(fastexcel.read_excel(str(path)).sheet_names)


def _keep_quiet(name: str) -> None:
    """What the library logs is for those who set up logging; to others Python would print it."""
    logger = logging.getLogger(name)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def _days(series: pl.Series) -> pl.Series:
    """A workbook knows only points in time; where all of them are midnight, days were meant."""
    if not isinstance(series.dtype, pl.Datetime):
        return series
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
    """One sheet, read back: a format that knows floats and points in time only cannot hold every table."""
    if frame.height > _MOST_RECORDS:
        raise OutputError.too_long(path, _MOST_RECORDS)
    try:
        import xlsxwriter
    except ImportError:
        raise FileError.needs_extra(path, "stats") from None
    with writing(path):
        if not _fits(frame):
            raise OutputError.does_not_fit(path)
        buffer = io.BytesIO()
        book = xlsxwriter.Workbook(buffer, {"in_memory": True})
        book.set_properties({"created": _MADE})
        page = book.add_worksheet(sheet)
        if header:
            for position, name in enumerate(frame.columns):
                page.write_string(0, position, name)
        formats = {kind: book.add_format({"num_format": look}) for kind, look in _LOOKS.items()}
        for position, name in enumerate(frame.columns):
            _write_column(page, position, frame[name].alias(""), first=int(header), formats=formats)
        book.close()
        path.write_bytes(buffer.getbuffer())
    _check_written(frame, path, options=ReadOptions(sheet=sheet, header=header))


class _Exact(float):
    """A float that is written with all its digits; the writer asks for 16, and some floats need 17."""

    def __format__(self, _: str) -> str:
        return repr(float(self)).upper()


def _write_column(page: Any, position: int, series: pl.Series, *, first: int, formats: Mapping[Any, Any]) -> None:
    """Text stays text, also where it looks like a number, a formula or an address."""
    dtype = series.dtype
    if dtype in (pl.Categorical, pl.Enum, pl.String):
        cells, put = series.cast(pl.String).to_list(), page.write_string
    elif dtype == pl.Boolean:
        cells, put = series.to_list(), page.write_boolean
    elif dtype.is_numeric():
        floats = series.cast(pl.Float64).fill_nan(None).to_list()
        cells, put = [None if cell is None else _Exact(cell) for cell in floats], page.write_number
    elif dtype.is_temporal():
        cells, put = series.to_list(), page.write_datetime
    else:
        cells, put = [], page.write_blank
    look = (formats[dtype.base_type()],) if dtype.base_type() in formats else ()
    for row, cell in enumerate(cells, start=first):
        if cell is not None and cell != "":
            put(row, position, cell, *look)


def _fits(frame: pl.DataFrame) -> bool:
    """Whether a sheet can hold the table; the writer would leave out names or cells without a word."""
    columns = [series.alias("") for series in frame]
    unknown = any(one.dtype.is_nested() or one.dtype in (pl.Binary, pl.Duration) for one in columns)
    zoned = any(isinstance(one.dtype, pl.Datetime) and one.dtype.time_zone for one in columns)
    long = any((one.str.len_chars() > _MOST_CHARACTERS).any() for one in columns if one.dtype == pl.String)
    infinite = any(one.is_infinite().any() for one in columns if one.dtype.is_float())
    names = {name.lower() for name in frame.columns}
    return len(names) == frame.width and not (unknown or zoned or long or infinite)


def _check_written(frame: pl.DataFrame, path: Path, *, options: ReadOptions) -> None:
    try:
        again, _ = read_excel(path, options=options)
    except (ColumnError, FileError):
        raise OutputError.does_not_fit(path) from None
    with writing(path):
        if not options.header:
            again.table.columns = frame.columns
        if not gives_back(frame, again.table):
            raise OutputError.does_not_fit(path)

"""Workbooks: one sheet of them, with the names of the columns above the records."""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import ColumnError, FileError, OutputError
from shoal.schema.columns import Kind
from shoal.tables.column_format import PLAIN, column_format
from shoal.tables.dates import dated_words
from shoal.tables.delimited import format_settings, with_formats
from shoal.tables.detection import MOST_ABOVE, Names, resolve_names
from shoal.tables.dialect import Dialect
from shoal.tables.fidelity import gives_back
from shoal.tables.footer import LAST, check_footer
from shoal.tables.foreign import replaced_by, writing
from shoal.tables.frames import PolarsCells, series_content, with_columns
from shoal.tables.header import check_header, check_no_record
from shoal.tables.table import Content, NewColumn, NewColumns, ReadOptions
from shoal.tables.text import Reading, understood, written
from shoal.values import Days, Worded

_MOST_RECORDS = 1_048_575
_MOST_CHARACTERS = 32_767
_HEAD = 200
"""Rows in which the header is looked for."""
_MADE = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""The time of making that workbooks are given, so that the same release has the same bytes."""
_LOOKS = {pl.Date: "yyyy-mm-dd", pl.Datetime: "yyyy-mm-dd hh:mm:ss", pl.Time: "hh:mm:ss"}


@dataclass(frozen=True, eq=False, repr=False)
class SheetCells(PolarsCells):
    """A sheet. Its cells have types, and its columns of text are understood as those of a delimited file.

    A column with text among its numbers comes as text: the reader makes it so, and then the number 1 and the text 1 are
    the same.
    """

    dialect: Dialect
    typed: bool
    """Whether a column of text is text, whatever it looks like."""

    def content(self, name: str) -> Content:
        series, reading = self.table[name], self.dialect.reading(name)
        content = series_content(series)
        if series.dtype != pl.String:
            return _without(content, self.dialect.missing_in.get(name, ()))
        inside = understood(series.alias("").fill_null(""), reading)
        if inside.kind is not Kind.NOMINAL and not self.typed:
            return inside
        mixed = inside.kind is Kind.NOMINAL and inside.text is not None
        values = content.values if self.typed else reading.present(content.values)
        return Content(Kind.NOMINAL, content.type, values, *((inside.numbers, inside.text) if mixed else ()))

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> SheetCells:
        new = {name: self._new(name, column) for name, column in columns.items() if name in kept}
        return replace(self, table=with_columns(self.table, kept, new))

    def _new(self, name: str, column: NewColumn) -> NewColumn:
        """New numbers and dates of a column of text are text too, in its format."""
        content = self.content(name)
        if self.table.schema[name] != pl.String or content.kind is Kind.NOMINAL:
            return column
        form = column_format(self.dialect.reading(name).format)
        if isinstance(column, Days):
            column = dated_words(column, content)
        elif not isinstance(column, Worded):
            column = written(column)
        return column if form is None else replace(column, words=tuple(map(form.written, column.words)))


def _without(content: Content, words: Sequence[str]) -> Content:
    """The column without the values that mean missing in it."""
    gone = content.words.is_in(list(words)) if words else pl.Series([], dtype=pl.Boolean)
    if not gone.any():
        return content
    numbers = None if content.numbers is None else content.numbers.set(gone, None)
    return replace(content, values=content.values.set(gone, None), numbers=numbers)


def read_excel(path: Path, *, options: ReadOptions) -> tuple[SheetCells, dict[str, Any]]:
    """The cells of a sheet, and the settings by which it was read."""
    try:
        import fastexcel
    except ImportError:
        raise FileError.needs_extra(path, "stats") from None
    _keep_quiet("fastexcel")
    with replaced_by(lambda: FileError.damaged(path, "workbook"), system=lambda why: FileError.unreadable(path, why)):
        book = fastexcel.read_excel(str(path))
        sheet = _sheet(list(book.sheet_names), options.sheet, path)
        top = book.load_sheet(sheet, header_row=None, skip_rows=0, n_rows=_HEAD, dtypes="string").to_polars()
        if top.width == 0 or top.height == 0:
            raise FileError.empty(path)
        above = options.skip
        if above is None:
            above = _above(top) if options.header else 0
        # The type of a column is that of all its cells: a text far down must not become a missing number.
        if options.header:
            loaded = book.load_sheet(sheet, header_row=above, schema_sample_rows=None)
        else:
            loaded = book.load_sheet(sheet, header_row=None, skip_rows=above or None, schema_sample_rows=None)
        frame = loaded.to_polars()
        frame.columns = [str(position) for position in range(frame.width)]
        frame = pl.DataFrame({series.name: _days(series.alias("")) for series in frame})
        frame = _without_footer(frame, options.skip_footer, path)
    if frame.width == 0:
        raise FileError.empty(path)
    written_names = _names(top, above, frame.width) if options.header else None
    names = _resolved(written_names, frame, options, path)
    frame = pl.DataFrame({name: frame[str(at)] for at, name in enumerate(names.fields) if at not in names.left_out})
    # Rows without any cell hold nobody.
    frame = frame.filter(reduce(or_, (series.alias("").is_not_null() for series in frame)))
    if frame.height == 0:
        raise FileError.header_only(path)
    dialect, settings = _dialect(frame, options)
    cells = SheetCells(frame, dialect, typed=options.typed)
    if written_names is not None and not options.header_known:
        kept = {name: at for at, name in enumerate(names.fields) if at not in names.left_out}
        check_no_record({name: (written_names[at], at) for name, at in kept.items()}, cells.content, path)
    if above:
        settings["skip"] = above
    if options.skip_footer:
        settings["skip_footer"] = options.skip_footer
    if names.numbered:
        settings["row_numbers"] = True
    return cells, {"sheet": sheet, "header": options.header, **settings}


def _sheet(sheets: Sequence[str], asked: str | None, path: Path) -> str:
    if asked is None:
        if len(sheets) != 1:
            raise FileError.several_sheets(path, sheets)
        return sheets[0]
    if asked in sheets:
        return asked
    alike = [name for name in sheets if name.casefold() == asked.strip().casefold()]
    if len(alike) != 1:
        raise FileError.no_sheet(path, asked, sheets)
    return alike[0]


def _above(top: pl.DataFrame) -> int:
    """How many rows stand above the header: titles, notes and blank rows."""
    given = [[cell is not None and bool(cell.strip()) for cell in row] for row in top.iter_rows()]
    columns = [at for at in range(top.width) if any(row[at] for row in given)]
    filled = [sum(row) for row in given]
    needed = min(len(columns), max(2, len(columns) - 1 if len(columns) < 5 else round(0.8 * len(columns))))

    def is_header(at: int) -> bool:
        only_first_lacks = filled[at] == len(columns) - 1 and not given[at][columns[0]]
        return filled[at] >= needed or only_first_lacks

    first = next((at for at, cells in enumerate(filled) if cells), 0)
    return next((at for at in range(first, min(len(filled), first + MOST_ABOVE)) if is_header(at)), first)


def _names(top: pl.DataFrame, above: int, width: int) -> list[str]:
    """The names as the sheet has them: the reader would number those that stand twice or are empty."""
    row = top.row(above) if above < top.height else ()
    return ["" if at >= len(row) or row[at] is None else str(row[at]) for at in range(width)]


def _resolved(written_names: Sequence[str] | None, frame: pl.DataFrame, options: ReadOptions, path: Path) -> Names:
    if written_names is None:
        return Names(tuple(f"column_{position}" for position in range(1, frame.width + 1)), (), numbered=False)
    columns = {
        at: frame[str(at)].cast(pl.String).fill_null("").str.strip_suffix(".0")
        for at, name in enumerate(written_names)
        if not name.strip()
    }
    names = resolve_names(written_names, columns, numbered=options.row_numbers)
    check_header(names.fields, records=frame.height, options=options, path=path)
    return names


def _without_footer(frame: pl.DataFrame, skip: int | None, path: Path) -> pl.DataFrame:
    """The rows without those of the footer; where nobody has named their number, a footer is refused."""
    filled = reduce(or_, (series.alias("").is_not_null() for series in frame)) if frame.width else pl.Series([False])
    last = int(filled.arg_true().max() or 0) + 1 if filled.any() else 0  # type: ignore[arg-type]
    if skip is not None:
        return frame.head(max(0, last - skip)) if skip else frame
    rows = frame.slice(max(0, last - LAST), min(LAST, last)).rows()
    check_footer([[str(cell).strip() for cell in row if cell is not None] for row in rows], frame.width, path)
    return frame


def _dialect(frame: pl.DataFrame, options: ReadOptions) -> tuple[Dialect, dict[str, Any]]:
    """How the text of a sheet is understood, and the settings that say so; none where it is taken as it is."""
    plain = Dialect("", "", "", False, options.missing_words, options.blank_words)
    if options.typed:
        return plain, {}
    texts = [(series.name, series.fill_null("")) for series in frame if series.dtype == pl.String]
    dialect = with_formats(plain, texts, frame.columns, options, commas=False)
    # a default would speak of columns of numbers too, which are none of text
    number = {name: dialect.number for name, cells in texts if _is_numeric(cells, dialect.reading(name))}
    found = number if dialect.number != PLAIN else {}
    dialect = replace(dialect, number=PLAIN, formats={**found, **dialect.formats})
    return dialect, format_settings(dialect, options)


def _is_numeric(cells: pl.Series, reading: Reading) -> bool:
    return understood(cells, reading).kind is Kind.NUMERIC


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
    plain = ReadOptions(
        sheet=sheet, header=header, header_known=True, skip=0, skip_footer=0, row_numbers=False, typed=True
    )
    _check_written(frame, path, options=plain)


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

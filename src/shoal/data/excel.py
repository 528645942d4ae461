"""Read and write one sheet of a workbook."""

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

from shoal.data.csv.column_format import STANDARD_NUMBER, parse_column_format
from shoal.data.csv.detection import MAX_PREAMBLE, FieldNames, resolve_names
from shoal.data.csv.dialect import Dialect
from shoal.data.csv.footer import TAIL_LINES, check_footer
from shoal.data.csv.read_delimited import check_names, check_not_a_record, detect_column_formats, format_settings
from shoal.data.csv.text_values import infer_content, numbers_to_text
from shoal.data.encode.dates import to_date_text
from shoal.data.frames.polars_frames import PolarsCells, series_content, with_columns
from shoal.data.library_errors import translate_read_errors, translate_write_errors
from shoal.data.round_trip import round_trips
from shoal.data.table import ColumnContent, NewColumn, NewColumns, ReadOptions
from shoal.domain import DateColumn, TextColumn
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, FileError, OutputError

_MAX_RECORDS = 1_048_575
_MAX_CHARACTERS = 32_767
_HEADER_ROWS = 200
_CREATED = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""Fixed creation time of workbooks, so that equal releases have equal bytes."""
_NUMBER_FORMATS = {pl.Date: "yyyy-mm-dd", pl.Datetime: "yyyy-mm-dd hh:mm:ss", pl.Time: "hh:mm:ss"}


@dataclass(frozen=True, eq=False, repr=False)
class SheetCells(PolarsCells):
    """Backend over a sheet; text columns are parsed like those of a delimited file.

    The reader converts a column with text among numbers to text: the number 1 and the text 1 become equal.
    """

    dialect: Dialect
    typed: bool
    """Whether text columns are not parsed."""

    def content(self, name: str) -> ColumnContent:
        series, parser = self.table[name], self.dialect.parser(name)
        content = series_content(series)
        if series.dtype != pl.String:
            return _mask_missing(content, self.dialect.missing_in.get(name, ()))
        parsed = infer_content(series.alias("").fill_null(""), parser)
        if parsed.kind is not Kind.NOMINAL and not self.typed:
            return parsed
        mixed = parsed.kind is Kind.NOMINAL and parsed.non_numeric is not None
        values = content.values if self.typed else parser.mask_missing(content.values)
        return ColumnContent(
            Kind.NOMINAL, content.type, values, *((parsed.numbers, parsed.non_numeric) if mixed else ())
        )

    def replace_columns(self, names: Sequence[str], columns: NewColumns) -> SheetCells:
        new = {name: self._new_column(name, column) for name, column in columns.items() if name in names}
        return replace(self, table=with_columns(self.table, names, new))

    def _new_column(self, name: str, column: NewColumn) -> NewColumn:
        """Convert new numbers and dates of a text column to text, in its format."""
        content = self.content(name)
        if self.table.schema[name] != pl.String or content.kind is Kind.NOMINAL:
            return column
        form = parse_column_format(self.dialect.parser(name).format)
        if isinstance(column, DateColumn):
            column = to_date_text(column, content)
        elif not isinstance(column, TextColumn):
            column = numbers_to_text(column)
        return column if form is None else replace(column, words=tuple(map(form.from_standard, column.words)))


def _mask_missing(content: ColumnContent, words: Sequence[str]) -> ColumnContent:
    missing = content.text_values.is_in(list(words)) if words else pl.Series([], dtype=pl.Boolean)
    if not missing.any():
        return content
    numbers = None if content.numbers is None else content.numbers.set(missing, None)
    return replace(content, values=content.values.set(missing, None), numbers=numbers)


def read_excel(path: Path, *, options: ReadOptions) -> tuple[SheetCells, dict[str, Any]]:
    """Return the cells of a sheet and the settings that read it."""
    with translate_read_errors(path, "workbook"):
        book = _open_workbook(path)
        sheet = _find_sheet(list(book.sheet_names), options.sheet, path)
        top = book.load_sheet(sheet, header_row=None, skip_rows=0, n_rows=_HEADER_ROWS, dtypes="string").to_polars()
        if top.width == 0 or top.height == 0:
            raise FileError.empty(path)
        above = options.skip
        if above is None:
            above = _count_preamble(top) if options.header else 0
        # infer types from all cells: text in a late row must not become a missing number
        if options.header:
            loaded = book.load_sheet(sheet, header_row=above, schema_sample_rows=None)
        else:
            loaded = book.load_sheet(sheet, header_row=None, skip_rows=above or None, schema_sample_rows=None)
        frame = loaded.to_polars()
        frame.columns = [str(position) for position in range(frame.width)]
        frame = pl.DataFrame({series.name: _as_dates(series.alias("")) for series in frame})
        frame = _without_footer(frame, options.skip_footer, path)
    if frame.width == 0:
        raise FileError.empty(path)
    written_names = _names(top, above, frame.width) if options.header else None
    names = _resolve_names(written_names, frame, options, path)
    frame = pl.DataFrame({name: frame[str(at)] for name, at in names.positions.items()})
    # drop rows without any cell
    frame = frame.filter(reduce(or_, (series.alias("").is_not_null() for series in frame)))
    if frame.height == 0:
        raise FileError.header_only(path)
    dialect, settings = _dialect(frame, options)
    cells = SheetCells(frame, dialect, typed=options.typed)
    if written_names is not None and not options.header_known:
        kept = {name: (written_names[at], at) for name, at in names.positions.items()}
        check_not_a_record(kept, cells.content, path)
    if above:
        settings["skip"] = above
    if options.skip_footer:
        settings["skip_footer"] = options.skip_footer
    if names.has_row_numbers:
        settings["row_numbers"] = True
    return cells, {"sheet": sheet, "header": options.header, **settings}


def _find_sheet(sheets: Sequence[str], requested: str | None, path: Path) -> str:
    if requested is None:
        if len(sheets) != 1:
            raise FileError.several_sheets(path, sheets)
        return sheets[0]
    if requested in sheets:
        return requested
    matches = [name for name in sheets if name.casefold() == requested.strip().casefold()]
    if len(matches) != 1:
        raise FileError.unknown_sheet(path, requested, sheets)
    return matches[0]


def _count_preamble(top: pl.DataFrame) -> int:
    """Count the rows above the header: titles, notes and blank rows."""
    non_empty = [[cell is not None and bool(cell.strip()) for cell in row] for row in top.iter_rows()]
    columns = [at for at in range(top.width) if any(row[at] for row in non_empty)]
    filled = [sum(row) for row in non_empty]
    needed = min(len(columns), max(2, len(columns) - 1 if len(columns) < 5 else round(0.8 * len(columns))))

    def is_header(at: int) -> bool:
        lacks_only_first = filled[at] == len(columns) - 1 and not non_empty[at][columns[0]]
        return filled[at] >= needed or lacks_only_first

    first = next((at for at, cells in enumerate(filled) if cells), 0)
    return next((at for at in range(first, min(len(filled), first + MAX_PREAMBLE)) if is_header(at)), first)


def _names(top: pl.DataFrame, above: int, width: int) -> list[str]:
    """Return the names as in the sheet: the reader would rename duplicate and empty ones."""
    row = top.row(above) if above < top.height else ()
    return ["" if at >= len(row) or row[at] is None else str(row[at]) for at in range(width)]


def _resolve_names(
    written_names: Sequence[str] | None, frame: pl.DataFrame, options: ReadOptions, path: Path
) -> FieldNames:
    if written_names is None:
        return FieldNames(
            tuple(f"column_{position}" for position in range(1, frame.width + 1)), (), has_row_numbers=False
        )
    columns = {
        at: frame[str(at)].cast(pl.String).fill_null("").str.strip_suffix(".0")
        for at, name in enumerate(written_names)
        if not name.strip()
    }
    names = resolve_names(written_names, columns, row_numbers=options.row_numbers)
    check_names(names.fields, records=frame.height, options=options, path=path)
    return names


def _without_footer(frame: pl.DataFrame, skip: int | None, path: Path) -> pl.DataFrame:
    """Drop the footer; raise an error if there is one of unspecified length."""
    filled = reduce(or_, (series.alias("").is_not_null() for series in frame)) if frame.width else pl.Series([False])
    last = int(filled.arg_true().max() or 0) + 1 if filled.any() else 0  # type: ignore[arg-type]
    if skip is not None:
        return frame.head(max(0, last - skip)) if skip else frame
    rows = frame.slice(max(0, last - TAIL_LINES), min(TAIL_LINES, last)).rows()
    check_footer([[str(cell).strip() for cell in row if cell is not None] for row in rows], frame.width, path)
    return frame


def _dialect(frame: pl.DataFrame, options: ReadOptions) -> tuple[Dialect, dict[str, Any]]:
    """Return the dialect of the text columns and its settings; no settings if text is not parsed."""
    undetected = Dialect("", "", "", False, options.missing_values, options.missing_texts)
    if options.typed:
        return undetected, {}
    texts = [(series.name, series.fill_null("")) for series in frame if series.dtype == pl.String]
    dialect = detect_column_formats(undetected, texts, frame.columns, options, commas=False)
    # a default number format would also apply to typed number columns
    number = {
        name: dialect.number for name, cells in texts if infer_content(cells, dialect.parser(name)).kind is Kind.NUMERIC
    }
    number_formats = number if dialect.number != STANDARD_NUMBER else {}
    dialect = replace(dialect, number=STANDARD_NUMBER, formats={**number_formats, **dialect.formats})
    return dialect, format_settings(dialect, options)


def list_sheets(path: Path) -> list[str]:
    """Return the names of the sheets of a workbook."""
    with translate_read_errors(path, "workbook"):
        return list(_open_workbook(path).sheet_names)


def _open_workbook(path: Path) -> Any:
    try:
        import fastexcel
    except ImportError:
        raise FileError.needs_extra(path, "stats") from None
    logger = logging.getLogger("fastexcel")
    if not logger.handlers:  # its messages go to stderr only if logging is configured
        logger.addHandler(logging.NullHandler())
    return fastexcel.read_excel(str(path))


def _as_dates(series: pl.Series) -> pl.Series:
    """Convert datetimes to dates if all are midnight: workbooks have no date type."""
    if not isinstance(series.dtype, pl.Datetime):
        return series
    return series.dt.date() if (series == series.dt.truncate("1d")).all() else series


def write_excel(frame: pl.DataFrame, path: Path, *, sheet: str, header: bool) -> None:
    """Write one sheet and read it back: the format cannot represent every table."""
    if frame.height > _MAX_RECORDS:
        raise OutputError.too_many_records(path, _MAX_RECORDS)
    try:
        import xlsxwriter
    except ImportError:
        raise FileError.needs_extra(path, "stats") from None
    with translate_write_errors(path):
        if not _fits(frame):
            raise OutputError.not_representable(path)
        buffer = io.BytesIO()
        book = xlsxwriter.Workbook(buffer, {"in_memory": True})
        book.set_properties({"created": _CREATED})
        page = book.add_worksheet(sheet)
        if header:
            for position, name in enumerate(frame.columns):
                page.write_string(0, position, name)
        formats = {kind: book.add_format({"num_format": pattern}) for kind, pattern in _NUMBER_FORMATS.items()}
        for position, name in enumerate(frame.columns):
            _write_column(page, position, frame[name].alias(""), first=int(header), formats=formats)
        book.close()
        path.write_bytes(buffer.getbuffer())
    options = ReadOptions(
        sheet=sheet, header=header, header_known=True, skip=0, skip_footer=0, row_numbers=False, typed=True
    )
    _check_written(frame, path, options=options)


class _FullPrecisionFloat(float):
    """A float that formats with all its digits: the writer uses 16, and some floats need 17."""

    def __format__(self, _: str) -> str:
        return repr(float(self)).upper()


def _write_column(page: Any, position: int, series: pl.Series, *, first: int, formats: Mapping[Any, Any]) -> None:
    """Write a column; text stays text, even if it looks like a number, formula or URL."""
    dtype = series.dtype
    if dtype in (pl.Categorical, pl.Enum, pl.String):
        cells, write_cell = series.cast(pl.String).to_list(), page.write_string
    elif dtype == pl.Boolean:
        cells, write_cell = series.to_list(), page.write_boolean
    elif dtype.is_numeric():
        floats = series.cast(pl.Float64).fill_nan(None).to_list()
        cells, write_cell = [None if cell is None else _FullPrecisionFloat(cell) for cell in floats], page.write_number
    elif dtype.is_temporal():
        cells, write_cell = series.to_list(), page.write_datetime
    else:
        cells, write_cell = [], page.write_blank
    style = (formats[dtype.base_type()],) if dtype.base_type() in formats else ()
    for row, cell in enumerate(cells, start=first):
        if cell is not None and cell != "":
            write_cell(row, position, cell, *style)


def _fits(frame: pl.DataFrame) -> bool:
    """Return whether a sheet can hold the table; the writer silently drops what it cannot hold."""
    columns = [series.alias("") for series in frame]
    unsupported = any(column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Duration) for column in columns)
    has_zone = any(isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone for column in columns)
    long = any((column.str.len_chars() > _MAX_CHARACTERS).any() for column in columns if column.dtype == pl.String)
    infinite = any(column.is_infinite().any() for column in columns if column.dtype.is_float())
    names = {name.lower() for name in frame.columns}
    return len(names) == frame.width and not (unsupported or has_zone or long or infinite)


def _check_written(frame: pl.DataFrame, path: Path, *, options: ReadOptions) -> None:
    try:
        read_back, _ = read_excel(path, options=options)
    except (ColumnError, FileError):
        raise OutputError.not_representable(path) from None
    with translate_write_errors(path):
        if not options.header:
            read_back.table.columns = frame.columns
        if not round_trips(frame, read_back.table):
            raise OutputError.not_representable(path)

"""Read a delimited text: its structure, its header, and the formats of its columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from shoal.data.csv.column_format import NumberFormat, parse_column_format
from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.csv.detection import (
    HEAD_BYTES,
    HEAD_LINES,
    HEAD_RECORDS,
    FieldNames,
    TextStructure,
    detect_formats,
    detect_quote,
    detect_structure,
    is_value,
    resolve_names,
)
from shoal.data.csv.dialect import Dialect, decode
from shoal.data.csv.footer import footer_start
from shoal.data.csv.scan import Layout, record_ends, scan
from shoal.data.csv.text_values import infer_content, is_number
from shoal.data.table import ColumnContent, ReadOptions
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, FileError

_LONGEST_NAME = 200


def read_delimited(
    raw: bytes, *, options: ReadOptions, tabs: bool, path: object, truncated: bool = False
) -> tuple[DelimitedCells, dict[str, Any]]:
    """Return the cells of a file and the settings that read it.

    With ``truncated``, the bytes are only the beginning of a file and an incomplete last record is dropped.
    """
    encoding, bom, data = decode(raw, options.encoding, path=path)
    if truncated:
        ends = record_ends(data, quote=options.quote or "")
        data = data[: int(ends[-1])] if len(ends) else data
    structure = detect_text_structure(data, options=options, tabs=tabs)
    quote = structure.quote
    text = data[structure.offset :] if structure.offset else data
    end = footer_start(
        text, options.skip_footer, delimiter=structure.delimiter, quote=quote, path=path, header=options.header
    )
    text = complete_header(text[:end] if end < len(text) else text, structure)
    layout = scan(text, delimiter=structure.delimiter, quote=quote, path=path, header=options.header)
    dialect = Dialect(structure.delimiter, quote, encoding, bom, options.missing_values, options.missing_texts)
    head = HeaderAndFormats(layout, structure, dialect, options, path, records=layout.records - int(options.header))
    cells = head.cells(layout)
    for at in head.names.empty:
        check_unnamed_is_empty(layout.column(at, int(options.header), layout.records), at, path)
    return cells, head.settings(layout.newline)


def detect_text_structure(data: bytes, *, options: ReadOptions, tabs: bool) -> TextStructure:
    """Detect the structure of a text from its first lines."""
    quote = options.quote or ""
    if options.detect:
        quote = detect_quote(data[:HEAD_BYTES].splitlines()[:HEAD_LINES], quote)
    return detect_structure(
        first_lines(data, quote=quote),
        quote=quote,
        delimiter=options.delimiter or ("\t" if tabs else None),
        decimal=options.decimal,
        skip=options.skip,
        header=options.header,
    )


def first_lines(data: bytes, *, quote: str) -> list[bytes]:
    """Return the first lines of a text, each with its newline."""
    head = data[:HEAD_BYTES]
    cuts = [0, *record_ends(head, quote=quote)[:HEAD_LINES].tolist()]
    lines = [head[begin:end] for begin, end in pairwise(cuts)]
    return [*lines, head[cuts[-1] :]] if cuts[-1] < len(head) and len(lines) < HEAD_LINES else lines


def complete_header(text: bytes, structure: TextStructure) -> bytes:
    """Complete a header that has one name fewer than the records have fields."""
    if not structure.missing_name:
        return text
    mark = structure.delimiter.encode()
    if structure.missing_name == "first":
        return mark + text
    line = text[: int(record_ends(text[:HEAD_BYTES], quote=structure.quote)[0])].rstrip(b"\r\n")
    return line + mark + text[len(line) :]


class HeaderAndFormats:
    """Column names and formats, detected from the first records of a text.

    The layout may cover all records or only the first ones; the result is the same.
    """

    def __init__(
        self,
        layout: Layout,
        structure: TextStructure,
        dialect: Dialect,
        options: ReadOptions,
        path: object,
        *,
        records: int,
    ) -> None:
        """``records`` is the number of records below the header; 1 if not known yet."""
        self._layout, self._structure, self._options = layout, structure, options
        self._first = int(options.header)
        whole = int(np.searchsorted(layout.record_starts, HEAD_BYTES, side="right")) - 1
        self._last = max(self._first, min(whole, self._first + HEAD_RECORDS))
        self._written = header_names(layout, header=options.header)
        self.names = self._names(path, records)
        positions = self.names.positions
        columns = ((name, self._column(at)) for name, at in positions.items())
        self.dialect = detect_column_formats(
            dialect, columns, list(positions), options, commas=dialect.delimiter == ","
        )
        if options.header and not options.header_known:
            written_names = {name: (self._written[at], at) for name, at in positions.items()}
            check_not_a_record(
                written_names,
                lambda name: infer_content(self._column(positions[name]), self.dialect.parser(name)),
                path,
            )

    def _column(self, at: int) -> pl.Series:
        return self._layout.column(at, self._first, self._last)

    def _names(self, path: object, records: int) -> FieldNames:
        """Return the names of all fields; raise an error if the header is invalid."""
        options = self._options
        if not options.header:
            return FieldNames(self._written, (), has_row_numbers=False)
        if not options.header_known:
            check_no_record_in_name(self._written, delimiter=self._structure.delimiter, path=path)
        unnamed = {at: self._column(at) for at, name in enumerate(self._written) if not name.strip()}
        names = resolve_names(self._written, unnamed, row_numbers=options.row_numbers)
        check_names(names.fields, records=records, options=options, path=path)
        return names

    def cells(self, layout: Layout) -> DelimitedCells:
        """Return the cells of a layout whose first record is the header, if there is one."""
        header, fields = self._options.header, self.names.fields
        titles = {new: new for new, name in zip(fields, self._written, strict=True) if header and new != name}
        return DelimitedCells(layout, self.dialect, header, self.names.positions, fields, titles)

    def settings(self, newline: str) -> dict[str, Any]:
        """Return the settings that read the file in the same way again."""
        dialect, options = self.dialect, self._options
        formats = format_settings(dialect, options)
        settings: dict[str, Any] = {
            "delimiter": dialect.delimiter,
            "quote": dialect.quote,
            "encoding": dialect.encoding,
            "decimal": formats["decimal"],
            "header": options.header,
            "newline": newline,
            "bom": dialect.bom,
        }
        if self._structure.skip:
            settings["skip"] = self._structure.skip
        if options.skip_footer:
            settings["skip_footer"] = options.skip_footer
        if self.names.has_row_numbers:
            settings["row_numbers"] = True
        return settings | formats


def detect_column_formats(
    dialect: Dialect,
    columns: Iterable[tuple[str, pl.Series]],
    names: Sequence[str],
    options: ReadOptions,
    *,
    commas: bool,
) -> Dialect:
    """Return the dialect with formats detected from the first cells of text columns; ``names`` are all columns."""
    for name in (*options.column_formats, *options.missing_in):
        if options.detect and name not in names:
            raise ColumnError.unknown(name, names)
    number = str(NumberFormat(options.decimal or ".", options.thousands or ""))
    plain = replace(dialect, missing_in=options.missing_by_column, formats=dict(options.column_formats), number=number)
    if not options.detect:
        return plain
    number, formats, doubtful = detect_formats(
        columns,
        missing={name: plain.parser(name).missing for name in names},
        explicit=options.column_formats,
        decimal=options.decimal,
        thousands=options.thousands,
        comma_separated=commas,
    )
    return replace(plain, number=number, formats=formats, doubtful=doubtful)


def format_settings(dialect: Dialect, options: ReadOptions) -> dict[str, Any]:
    """Return the settings for numbers, dates and missing values."""
    number = parse_column_format(dialect.number)
    settings: dict[str, Any] = {"decimal": number.decimal if isinstance(number, NumberFormat) else "."}
    if isinstance(number, NumberFormat) and number.thousands:
        settings["thousands"] = number.thousands
    if options.missing is not None:
        settings["missing"] = "\n".join(options.missing)
    if dialect.missing_in:
        settings["missing_in"] = {name: list(words) for name, words in dialect.missing_in.items()}
    if dialect.formats:
        settings["column_formats"] = dict(dialect.formats)
    return settings


def header_names(layout: Layout, *, header: bool) -> tuple[str, ...]:
    if not header:
        return tuple(f"column_{position}" for position in range(1, layout.fields + 1))
    return tuple(str(layout.column(at, 0, 1).item()) for at in range(layout.fields))


def check_not_a_record(
    names: Mapping[str, tuple[str, int]], content_of: Callable[[str], ColumnContent], path: object
) -> None:
    """Raise an error if the header contains a value and is probably the first record.

    ``names`` maps each column to its name in the header and its position.
    """
    if list(names) == [str(at) for at in range(len(names))]:
        return  # the header of an array, whose columns have no names
    for name, (header_name, at) in names.items():
        if is_value(header_name):
            content = content_of(name)
            is_year_column = content.kind is Kind.NUMERIC and is_year(header_name)
            if is_year_column:
                numbers = content.values.drop_nulls().cast(pl.String)
                is_year_column = not numbers.str.contains("^(?:19|20)[0-9]{2}$").all()
            if content.kind in (Kind.NUMERIC, Kind.DATE) and not is_year_column:
                raise FileError.header_looks_like_record(path, at + 1)


def is_year(name: str) -> bool:
    """Return whether a name is a year, as in statistical tables."""
    return re.fullmatch("(?:19|20)[0-9]{2}", name) is not None


def check_unnamed_is_empty(cells: pl.Series, at: int, path: object, *, records_above: int = 0) -> None:
    """Raise an error if a field without a name, which is dropped, has values."""
    filled = cells.str.strip_chars() != ""
    if filled.any():
        row = int(filled.arg_true()[0]) + 1 + records_above
        raise FileError.values_in_unnamed_column(path, position=at + 1, row=row)


def check_no_record_in_name(names: Sequence[str], *, delimiter: str, path: object) -> None:
    """Raise an error for a name that contains the start of a record.

    A quote that opens in the header and closes in a record leaves the number of fields right, but the name then
    has a line break and a delimiter. A line break alone is common in long names from spreadsheets.
    """
    for position, name in enumerate(names, start=1):
        broken = "\n" in name or "\r" in name
        if len(name) > _LONGEST_NAME or (broken and (delimiter in name or len(names) == 1)):
            raise FileError.suspicious_header(path, position=position)


def check_names(names: Sequence[str], *, records: int, options: ReadOptions, path: object) -> None:
    positions = [str(position) for position in range(len(names))]
    # 0,1,2 is the header of an array, whose columns have no names
    accepted = options.header_known or list(names) == positions
    if not accepted and all(is_number(name.replace(",", ".")) for name in names):
        raise FileError.header_looks_numeric(path)
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise ColumnError.empty_name(position)
    duplicates = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if duplicates:
        raise ColumnError.duplicate_names(duplicates)
    if records == 0:
        raise FileError.header_only(path)

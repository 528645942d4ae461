"""Delimited text files as tables; unchanged fields keep their bytes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.csv.column_format import NumberFormat, parse_column_format
from shoal.data.csv.detection import (
    HEAD_BYTES,
    HEAD_LINES,
    HEAD_RECORDS,
    FieldNames,
    TextStructure,
    detect_formats,
    detect_quote,
    detect_structure,
    resolve_names,
)
from shoal.data.csv.dialect import Dialect, decode
from shoal.data.csv.footer import footer_start
from shoal.data.csv.header import (
    check_names,
    check_no_record_in_name,
    check_not_a_record,
    check_unnamed_is_empty,
    header_names,
)
from shoal.data.csv.packed_columns import DictionaryColumn
from shoal.data.csv.scan import Layout, record_ends, scan
from shoal.data.csv.text_values import FieldParser, infer_content, numbers_to_text
from shoal.data.encode.dates import to_date_text
from shoal.data.new_columns import copy_spelling, to_number_series
from shoal.data.table import ColumnContent, NewColumns, ReadOptions, affected_rows
from shoal.domain import DateColumn, IntegerColumn, IntVector, RoundedColumn, TextColumn
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, OutputError
from shoal.system.threads import parallel_map

ColumnSource = int | NDArray[Any] | RoundedColumn | IntegerColumn | TextColumn
"""Source of a column: a position in the layout, or new values."""


class ParsedColumn(NamedTuple):
    """Parsed content of a column; if it is dictionary-encoded, of its distinct texts."""

    content: ColumnContent
    packed: DictionaryColumn | None = None


@dataclass(frozen=True, eq=False, repr=False)
class OutputColumn:
    """A new column, ready to write: distinct texts and the index of each record's text."""

    texts: pl.Series
    codes: IntVector

    def slice_texts(self, rows: slice) -> pl.Series:
        """Return the texts of these records."""
        return self.texts.gather(self.codes[rows])


@dataclass(frozen=True, eq=False, repr=False)
class DelimitedCells:
    """Backend over the fields of a delimited text, some columns replaced by new values."""

    layout: Layout
    dialect: Dialect
    header: bool
    sources: Mapping[str, ColumnSource]
    fields: tuple[str, ...] = ()
    """Names of all fields of the text, including dropped ones."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Names to write in the header where they differ from the column names."""
    _known: dict[str, ParsedColumn] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.sources)

    @property
    def height(self) -> int:
        return self.layout.records - self.header

    def text(self, name: str) -> pl.Series:
        """Return the unquoted text of a column; a new missing cell is an empty field."""
        source, known = self.sources[name], self._known.get(name)
        if known is not None and known.packed is not None:
            return known.packed.text
        if isinstance(source, int):
            return self.layout.column(source, int(self.header), self.layout.records)
        return DictionaryColumn.from_text_column(self._new_text(name, source)).text

    def _new_text(self, name: str, source: NDArray[Any] | RoundedColumn | IntegerColumn | TextColumn) -> TextColumn:
        """Return new values as text in the format of the column."""
        return source if isinstance(source, TextColumn) else self._formatted(name, numbers_to_text(source))

    def _formatted(self, name: str, column: TextColumn) -> TextColumn:
        """Convert text from the standard form to the format of the column."""
        form = parse_column_format(self.dialect.parser(name).format)
        return column if form is None else replace(column, words=tuple(map(form.from_standard, column.words)))

    def visible_values(self, name: str) -> pl.Series:
        """Return the fields as text, as dictionary indices, or as new numbers; 1.0 and 1.00 differ."""
        source = self.sources[name]
        if not isinstance(source, int | TextColumn):
            return to_number_series(source)
        packed = self._parsed_column(name).packed
        return self.text(name) if packed is None else packed.codes

    def content(self, name: str) -> ColumnContent:
        known = self._parsed_column(name)
        return known.content if known.packed is None else known.packed.expand(known.content)

    def distinct_texts(self, name: str) -> tuple[pl.Series, FieldParser]:
        """Return the distinct fields of a column, and their parser."""
        packed = self._parsed_column(name).packed
        return self.text(name) if packed is None else packed.distinct, self.dialect.parser(name)

    def _parsed_column(self, name: str) -> ParsedColumn:
        if name not in self._known:
            self._known[name] = self._parse(name)
        return self._known[name]

    def _parse(self, name: str) -> ParsedColumn:
        source = self.sources[name]
        if not isinstance(source, int | TextColumn):
            values = to_number_series(source)
            type_name = "integer" if values.dtype.is_integer() else "number"
            return ParsedColumn(ColumnContent(Kind.NUMERIC, type_name, values, values.cast(pl.Float64)))
        parse = partial(infer_content, parser=self.dialect.parser(name))
        if isinstance(source, TextColumn):
            packed: DictionaryColumn | None = DictionaryColumn.from_text_column(source)
        else:
            text = self.text(name)
            packed = DictionaryColumn.encode(text)
        return ParsedColumn(parse(text)) if packed is None else ParsedColumn(parse(packed.distinct), packed)

    def locate_text(self, name: str) -> dict[str, int] | None:
        """Locate non-numeric cells in a column of numbers; None if there are none."""
        text = self.content(name).non_numeric
        return None if text is None else affected_rows(text)

    def native(self) -> pl.DataFrame:
        return self.frame()

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({name: self.content(name).values for name in self.names})

    def text_frame(self) -> pl.DataFrame:
        """Return every field as text, for writing with another delimiter."""
        return pl.DataFrame({self.titles.get(name, name): self.text(name) for name in self.names})

    def exact_values(self, name: str) -> pl.Series:
        """Return the fields as written, with quotes."""
        source = self.sources[name]
        if isinstance(source, int):
            return self.layout.column(source, int(self.header), self.layout.records, raw=True)
        return self._output(name, self._new_text(name, source)).slice_texts(slice(None))

    def take(self, rows: IntVector) -> Self:
        first = int(self.header)
        layout = self.layout.take(np.concatenate([np.arange(first), rows + first]))
        sources = {name: _take(source, rows) for name, source in self.sources.items()}
        return replace(self, layout=layout, sources=sources, _known={})

    def replace_columns(self, names: Sequence[str], columns: NewColumns) -> DelimitedCells:
        new_sources = parallel_map(lambda name: self._source(name, columns), names, records=self.height)
        sources = dict(zip(names, new_sources, strict=True))
        known = {name: known for name, known in self._known.items() if name in names and name not in columns}
        return replace(self, sources=sources, _known=known)

    def _source(self, name: str, columns: NewColumns) -> ColumnSource:
        new = columns.get(name, self.sources[name])
        if isinstance(new, DateColumn):
            return self._formatted(name, to_date_text(new, self.content(name)))
        if isinstance(new, TextColumn) and new.numeric:
            return replace(self._formatted(name, new), numeric=False)
        if isinstance(new, TextColumn) and isinstance(self.sources[name], int):
            copied = copy_spelling(self.text(name), self.content(name).text_values, new)
            return self._formatted(name, copied) if self.content(name).kind is Kind.DATE else copied
        return new

    def splice(self) -> Iterator[bytes]:
        """Return the file with new values in place; all other fields keep their bytes."""
        # encode all columns first, so that an error leaves no partial file
        new = ((name, source) for name, source in self.sources.items() if not isinstance(source, int))
        return self._spliced({name: self._output(name, self._new_text(name, source)) for name, source in new})

    def _spliced(self, new: Mapping[str, OutputColumn]) -> Iterator[bytes]:
        if self.dialect.bom:
            yield self.dialect.bom_bytes
        first = int(self.header)
        positions = {name: at for at, name in enumerate(self.fields)}
        if self.header:
            yield self.header_line()

        def lines(block: tuple[int, int]) -> bytes:
            rows = slice(block[0] - first, block[1] - first)
            return self._lines(
                *block,
                [new[name].slice_texts(rows) if name in new else positions[name] for name in self.names],
            )

        yield from parallel_map(lines, self.layout.blocks(first))

    def header_line(self) -> bytes:
        """Return the header line."""
        positions = {name: at for at, name in enumerate(self.fields)}
        return self._lines(0, 1, [self._title(name, positions[name]) for name in self.names])

    def _title(self, name: str, position: int) -> int | pl.Series:
        """Return the header field of a column: its position, or its new name."""
        if name not in self.titles:
            return position
        return self._output(name, TextColumn((self.titles[name],), np.zeros(1, dtype=np.int64))).slice_texts(
            slice(None)
        )

    def _lines(self, begin: int, end: int, fields: Sequence[int | pl.Series]) -> bytes:
        """Join the fields of some records; adjacent unchanged fields are copied as one span."""
        layout, spans = self.layout, list[pl.Series]()
        for run in _runs([*fields, layout.fields]):
            if isinstance(run, pl.Series):
                spans.append(run)
            elif run[0] == layout.fields:  # the newline after a field that was not the last
                spans[-1] = spans[-1] + layout.span(*run, begin, end)
            else:
                spans.append(layout.span(*run, begin, end))
        lines = io.BytesIO()
        pl.DataFrame({str(at): span for at, span in enumerate(spans)}).write_csv(
            lines, separator=self.dialect.delimiter, line_terminator="", quote_style="never", include_header=False
        )
        if self.dialect.encoding == "utf-8":
            return lines.getvalue()
        return lines.getvalue().decode().encode(self.dialect.encoding)

    def _output(self, name: str, column: TextColumn) -> OutputColumn:
        """Prepare a new column for writing.

        Quote texts with a delimiter, quote or line break, and the empty field if it is the whole record: readers
        ignore blank lines at the end of a file.
        """
        text, indices = pl.Series(["", *column.words], dtype=pl.String), column.codes + 1
        delimiter, quote = self.dialect.delimiter, self.dialect.quote
        needs_quotes = text.str.contains(delimiter, literal=True) | text.str.contains(r"[\r\n]")
        if len(self.names) == 1:
            needs_quotes |= text == ""
        if quote:
            needs_quotes |= text.str.contains(quote, literal=True)
        needs_quotes &= pl.Series(np.bincount(indices, minlength=len(text)) > 0)
        if not needs_quotes.any():
            return OutputColumn(text, indices)
        if not quote:
            raise OutputError.quoting_disabled(name)
        doubled = text.str.replace_all(quote, quote + quote, literal=True)
        return OutputColumn((quote + doubled + quote).zip_with(needs_quotes, text), indices)


def _take(source: ColumnSource, rows: IntVector) -> ColumnSource:
    """Return these rows of a column if its values are new."""
    if isinstance(source, TextColumn):
        return replace(source, codes=source.codes[rows])
    if isinstance(source, RoundedColumn | IntegerColumn):
        return replace(source, numbers=source.numbers[rows])
    return source if isinstance(source, int) else source[rows]


def _runs(fields: Sequence[int | pl.Series]) -> Iterator[tuple[int, int] | pl.Series]:
    """Yield new fields one by one, and runs of adjacent unchanged fields as (first, last)."""
    run: tuple[int, int] | None = None
    for item in fields:
        if run is not None and isinstance(item, int) and item == run[1] + 1:
            run = (run[0], item)
            continue
        if run is not None:
            yield run
        run = (item, item) if isinstance(item, int) else None
        if not isinstance(item, int):
            yield item
    if run is not None:
        yield run


def read_delimited(
    raw: bytes, *, options: ReadOptions, tabs: bool, path: object, truncated: bool = False
) -> tuple[DelimitedCells, dict[str, Any]]:
    """Return the cells of a file and the settings that read it.

    With ``part``, the bytes are only the beginning of a file and an incomplete last record is dropped.
    """
    encoding, bom, data = decode(raw, options.encoding, path=path)
    if truncated:
        ends = record_ends(np.frombuffer(data, dtype=np.uint8), quote=options.quote or "")
        data = data[: int(ends[-1])] if len(ends) else data
    found = detect_text_structure(data, options=options, tabs=tabs)
    quote = found.quote
    text = data[found.offset :] if found.offset else data
    end = footer_start(
        text, options.skip_footer, delimiter=found.delimiter, quote=quote, path=path, header=options.header
    )
    text = complete_header(text[:end] if end < len(text) else text, found)
    layout = scan(
        np.frombuffer(text, dtype=np.uint8),
        delimiter=found.delimiter,
        quote=quote,
        path=path,
        header=options.header,
    )
    dialect = Dialect(found.delimiter, quote, encoding, bom, options.missing_values, options.missing_texts)
    head = HeaderAndFormats(layout, found, dialect, options, path, records=layout.records - int(options.header))
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
    cuts = [0, *record_ends(np.frombuffer(head, dtype=np.uint8), quote=quote)[:HEAD_LINES].tolist()]
    lines = [head[begin:end] for begin, end in pairwise(cuts)]
    return [*lines, head[cuts[-1] :]] if cuts[-1] < len(head) and len(lines) < HEAD_LINES else lines


def complete_header(text: bytes, text_structure: TextStructure) -> bytes:
    """Complete a header that has one name fewer than the records have fields."""
    if not text_structure.missing_name:
        return text
    mark = text_structure.delimiter.encode()
    if text_structure.missing_name == "first":
        return mark + text
    line = text[
        : int(record_ends(np.frombuffer(text[:HEAD_BYTES], dtype=np.uint8), quote=text_structure.quote)[0])
    ].rstrip(b"\r\n")
    return line + mark + text[len(line) :]


class HeaderAndFormats:
    """Column names and formats, detected from the first records of a text.

    The layout may cover all records or only the first ones; the result is the same.
    """

    def __init__(
        self,
        layout: Layout,
        text_structure: TextStructure,
        dialect: Dialect,
        options: ReadOptions,
        path: object,
        *,
        records: int,
    ) -> None:
        """``records`` is the number of records below the header; 1 if not known yet."""
        self._layout, self._found, self._options = layout, text_structure, options
        self._first = int(options.header)
        whole = int(np.searchsorted(layout.record_starts, HEAD_BYTES, side="right")) - 1
        self._last = max(self._first, min(whole, self._first + HEAD_RECORDS))
        self._written = header_names(layout, header=options.header)
        self.names = self._names(path, records)
        self.dialect = self._with_formats(dialect)
        if options.header and not options.header_known:
            written_names = {name: (self._written[at], at) for name, at in self._kept().items()}
            check_not_a_record(written_names, self._content, path)

    def _column(self, at: int) -> pl.Series:
        return self._layout.column(at, self._first, self._last)

    def _names(self, path: object, records: int) -> FieldNames:
        """Return the names of all fields; raise an error if the header is invalid."""
        options = self._options
        if not options.header:
            return FieldNames(self._written, (), has_row_numbers=False)
        if not options.header_known:
            check_no_record_in_name(self._written, delimiter=self._found.delimiter, path=path)
        unnamed = {at: self._column(at) for at, name in enumerate(self._written) if not name.strip()}
        names = resolve_names(self._written, unnamed, row_numbers=options.row_numbers)
        check_names(names.fields, records=records, options=options, path=path)
        return names

    def _kept(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.names.fields) if at not in self.names.dropped}

    def _with_formats(self, dialect: Dialect) -> Dialect:
        """Return the dialect with the detected column formats."""
        columns = ((name, self._column(at)) for name, at in self._kept().items())
        return detect_column_formats(
            dialect, columns, list(self._kept()), self._options, commas=dialect.delimiter == ","
        )

    def _content(self, name: str) -> ColumnContent:
        return infer_content(self._column(self._kept()[name]), self.dialect.parser(name))

    def cells(self, layout: Layout) -> DelimitedCells:
        """Return the cells of a layout whose first record is the header, if there is one."""
        titles = {new: new for new, name in zip(self.names.fields, self._written, strict=True) if new != name}
        return DelimitedCells(
            layout, self.dialect, self._options.header, self._kept(), self.names.fields, titles if self._first else {}
        )

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
        if self._found.skip:
            settings["skip"] = self._found.skip
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
    found = detect_formats(
        columns,
        missing={name: plain.parser(name).missing for name in names},
        explicit=options.column_formats,
        decimal=options.decimal,
        thousands=options.thousands,
        comma_separated=commas,
    )
    return replace(plain, number=found.number, formats=found.columns, doubtful=found.ambiguous)


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

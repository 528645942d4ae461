"""Delimited text: comma, semicolon or tab separated files, kept byte for byte."""

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

from shoal.errors import ColumnError, OutputError
from shoal.schema.columns import Kind
from shoal.tables.column_format import NumberFormat, column_format
from shoal.tables.dates import dated_words
from shoal.tables.detection import (
    HEAD,
    LINES,
    RECORDS,
    Names,
    Structure,
    detect_formats,
    quote_of,
    resolve_names,
    structure,
)
from shoal.tables.dialect import Dialect, decoded
from shoal.tables.footer import footer_start
from shoal.tables.fresh import as_copied, numbered
from shoal.tables.header import check_empty, check_header, check_no_record, check_strange, header_names
from shoal.tables.layout import Layout, record_ends, scan
from shoal.tables.packed import Packed
from shoal.tables.table import Content, NewColumns, ReadOptions, where
from shoal.tables.text import Reading, understood, written
from shoal.threads import share
from shoal.values import Days, IntVector, Rounded, Whole, Worded

Source = int | NDArray[Any] | Rounded | Whole | Worded
"""Where a column comes from: a position in the layout, or new numbers or words."""


class Known(NamedTuple):
    """What a column means, or where it is packed what its different texts mean."""

    content: Content
    packed: Packed | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Fresh:
    """A new column: its different texts, and which of them stands in each record."""

    texts: pl.Series
    places: IntVector

    def some(self, rows: slice) -> pl.Series:
        """The texts of these records."""
        return self.texts.gather(self.places[rows])


@dataclass(frozen=True, eq=False, repr=False)
class DelimitedCells:
    """The fields of a delimited text, some of them replaced by new numbers."""

    layout: Layout
    dialect: Dialect
    header: bool
    sources: Mapping[str, Source]
    fields: tuple[str, ...] = ()
    """The name of every field of the text, also of those that are left out."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """The names that columns are written under, where these are others."""
    _known: dict[str, Known] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.sources)

    @property
    def height(self) -> int:
        return self.layout.records - self.header

    def text(self, name: str) -> pl.Series:
        """The text of a column, quotation marks removed; of what is new and missing, an empty field."""
        source, known = self.sources[name], self._known.get(name)
        if known is not None and known.packed is not None:
            return known.packed.text
        if isinstance(source, int):
            return self.layout.column(source, int(self.header), self.layout.records)
        return Packed.worded(self._new(name, source)).text

    def _new(self, name: str, source: NDArray[Any] | Rounded | Whole | Worded) -> Worded:
        """New numbers or words as words, in the format of the column."""
        return source if isinstance(source, Worded) else self._formatted(name, written(source))

    def _formatted(self, name: str, column: Worded) -> Worded:
        """Words of the standard form in the format of the column."""
        form = column_format(self.dialect.reading(name).format)
        return column if form is None else replace(column, words=tuple(map(form.written, column.words)))

    def seen(self, name: str) -> pl.Series:
        """The fields so that 1.0 and 1.00 differ: as text, or by the places of different texts or numbers."""
        source = self.sources[name]
        if not isinstance(source, int | Worded):
            return numbered(source)
        packed = self._understood(name).packed
        return self.text(name) if packed is None else packed.places

    def content(self, name: str) -> Content:
        known = self._understood(name)
        return known.content if known.packed is None else known.packed.spread(known.content)

    def different(self, name: str) -> tuple[pl.Series, Reading]:
        """All different fields of a column, and how they are understood."""
        packed = self._understood(name).packed
        return self.text(name) if packed is None else packed.texts, self.dialect.reading(name)

    def _understood(self, name: str) -> Known:
        if name not in self._known:
            self._known[name] = self._understand(name)
        return self._known[name]

    def _understand(self, name: str) -> Known:
        source = self.sources[name]
        if not isinstance(source, int | Worded):
            values = numbered(source)
            word = "integer" if values.dtype.is_integer() else "number"
            return Known(Content(Kind.NUMERIC, word, values, values.cast(pl.Float64)))
        meaning = partial(understood, reading=self.dialect.reading(name))
        if isinstance(source, Worded):
            packed: Packed | None = Packed.worded(source)
        else:
            text = self.text(name)
            packed = Packed.of(text)
        return Known(meaning(text)) if packed is None else Known(meaning(packed.texts), packed)

    def odd(self, name: str) -> dict[str, int] | None:
        """Where text stands among the numbers of a column; None where none does."""
        text = self.content(name).text
        return None if text is None else where(text)

    def native(self) -> pl.DataFrame:
        return self.frame()

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({name: self.content(name).values for name in self.names})

    def text_frame(self) -> pl.DataFrame:
        """Every field as text, to be written with another delimiter."""
        return pl.DataFrame({self.titles.get(name, name): self.text(name) for name in self.names})

    def marks(self, name: str) -> pl.Series:
        """The fields as they are written, with their quotation marks."""
        source = self.sources[name]
        if isinstance(source, int):
            return self.layout.column(source, int(self.header), self.layout.records, raw=True)
        return self._fresh(name, self._new(name, source)).some(slice(None))

    def taken(self, rows: IntVector) -> Self:
        first = int(self.header)
        layout = self.layout.taken(np.concatenate([np.arange(first), rows + first]))
        sources = {name: _some(source, rows) for name, source in self.sources.items()}
        return replace(self, layout=layout, sources=sources, _known={})

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> DelimitedCells:
        found = share(lambda name: self._source(name, columns), kept, records=self.height)
        sources = dict(zip(kept, found, strict=True))
        known = {name: known for name, known in self._known.items() if name in kept and name not in columns}
        return replace(self, sources=sources, _known=known)

    def _source(self, name: str, columns: NewColumns) -> Source:
        new = columns.get(name, self.sources[name])
        if isinstance(new, Days):
            return self._formatted(name, dated_words(new, self.content(name)))
        if isinstance(new, Worded) and new.numeric:
            return replace(self._formatted(name, new), numeric=False)
        if isinstance(new, Worded) and isinstance(self.sources[name], int):
            copied = as_copied(self.text(name), self.content(name).words, new)
            return self._formatted(name, copied) if self.content(name).kind is Kind.DATE else copied
        return new

    def spliced(self) -> Iterator[bytes]:
        """The file again: new numbers in the places of old ones, all other fields with the bytes they had."""
        # Before the first byte, so that what cannot be written leaves nothing.
        new = ((name, source) for name, source in self.sources.items() if not isinstance(source, int))
        return self._spliced({name: self._fresh(name, self._new(name, source)) for name, source in new})

    def _spliced(self, fresh: Mapping[str, Fresh]) -> Iterator[bytes]:
        if self.dialect.bom:
            yield self.dialect.mark
        first = int(self.header)
        positions = {name: at for at, name in enumerate(self.fields)}
        if self.header:
            yield self.top()

        def lines(block: tuple[int, int]) -> bytes:
            rows = slice(block[0] - first, block[1] - first)
            return self._lines(
                *block, [fresh[name].some(rows) if name in fresh else positions[name] for name in self.names]
            )

        yield from share(lines, self.layout.blocks(first))

    def top(self) -> bytes:
        """The header as it is written."""
        positions = {name: at for at, name in enumerate(self.fields)}
        return self._lines(0, 1, [self._title(name, positions[name]) for name in self.names])

    def _title(self, name: str, position: int) -> int | pl.Series:
        """The name in the header: its field, or another name in its place."""
        if name not in self.titles:
            return position
        return self._fresh(name, Worded((self.titles[name],), np.zeros(1, dtype=np.int64))).some(slice(None))

    def _lines(self, begin: int, end: int, fields: Sequence[int | pl.Series]) -> bytes:
        """Fields of some records: new ones, and positions of old ones; neighbors that stay so are cut out together."""
        layout, pieces = self.layout, list[pl.Series]()
        for run in _runs([*fields, layout.fields]):
            if isinstance(run, pl.Series):
                pieces.append(run)
            elif run[0] == layout.fields:  # a newline behind what was not last before
                pieces[-1] = pieces[-1] + layout.run(*run, begin, end)
            else:
                pieces.append(layout.run(*run, begin, end))
        lines = io.BytesIO()
        pl.DataFrame({str(at): piece for at, piece in enumerate(pieces)}).write_csv(
            lines, separator=self.dialect.delimiter, line_terminator="", quote_style="never", include_header=False
        )
        if self.dialect.encoding == "utf-8":
            return lines.getvalue()
        return lines.getvalue().decode().encode(self.dialect.encoding)

    def _fresh(self, name: str, column: Worded) -> Fresh:
        """A new column as it is to be written.

        What holds the delimiter, the mark of quotation or the end of a line is put in quotation marks. So is an empty
        field that is all of its record: blank lines at the end of a file hold nobody.
        """
        text, places = pl.Series(["", *column.words], dtype=pl.String), column.places + 1
        delimiter, quote = self.dialect.delimiter, self.dialect.quote
        inside = text.str.contains(delimiter, literal=True) | text.str.contains(r"[\r\n]")
        if len(self.names) == 1:
            inside |= text == ""
        if quote:
            inside |= text.str.contains(quote, literal=True)
        inside &= pl.Series(np.bincount(places, minlength=len(text)) > 0)
        if not inside.any():
            return Fresh(text, places)
        if not quote:
            raise OutputError.cannot_quote(name)
        doubled = text.str.replace_all(quote, quote + quote, literal=True)
        return Fresh((quote + doubled + quote).zip_with(inside, text), places)


def _some(source: Source, rows: IntVector) -> Source:
    """Some cells of a column, where it is new."""
    if isinstance(source, Worded):
        return replace(source, places=source.places[rows])
    if isinstance(source, Rounded | Whole):
        return replace(source, numbers=source.numbers[rows])
    return source if isinstance(source, int) else source[rows]


def _runs(fields: Sequence[int | pl.Series]) -> Iterator[tuple[int, int] | pl.Series]:
    """New fields one by one, and the first and the last of old ones that follow each other as they did."""
    run: tuple[int, int] | None = None
    for one in fields:
        if run is not None and isinstance(one, int) and one == run[1] + 1:
            run = (run[0], one)
            continue
        if run is not None:
            yield run
        run = (one, one) if isinstance(one, int) else None
        if not isinstance(one, int):
            yield one
    if run is not None:
        yield run


def read_delimited(
    raw: bytes, *, options: ReadOptions, tabs: bool, path: object, part: bool = False
) -> tuple[DelimitedCells, dict[str, Any]]:
    """The cells of a file and the settings by which it was read.

    Where the bytes are only the first ``part`` of a file, what follows their last whole record is left out.
    """
    encoding, bom, data = decoded(raw, options.encoding, path=path)
    if part:
        ends = record_ends(np.frombuffer(data, dtype=np.uint8), quote=options.quote or "")
        data = data[: int(ends[-1])] if len(ends) else data
    found = structured(data, options=options, tabs=tabs)
    quote = found.quote
    text = data[found.offset :] if found.offset else data
    end = footer_start(
        text, options.skip_footer, delimiter=found.delimiter, quote=quote, path=path, header=options.header
    )
    text = patched(text[:end] if end < len(text) else text, found)
    layout = scan(
        np.frombuffer(text, dtype=np.uint8), delimiter=found.delimiter, quote=quote, path=path, header=options.header
    )
    dialect = Dialect(found.delimiter, quote, encoding, bom, options.missing_words, options.blank_words)
    head = Head(layout, found, dialect, options, path, records=layout.records - int(options.header))
    cells = head.cells(layout)
    for at in head.names.empty:
        check_empty(layout.column(at, int(options.header), layout.records), at, path)
    return cells, head.settings(layout.newline)


def structured(data: bytes, *, options: ReadOptions, tabs: bool) -> Structure:
    """The structure of a text by its first lines."""
    quote = options.quote or ""
    if options.detect:
        quote = quote_of(data[:HEAD].splitlines()[:LINES], quote)
    return structure(
        first_lines(data, quote=quote),
        quote=quote,
        delimiter=options.delimiter or ("\t" if tabs else None),
        decimal=options.decimal,
        skip=options.skip,
        header=options.header,
    )


def first_lines(data: bytes, *, quote: str) -> list[bytes]:
    """The first lines of a text, each with its newline."""
    head = data[:HEAD]
    cuts = [0, *record_ends(np.frombuffer(head, dtype=np.uint8), quote=quote)[:LINES].tolist()]
    lines = [head[begin:end] for begin, end in pairwise(cuts)]
    return [*lines, head[cuts[-1] :]] if cuts[-1] < len(head) and len(lines) < LINES else lines


def patched(text: bytes, found: Structure) -> bytes:
    """The text with as many names in its header as the records have fields."""
    if not found.patch:
        return text
    mark = found.delimiter.encode()
    if found.patch == "first":
        return mark + text
    line = text[: int(record_ends(np.frombuffer(text[:HEAD], dtype=np.uint8), quote=found.quote)[0])].rstrip(b"\r\n")
    return line + mark + text[len(line) :]


class Head:
    """What the first records of a text tell: the names of its columns and their formats.

    The layout may be that of all records or of the first ones only: the records that are looked at are the same.
    """

    def __init__(
        self,
        layout: Layout,
        found: Structure,
        dialect: Dialect,
        options: ReadOptions,
        path: object,
        *,
        records: int,
    ) -> None:
        """``records`` are those that are known to follow the header, 1 where that is not known yet."""
        self._layout, self._found, self._options = layout, found, options
        self._first = int(options.header)
        whole = int(np.searchsorted(layout.lines, HEAD, side="right")) - 1
        self._last = max(self._first, min(whole, self._first + RECORDS))
        self._written = header_names(layout, header=options.header)
        self.names = self._names(path, records)
        self.dialect = self._with_formats(dialect)
        if options.header and not options.header_known:
            written_names = {name: (self._written[at], at) for name, at in self._kept().items()}
            check_no_record(written_names, self._content, path)

    def _column(self, at: int) -> pl.Series:
        return self._layout.column(at, self._first, self._last)

    def _names(self, path: object, records: int) -> Names:
        """The names of all fields, or what is wrong with them."""
        options = self._options
        if not options.header:
            return Names(self._written, (), numbered=False)
        if not options.header_known:
            check_strange(self._written, delimiter=self._found.delimiter, path=path)
        unnamed = {at: self._column(at) for at, name in enumerate(self._written) if not name.strip()}
        names = resolve_names(self._written, unnamed, numbered=options.row_numbers)
        check_header(names.fields, records=records, options=options, path=path)
        return names

    def _kept(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.names.fields) if at not in self.names.left_out}

    def _with_formats(self, dialect: Dialect) -> Dialect:
        """The dialect with the formats of the columns."""
        columns = ((name, self._column(at)) for name, at in self._kept().items())
        return with_formats(dialect, columns, list(self._kept()), self._options, commas=dialect.delimiter == ",")

    def _content(self, name: str) -> Content:
        return understood(self._column(self._kept()[name]), self.dialect.reading(name))

    def cells(self, layout: Layout) -> DelimitedCells:
        """The cells of records that follow the header, which is the first record of the layout if there is one."""
        titles = {new: new for new, name in zip(self.names.fields, self._written, strict=True) if new != name}
        return DelimitedCells(
            layout, self.dialect, self._options.header, self._kept(), self.names.fields, titles if self._first else {}
        )

    def settings(self, newline: str) -> dict[str, Any]:
        """How the file is read, so that it can be read in the same way again."""
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
        if self.names.numbered:
            settings["row_numbers"] = True
        return settings | formats


def with_formats(
    dialect: Dialect,
    columns: Iterable[tuple[str, pl.Series]],
    names: Sequence[str],
    options: ReadOptions,
    *,
    commas: bool,
) -> Dialect:
    """The dialect with the formats of the columns that hold text, by their first cells; ``names`` are those of all."""
    for name in (*options.column_formats, *options.missing_in):
        if options.detect and name not in names:
            raise ColumnError.unknown(name, names)
    number = str(NumberFormat(options.decimal or ".", options.thousands or ""))
    plain = replace(dialect, missing_in=options.words_in, formats=dict(options.column_formats), number=number)
    if not options.detect:
        return plain
    found = detect_formats(
        columns,
        missing={name: plain.reading(name).missing for name in names},
        given=options.column_formats,
        decimal=options.decimal,
        thousands=options.thousands,
        commas=commas,
    )
    return replace(plain, number=found.number, formats=found.columns, doubtful=found.doubtful)


def format_settings(dialect: Dialect, options: ReadOptions) -> dict[str, Any]:
    """How numbers, dates and missing values are written."""
    number = column_format(dialect.number)
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

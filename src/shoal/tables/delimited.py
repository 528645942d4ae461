"""Delimited text: comma, semicolon or tab separated files, kept byte for byte."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import ColumnError, FileError, OutputError
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
    is_value,
    resolve_names,
    structure,
)
from shoal.tables.dialect import Dialect, decoded
from shoal.tables.fresh import as_copied, numbered
from shoal.tables.layout import Layout, record_ends, scan
from shoal.tables.packed import Packed
from shoal.tables.table import Content, NewColumns, ReadOptions
from shoal.tables.text import is_number, understood, written
from shoal.threads import share
from shoal.values import Days, IntVector, Whole, Worded

Source = int | NDArray[Any] | Whole | Worded
"""Where a column comes from: a position in the layout, or new numbers or words."""

_LONGEST_NAME = 200


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

    def _new(self, name: str, source: NDArray[Any] | Whole | Worded) -> Worded:
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
    if isinstance(source, Whole):
        return Whole(source.numbers[rows])
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


def header_names(layout: Layout, *, header: bool) -> tuple[str, ...]:
    if not header:
        return tuple(f"column_{position}" for position in range(1, layout.fields + 1))
    return tuple(str(field.item()) for field in layout.split(0, 1, raw=False))


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
    quote = "" if options.quote == found.delimiter else options.quote or ""
    text = patched(data[found.offset :] if found.offset else data, found, quote=quote)
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


def patched(text: bytes, found: Structure, *, quote: str) -> bytes:
    """The text with as many names in its header as the records have fields."""
    if not found.patch:
        return text
    mark = found.delimiter.encode()
    if found.patch == "first":
        return mark + text
    line = text[: int(record_ends(np.frombuffer(text[:HEAD], dtype=np.uint8), quote=quote)[0])].rstrip(b"\r\n")
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
            self._check_no_record(path)

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
        options = self._options
        for name in (*options.column_formats, *options.missing_in):
            if options.detect and name not in self._kept():
                raise ColumnError.unknown(name, list(self._kept()))
        number = str(NumberFormat(options.decimal or ".", options.thousands or ""))
        plain = replace(dialect, missing_in=options.words_in, formats=dict(options.column_formats), number=number)
        if not options.detect:
            return plain
        found = detect_formats(
            ((name, self._column(at)) for name, at in self._kept().items()),
            missing={name: plain.reading(name).missing for name in self._kept()},
            given=options.column_formats,
            decimal=options.decimal,
            thousands=options.thousands,
            semicolons=dialect.delimiter == ";",
        )
        return replace(plain, number=found.number, formats=found.columns, doubtful=found.doubtful)

    def _check_no_record(self, path: object) -> None:
        """Refuse a header in which a value stands where a name should: a first record that was taken for one."""
        names = self.names.fields
        if list(names) == [str(at) for at in range(len(names))]:
            return  # that of an array, whose columns have no other names
        typed = [(name, at) for name, at in self._kept().items() if is_value(self._written[at])]
        for name, at in typed:
            content = understood(self._column(at), self.dialect.reading(name))
            years = content.kind is Kind.NUMERIC and is_year(name) and not _are_years(content)
            if content.kind in (Kind.NUMERIC, Kind.DATE) and not years:
                raise FileError.record_as_header(path, at + 1)

    def cells(self, layout: Layout) -> DelimitedCells:
        """The cells of records that follow the header, which is the first record of the layout if there is one."""
        titles = {new: new for new, name in zip(self.names.fields, self._written, strict=True) if new != name}
        return DelimitedCells(
            layout, self.dialect, self._options.header, self._kept(), self.names.fields, titles if self._first else {}
        )

    def settings(self, newline: str) -> dict[str, Any]:
        """How the file is read, so that it can be read in the same way again."""
        dialect, options = self.dialect, self._options
        number = column_format(dialect.number)
        settings: dict[str, Any] = {
            "delimiter": dialect.delimiter,
            "quote": dialect.quote,
            "encoding": dialect.encoding,
            "decimal": number.decimal if isinstance(number, NumberFormat) else ".",
            "header": options.header,
            "newline": newline,
            "bom": dialect.bom,
        }
        if isinstance(number, NumberFormat) and number.thousands:
            settings["thousands"] = number.thousands
        if self._found.skip:
            settings["skip"] = self._found.skip
        if self.names.numbered:
            settings["row_numbers"] = True
        if options.missing is not None:
            settings["missing"] = "\n".join(options.missing)
        if dialect.missing_in:
            settings["missing_in"] = {name: list(words) for name, words in dialect.missing_in.items()}
        if dialect.formats:
            settings["column_formats"] = dict(dialect.formats)
        return settings


def is_year(name: str) -> bool:
    """Whether a name is a year, as columns of statistics have it."""
    return re.fullmatch("(?:19|20)[0-9]{2}", name) is not None


def _are_years(content: Content) -> bool:
    numbers = content.values.drop_nulls().cast(pl.String)
    return bool(numbers.str.contains("^(?:19|20)[0-9]{2}$").all())


def check_empty(cells: pl.Series, at: int, path: object, *, above: int = 0) -> None:
    """Refuse a field without a name, which is left out, where it holds something."""
    filled = cells.str.strip_chars() != ""
    if filled.any():
        raise FileError.unnamed_values(path, at + 1, int(filled.arg_true()[0]) + 1 + above)


def check_strange(names: Sequence[str], *, delimiter: str, path: object) -> None:
    """A name that swallowed the start of a record would be shown as a name, and is none.

    A quotation mark that opens in the header and closes in a record leaves the counts of fields right, but then
    the name holds a line break and a delimiter. A line break alone is what spreadsheets put into long names.
    """
    for position, name in enumerate(names, start=1):
        broken = "\n" in name or "\r" in name
        if len(name) > _LONGEST_NAME or (broken and (delimiter in name or len(names) == 1)):
            raise FileError.strange_header(path, position)


def check_header(names: Sequence[str], *, records: int, options: ReadOptions, path: object) -> None:
    positions = [str(position) for position in range(len(names))]
    # 0,1,2 is a header too: that of an array, whose columns have no other names.
    surely = options.header_known or list(names) == positions
    if not surely and all(is_number(name.replace(",", ".")) for name in names):
        raise FileError.no_header(path)
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise ColumnError.empty_name(position)
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise ColumnError.duplicate_names(twice)
    if records == 0:
        raise FileError.header_only(path)

"""Delimited text: comma, semicolon or tab separated files, kept byte for byte."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import polars as pl
from numpy.typing import NDArray

from shoal.errors import ColumnError, FileError, OutputError
from shoal.schema.columns import Kind
from shoal.tables.dates import dated_words
from shoal.tables.dialect import Dialect, understand
from shoal.tables.fresh import as_copied, numbered, worded
from shoal.tables.layout import Layout, scan
from shoal.tables.table import Content, NewColumns, ReadOptions
from shoal.tables.text import is_number, understood, written
from shoal.values import Days, Whole, Worded

Source = int | NDArray[Any] | Whole | Worded
"""Where a column comes from: a position in the layout, or new numbers or words."""

_LONGEST_NAME = 200


@dataclass(frozen=True, eq=False)
class DelimitedCells:
    """The fields of a delimited text, some of them replaced by new numbers."""

    layout: Layout
    dialect: Dialect
    header: bool
    sources: Mapping[str, Source]
    _contents: dict[str, Content] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.sources)

    @property
    def height(self) -> int:
        return self.layout.records - self.header

    @cached_property
    def _text(self) -> dict[str, pl.Series]:
        """The text of every column, quotation marks removed."""
        blocks = [self.layout.split(*block, raw=False) for block in self.layout.blocks(int(self.header))]
        kept = {name: source for name, source in self.sources.items() if isinstance(source, int)}
        return {name: pl.concat([block[at] for block in blocks]).alias("") for name, at in kept.items()}

    @cached_property
    def _written(self) -> dict[str, pl.Series]:
        """The text of the new numbers and words; a missing one is an empty field."""
        decimal = self.dialect.decimal
        return {
            name: worded(source).fill_null("") if isinstance(source, Worded) else written(source, decimal=decimal)
            for name, source in self.sources.items()
            if not isinstance(source, int)
        }

    def seen(self, name: str) -> pl.Series:
        """The text of the fields: 1.0 and 1.00 differ to a reader."""
        return self._written[name] if name in self._written else self._text[name]

    def content(self, name: str) -> Content:
        if name not in self._contents:
            source = self.sources[name]
            if isinstance(source, int):
                text = self._text[name]
                self._contents[name] = understood(text, decimal=self.dialect.decimal, missing=self.dialect.missing)
            elif isinstance(source, Worded):
                text = self._written[name]
                self._contents[name] = understood(text, decimal=self.dialect.decimal, missing=self.dialect.missing)
            else:
                values = numbered(source)
                word = "integer" if values.dtype.is_integer() else "number"
                self._contents[name] = Content(Kind.NUMERIC, word, values, values.cast(pl.Float64))
        return self._contents[name]

    def native(self) -> pl.DataFrame:
        return self.frame()

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({name: self.content(name).values for name in self.names})

    def text_frame(self) -> pl.DataFrame:
        """Every field as text, to be written with another delimiter."""
        return pl.DataFrame({name: self.seen(name) for name in self.names})

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> DelimitedCells:
        sources = {name: self._source(name, columns) for name in kept}
        known = {name: content for name, content in self._contents.items() if name in kept and name not in columns}
        new = replace(self, sources=sources, _contents=known)
        if "_text" in self.__dict__:
            # The text of the untouched columns is shared; the dictionary is not.
            new.__dict__["_text"] = {name: text for name, text in self._text.items() if name not in columns}
        return new

    def _source(self, name: str, columns: NewColumns) -> Source:
        new = columns.get(name, self.sources[name])
        if isinstance(new, Days):
            return dated_words(new, self.content(name))
        if isinstance(new, Worded) and new.numeric:
            return Worded(tuple(word.replace(".", self.dialect.decimal) for word in new.words), new.places)
        if isinstance(new, Worded) and name in self._text:
            return as_copied(self._text[name], self.content(name).words, new)
        return new

    def spliced(self) -> Iterator[bytes]:
        """The file again: new numbers in the places of old ones, all other fields with the bytes they had."""
        # Before the first byte, so that what cannot be written leaves nothing.
        return self._spliced({name: self._quoted(name, text) for name, text in self._written.items()})

    def _spliced(self, new: Mapping[str, pl.Series]) -> Iterator[bytes]:
        if self.dialect.bom:
            yield codecs.BOM_UTF8
        if self.header:
            yield self._lines(0, 1, new={})
        first = int(self.header)
        for begin, end in self.layout.blocks(first):
            yield self._lines(begin, end, new={n: text.slice(begin - first, end - begin) for n, text in new.items()})

    def _lines(self, begin: int, end: int, *, new: Mapping[str, pl.Series]) -> bytes:
        old = self.layout.split(begin, end, raw=True)
        positions = {name: at for at, name in enumerate(self._original_names)}
        fields = [new[name] if name in new else old[positions[name]] for name in self.names]
        numbered = pl.DataFrame([series.alias(str(at)) for at, series in enumerate(fields)])
        lines = numbered.select(pl.concat_str(pl.all(), separator=self.dialect.delimiter)).to_series()
        text = str((lines + self.layout.newlines(begin, end)).str.join("").item())
        return text.encode(self.dialect.encoding)

    @cached_property
    def _original_names(self) -> tuple[str, ...]:
        return header_names(self.layout, header=self.header)

    def _quoted(self, name: str, text: pl.Series) -> pl.Series:
        """What holds the delimiter, the mark of quotation or the end of a line is put in quotation marks.

        So is an empty field that is all of its record: blank lines at the end of a file hold nobody.
        """
        delimiter, quote = self.dialect.delimiter, self.dialect.quote
        inside = text.str.contains(delimiter, literal=True) | text.str.contains(r"[\r\n]")
        if len(self.names) == 1:
            inside |= text == ""
        if quote:
            inside |= text.str.contains(quote, literal=True)
        if not inside.any():
            return text
        if not quote:
            raise OutputError.cannot_quote(name)
        doubled = text.str.replace_all(quote, quote + quote, literal=True)
        return (quote + doubled + quote).zip_with(inside, text)


def header_names(layout: Layout, *, header: bool) -> tuple[str, ...]:
    if not header:
        return tuple(f"column_{position}" for position in range(1, layout.fields + 1))
    return tuple(str(field.item()) for field in layout.split(0, 1, raw=False))


def read_delimited(
    raw: bytes, *, options: ReadOptions, tabs: bool, path: object
) -> tuple[DelimitedCells, dict[str, str | bool]]:
    """The cells of a file and the settings by which it was read."""
    data, dialect = understand(raw, options=options, tabs=tabs, path=path)
    if dialect.quote == dialect.delimiter:
        dialect = replace(dialect, quote="")
    layout = scan(data, delimiter=dialect.delimiter, quote=dialect.quote, path=path, header=options.header)
    names = header_names(layout, header=options.header)
    if options.header:
        if not options.header_known:
            _check_strange(names, delimiter=dialect.delimiter, path=path)
        _check_header(names, records=layout.records - 1, options=options, path=path)
    cells = DelimitedCells(layout, dialect, options.header, {name: at for at, name in enumerate(names)})
    settings: dict[str, str | bool] = {
        "delimiter": dialect.delimiter,
        "quote": dialect.quote,
        "encoding": dialect.encoding,
        "decimal": dialect.decimal,
        "header": options.header,
        "newline": layout.newline(),
        "bom": dialect.bom,
    }
    if options.missing is not None:
        settings["missing"] = "\n".join(options.missing)
    return cells, settings


def _check_strange(names: Sequence[str], *, delimiter: str, path: object) -> None:
    """A name that swallowed the start of a record would be shown as a name, and is none.

    A quotation mark that opens in the header and closes in a record leaves the counts of fields right, but then
    the name holds a line break and a delimiter. A line break alone is what spreadsheets put into long names.
    """
    for position, name in enumerate(names, start=1):
        broken = "\n" in name or "\r" in name
        if len(name) > _LONGEST_NAME or (broken and (delimiter in name or len(names) == 1)):
            raise FileError.strange_header(path, position)


def _check_header(names: Sequence[str], *, records: int, options: ReadOptions, path: object) -> None:
    positions = [str(position) for position in range(len(names))]
    # 0,1,2 is a header too: that of an array, whose columns have no other names.
    surely = options.header_known or list(names) == positions
    if not surely and all(is_number(name, decimal=options.decimal) for name in names):
        raise FileError.no_header(path)
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise ColumnError.empty_name(position)
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise ColumnError.duplicate_names(twice)
    if records == 0:
        raise FileError.header_only(path)

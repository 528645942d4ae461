"""Delimited text files as tables; unchanged fields keep their bytes."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.csv.column_format import parse_column_format
from shoal.data.csv.dialect import Dialect
from shoal.data.csv.scan import Layout
from shoal.data.csv.text_values import FieldParser, infer_content, numbers_to_text
from shoal.data.encode.dates import to_date_text
from shoal.data.new_columns import copy_spelling, to_number_series
from shoal.data.table import ColumnContent, NewColumns, affected_rows
from shoal.domain import DateColumn, IntegerColumn, IntVector, RoundedColumn, TextColumn
from shoal.domain.columns import Kind
from shoal.errors import OutputError
from shoal.system.threads import parallel_map

ColumnSource = int | NDArray[Any] | RoundedColumn | IntegerColumn | TextColumn
"""Source of a column: a position in the layout, or new values."""
_SAMPLE_SIZE = 1 << 14
_MAX_DISTINCT_TEXTS = 1 << 12
"""Encode a column if its first ``_SAMPLE_SIZE`` records have at most this many distinct texts."""


@dataclass(frozen=True, eq=False, repr=False)
class DictionaryColumn:
    """A dictionary-encoded column of texts, which takes a fraction of the memory if few texts are distinct."""

    distinct: pl.Series
    codes: pl.Series | IntVector

    @classmethod
    def encode(cls, text: pl.Series) -> DictionaryColumn | None:
        """Encode a column, texts by first appearance; None if too many are distinct."""
        if text.head(_SAMPLE_SIZE).n_unique() > _MAX_DISTINCT_TEXTS:
            return None
        texts = text.unique(maintain_order=True)
        return cls(texts, text.cast(pl.Enum(texts)).to_physical())

    @classmethod
    def from_text_column(cls, column: TextColumn) -> DictionaryColumn:
        """Encode new values; a missing cell is an empty text."""
        used, indices = np.unique(column.codes, return_inverse=True)
        texts = pl.Series(["" if index < 0 else column.words[index] for index in used.tolist()], dtype=pl.String)
        distinct = texts.unique(maintain_order=True)
        return cls(distinct, texts.cast(pl.Enum(distinct)).to_physical().gather(indices.astype(np.uint32)))

    @property
    def text(self) -> pl.Series:
        """Text of each record."""
        return self.slice_texts(slice(None))

    def slice_texts(self, rows: slice) -> pl.Series:
        """Text of these records."""
        return self.distinct.gather(self.codes[rows])

    def expand(self, content: ColumnContent) -> ColumnContent:
        """Expand the content of the distinct texts to all records."""
        values, numbers, text = content.values, content.numbers, content.non_numeric
        spread = values.gather(self.codes)
        return replace(
            content,
            values=spread,
            numbers=spread if numbers is values else None if numbers is None else numbers.gather(self.codes),
            non_numeric=None if text is None else text.gather(self.codes),
        )


class ParsedColumn(NamedTuple):
    """Parsed content of a column; if it is dictionary-encoded, of its distinct texts."""

    content: ColumnContent
    packed: DictionaryColumn | None = None


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
        return self.text(name) if packed is None else pl.Series(packed.codes)

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
        return self._output(name, self._new_text(name, source)).text

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

    def _spliced(self, new: Mapping[str, DictionaryColumn]) -> Iterator[bytes]:
        first = int(self.header)
        positions = {name: at for at, name in enumerate(self.fields)}
        yield self.text_start()

        def lines(block: tuple[int, int]) -> bytes:
            rows = slice(block[0] - first, block[1] - first)
            fields = [new[name].slice_texts(rows) if name in new else positions[name] for name in self.names]
            return self._lines(*block, fields)

        yield from parallel_map(lines, self.layout.blocks(first))

    def text_start(self) -> bytes:
        """Return the text above the first record: the byte order mark and the header."""
        if not self.header:
            return self.dialect.bom_bytes
        positions = {name: at for at, name in enumerate(self.fields)}
        return self.dialect.bom_bytes + self._lines(0, 1, [self._title(name, positions[name]) for name in self.names])

    def _title(self, name: str, position: int) -> int | pl.Series:
        """Return the header field of a column: its position, or its new name."""
        if name not in self.titles:
            return position
        title = TextColumn((self.titles[name],), np.zeros(1, dtype=np.int64))
        return self._output(name, title).text

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

    def _output(self, name: str, column: TextColumn) -> DictionaryColumn:
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
            return DictionaryColumn(text, indices)
        if not quote:
            raise OutputError.quoting_disabled(name)
        doubled = text.str.replace_all(quote, quote + quote, literal=True)
        return DictionaryColumn((quote + doubled + quote).zip_with(needs_quotes, text), indices)


def _take(source: ColumnSource, rows: IntVector) -> ColumnSource:
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

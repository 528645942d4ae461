"""Cells of a chunk, understood as in the whole table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np
import polars as pl

from shoal.schema.columns import Kind
from shoal.tables.dates import dated, styled
from shoal.tables.delimited import DelimitedCells, Known
from shoal.tables.delimited import Source as Field
from shoal.tables.frames import PolarsCells
from shoal.tables.fresh import numbered, places, worded
from shoal.tables.large.meaning import Meaning
from shoal.tables.large.survey import Survey
from shoal.tables.table import Content, NewColumn, NewColumns, Table
from shoal.tables.typed import polars_numbers
from shoal.values import Days, Rounded, Worded


def fixed(chunk: Table, survey: Survey, *, texts: Collection[str] = ()) -> Table:
    """The chunk with every column understood as in the whole table.

    So are new columns (`tables.released` works on it): dates are written as the whole table writes them, and words as
    it first writes them. A `Worded` column keeps the type of the old one where all of its words that are used here are
    values of the whole table; name those where this is not so for all chunks (`Survey.holds`) as ``texts``.
    """
    meanings = {name: survey.meaning(name) for name in chunk.names if name in survey.names}
    cells = chunk.cells
    if isinstance(cells, DelimitedCells):
        known = {each.name: getattr(cells, each.name) for each in fields(DelimitedCells)}
        return replace(chunk, cells=FixedFields(**known | {"_known": {}}, meanings=meanings))
    return replace(
        chunk,
        cells=FixedFrame(cells.table if isinstance(cells, PolarsCells) else cells.frame(), meanings, frozenset(texts)),
    )


@dataclass(frozen=True, eq=False, repr=False)
class FixedFields(DelimitedCells):
    """The fields of a part of a delimited text."""

    meanings: Mapping[str, Meaning] = field(default_factory=dict)

    def _understand(self, name: str) -> Known:
        if name in self.meanings and isinstance(self.sources[name], int):
            return Known(self.meanings[name].content(self.text(name)))
        return super()._understand(name)

    def odd(self, name: str) -> dict[str, int] | None:
        if name not in self.meanings:
            return super().odd(name)
        sketch = self.meanings[name].sketch
        if not (sketch.numbers and sketch.words.count):
            return None
        return {**sketch.words.told, "of": sketch.numbers + sketch.words.count + sketch.absent.count}

    def _source(self, name: str, columns: NewColumns) -> Field:
        new, meaning = columns.get(name), self.meanings.get(name)
        if meaning is None or not isinstance(self.sources[name], int):
            return super()._source(name, columns)
        if isinstance(new, Days):
            return self._formatted(name, styled(new, mark=meaning.sketch.mark.note, zone=meaning.sketch.zone.note))
        if isinstance(new, Worded) and not new.numeric and meaning.different is not None:
            copies, cells = meaning.copies, meaning.different.cells
            written = {word: cells[copies[word]] for word in new.words if word in copies}
            copied = Worded(tuple(written.get(word) or word for word in new.words), new.places)
            return self._formatted(name, copied) if meaning.kind is Kind.DATE else copied
        return super()._source(name, columns)


@dataclass(frozen=True, eq=False, repr=False)
class FixedFrame(PolarsCells):
    """A part of a frame."""

    meanings: Mapping[str, Meaning]
    texts: Collection[str]

    def content(self, name: str) -> Content:
        return self.meanings[name].content(self.table[name]) if name in self.meanings else super().content(name)

    def replaced(self, kept: Sequence[str], columns: NewColumns) -> PolarsCells:
        new = {name: self._new(name, columns[name]) for name in kept if name in columns}
        untouched = {name: meaning for name, meaning in self.meanings.items() if name in kept and name not in new}
        table = pl.DataFrame({name: new[name] if name in new else self.table[name] for name in kept})
        return FixedFrame(table, untouched, self.texts)

    def _new(self, name: str, column: NewColumn) -> pl.Series:
        meaning = self.meanings[name]
        if isinstance(column, Days):
            return self._dated(column, name)
        if isinstance(column, Rounded):
            return polars_numbers(column, self.table.schema[name])
        if not isinstance(column, Worded):
            return numbered(column)
        used = np.unique(column.places[column.places >= 0])
        held = all(column.words[place] in meaning.copies for place in used)
        if meaning.different is None or name in self.texts or (column.numeric and len(used)) or not held:
            return worded(column)
        rows = np.full(len(column.words) + 1, -1, dtype=np.int64)  # one more at the end, where the place -1 leads
        rows[used] = [meaning.copies[column.words[place]] for place in used]
        return meaning.different.cells.gather(places(rows[column.places]))

    def _dated(self, column: Days, name: str) -> pl.Series:
        if self.table.schema[name] in (pl.Date, pl.Datetime):
            return dated(column, self.content(name))
        sketch = self.meanings[name].sketch
        return worded(styled(column, mark=sketch.mark.note, zone=sketch.zone.note))

"""Chunks with the column types of the whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

import polars as pl

from shoal.data.chunked.column_type import ColumnType
from shoal.data.chunked.table_statistics import TableStatistics
from shoal.data.csv.delimited_cells import ColumnSource, DelimitedCells, ParsedColumn
from shoal.data.encode.dates import to_date_series
from shoal.data.frames.polars_frames import PolarsCells
from shoal.data.new_columns import gather_indices, rows_to_copy, to_number_series, to_polars_dtype, to_string_series
from shoal.data.table import ColumnContent, NewColumn, NewColumns, Table
from shoal.domain import DateColumn, RoundedColumn, TextColumn
from shoal.domain.columns import Kind


def with_column_types(chunk: Table, statistics: TableStatistics) -> Table:
    """Return the chunk with the column types of the whole table.

    This holds for columns that `data.replace_columns` replaces, too: dates are written in the format of the whole
    table, and values as they are first written there. A `TextColumn` keeps the type of the old column if all of its
    values occur in the whole table.
    """
    column_types = {name: statistics.column_type(name) for name in chunk.names if name in statistics.names}
    cells = chunk.cells
    if isinstance(cells, DelimitedCells):
        state = {each.name: getattr(cells, each.name) for each in fields(DelimitedCells)}
        return replace(chunk, cells=TypedDelimitedCells(**state | {"_known": {}}, column_types=column_types))
    frame = cells.table if isinstance(cells, PolarsCells) else cells.frame()
    return replace(chunk, cells=TypedFrameCells(frame, column_types))


@dataclass(frozen=True, eq=False, repr=False)
class TypedDelimitedCells(DelimitedCells):
    """Delimited cells with the column types of the whole table."""

    column_types: Mapping[str, ColumnType] = field(default_factory=dict)

    def _parse(self, name: str) -> ParsedColumn:
        if name in self.column_types and isinstance(self.sources[name], int):
            return ParsedColumn(self.column_types[name].content(self.text(name)))
        return super()._parse(name)

    def locate_text(self, name: str) -> dict[str, int] | None:
        if name not in self.column_types:
            return super().locate_text(name)
        sketch = self.column_types[name].sketch
        if not (sketch.numbers and sketch.non_numbers.count):
            return None
        return {
            **sketch.non_numbers.error_arguments,
            "of": sketch.numbers + sketch.non_numbers.count + sketch.missing.count,
        }

    def _source(self, name: str, columns: NewColumns) -> ColumnSource:
        new, column_type = columns.get(name), self.column_types.get(name)
        if column_type is None or not isinstance(self.sources[name], int):
            return super()._source(name, columns)
        if isinstance(new, DateColumn):
            return self._formatted(name, column_type.format_days(new))
        if isinstance(new, TextColumn) and not new.numeric and column_type.distinct_cells is not None:
            copies, cells = column_type.first_positions, column_type.distinct_cells.cells
            original = {word: cells[copies[word]] for word in new.words if word in copies}
            column = TextColumn(tuple(original.get(word) or word for word in new.words), new.codes)
            return self._formatted(name, column) if column_type.kind is Kind.DATE else column
        return super()._source(name, columns)


@dataclass(frozen=True, eq=False, repr=False)
class TypedFrameCells(PolarsCells):
    """Frame with the column types of the whole table."""

    column_types: Mapping[str, ColumnType]

    def content(self, name: str) -> ColumnContent:
        return self.column_types[name].content(self.table[name]) if name in self.column_types else super().content(name)

    def replace_columns(self, names: Sequence[str], columns: NewColumns) -> PolarsCells:
        new = {name: self._new(name, columns[name]) for name in names if name in columns}
        untouched = {name: kept for name, kept in self.column_types.items() if name in names and name not in new}
        table = pl.DataFrame({name: new[name] if name in new else self.table[name] for name in names})
        return TypedFrameCells(table, untouched)

    def _new(self, name: str, column: NewColumn) -> pl.Series:
        column_type = self.column_types[name]
        if isinstance(column, DateColumn):
            if self.table.schema[name] in (pl.Date, pl.Datetime):
                return to_date_series(column, self.content(name))
            return to_string_series(column_type.format_days(column))
        if isinstance(column, RoundedColumn):
            return to_polars_dtype(column, self.table.schema[name])
        if not isinstance(column, TextColumn):
            return to_number_series(column)
        rows = rows_to_copy(column_type.first_positions, column)
        if column_type.distinct_cells is None or rows is None or (column.numeric and (column.codes >= 0).any()):
            return to_string_series(column)
        return column_type.distinct_cells.cells.gather(gather_indices(rows))

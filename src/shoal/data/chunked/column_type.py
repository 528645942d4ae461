"""Type of a column, which depends on all of its values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from shoal.data.chunked.column_sketch import CellNotation, ColumnSketch, DistinctCells, Occurrence
from shoal.data.csv.text_values import NUMBER, parse_floats
from shoal.data.decimals import float_dtype
from shoal.data.encode.dates import format_days
from shoal.data.frames.polars_frames import series_content
from shoal.data.new_columns import first_rows
from shoal.data.table import ColumnContent
from shoal.domain import DateColumn, Precision, TextColumn
from shoal.domain.columns import Kind


@dataclass(frozen=True, eq=False, repr=False)
class ColumnType:
    """Type of a column: how its cells are parsed in any chunk."""

    notation: CellNotation
    sketch: ColumnSketch
    distinct_cells: DistinctCells | None
    """Distinct cells in the order of first appearance; None if there are too many."""
    dtype: pl.DataType

    def content(self, cells: pl.Series) -> ColumnContent:
        """Parse cells of the column as `infer_content` or `series_content` parse all of them."""
        if self.notation.is_text:
            return _content(cells.alias(""), self.notation, self.sketch)
        content = series_content(cells)
        return replace(content, write_times=True) if self.sketch.has_times else content

    @cached_property
    def empty_content(self) -> ColumnContent:
        """Content of an empty chunk: kind, type and levels of the column."""
        return self.content(pl.Series([], dtype=self.dtype))

    @property
    def kind(self) -> Kind:
        return self.empty_content.kind

    @property
    def precision(self) -> Precision:
        """Number of decimals of the numbers of the column."""
        sketch = self.sketch
        dtype = "float64" if self.notation.is_text else float_dtype(str(self.dtype))
        return sketch.decimals.precision(low=sketch.moments.low, high=sketch.moments.high, dtype=dtype)

    @cached_property
    def distinct_content(self) -> ColumnContent | None:
        return None if self.distinct_cells is None else self.content(self.distinct_cells.cells)

    def format_days(self, column: DateColumn) -> TextColumn:
        """Format days as the dates of the column are written."""
        return format_days(column, separator=self.sketch.time_separator.note, zone=self.sketch.utc_notation.note)

    @property
    def missing(self) -> Occurrence:
        if not self.notation.is_text or self.kind in (Kind.NUMERIC, Kind.DATE):
            return self.sketch.missing
        return self.sketch.empty_fields

    @cached_property
    def first_positions(self) -> dict[str | None, int]:
        """Index of the first distinct cell of each value."""
        return {} if self.distinct_content is None else first_rows(self.distinct_content.text_values)

    def value_counts(self) -> dict[str, int] | None:
        """Return the records of each value, sorted by value (numbers by size), without missing values."""
        if self.distinct_cells is None or self.distinct_content is None:
            return None
        frame = pl.DataFrame(
            [
                self.distinct_content.values.alias("value"),
                self.distinct_content.text_values.alias("word"),
                pl.Series("records", self.distinct_cells.counts),
            ]
        ).drop_nulls()
        counts = frame.group_by("word").agg(pl.col("value").min(), pl.col("records").sum()).sort("value", "word")
        return dict(counts.select("word", "records").iter_rows())


def _content(text: pl.Series, notation: CellNotation, sketch: ColumnSketch) -> ColumnContent:
    if not sketch.numbers and (not sketch.non_numbers.count or sketch.non_dates.count):
        return ColumnContent(Kind.NOMINAL, "text", notation.parser.mask_missing(text))
    plain = notation.plain(text)
    absent = plain.is_in(list(notation.parser.missing))
    if not sketch.numbers:
        return ColumnContent(Kind.DATE, "date", notation.parser.to_standard(text).set(absent, None))
    if sketch.non_numbers.count:
        return _mixed(notation.parser.mask_missing(text), plain, absent)
    if sketch.leading_zeros:
        return ColumnContent(Kind.NOMINAL, "text", notation.parser.mask_missing(text))
    numbers = parse_floats(plain, ~absent)
    if sketch.non_integers:
        return ColumnContent(Kind.NUMERIC, "number", numbers, numbers)
    digits = plain.zip_with(~absent, pl.Series([None], dtype=pl.String))
    return ColumnContent(Kind.NUMERIC, "integer", digits if sketch.overflows else digits.cast(pl.Int64), numbers)


def _mixed(values: pl.Series, plain: pl.Series, absent: pl.Series) -> ColumnContent:
    number = plain.str.contains(NUMBER) & ~absent
    return ColumnContent(Kind.NOMINAL, "text", values, parse_floats(plain, number), ~(number | absent))

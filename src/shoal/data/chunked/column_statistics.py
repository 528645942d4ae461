"""Statistics of one column, computed chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.data.chunked.column_sketch import CellNotation, ColumnSketch, DistinctCells
from shoal.data.chunked.column_type import ColumnType
from shoal.data.chunked.comparable_cells import normalized_cells
from shoal.data.chunked.distinct_count import DistinctSketch
from shoal.data.csv.text_values import BLANKS, parse_floats
from shoal.data.encode.encode_table import is_order_informative
from shoal.data.identifiers.value_patterns import MIN_NUMBER, detect_pattern
from shoal.data.library_errors import translate_errors
from shoal.data.table import Table
from shoal.data.value_sample import ValueSample, pattern_texts
from shoal.domain import FloatVector
from shoal.domain.columns import Kind
from shoal.domain.profile import ColumnProfile
from shoal.errors import DataError

MAX_DISTINCT = 100_000
"""Limit of the distinct values that are kept with their counts; above it their number is estimated."""


class ConsecutiveRun(NamedTuple):
    """First and last of some numbers, and whether each number is one more than the number before."""

    first: float
    last: float
    holds: bool

    def __add__(self, other: ConsecutiveRun) -> ConsecutiveRun:  # type: ignore[override]
        holds = self.holds and other.holds and other.first - self.last == 1
        return ConsecutiveRun(self.first, other.last, True) if holds else _NO_CLIMB


_NO_CLIMB = ConsecutiveRun(0.0, 0.0, False)
_GLANCE = 64
"""Cells of a chunk that are tested before all of them are."""


_STANDARD = CellNotation(is_text=True)


class SortOrder(NamedTuple):
    """First and last of some cells, as numbers or texts, and whether the cells are sorted."""

    first: float | str | None
    """None if all cells are missing."""
    last: float | str | None
    ascending: bool
    descending: bool

    def __add__(self, other: SortOrder) -> SortOrder:  # type: ignore[override]
        if self.first is None or other.first is None:
            return other if self.first is None else self
        if type(self.last) is not type(other.first):
            return _NO_SLOPE
        above, below = self.last <= other.first, self.last >= other.first  # type: ignore[operator]
        return SortOrder(
            self.first,
            other.last,
            self.ascending and other.ascending and above,
            self.descending and other.descending and below,
        )

    @classmethod
    def of(cls, cells: pl.Series, notation: CellNotation) -> SortOrder:
        known = cells.drop_nulls()
        if notation.is_text:
            known, notation = notation.reading.to_standard(known), _STANDARD
            known = known.filter(known.str.strip_chars(BLANKS) != "")
        if not len(known):
            return SortOrder(None, None, ascending=True, descending=True)
        if not any(_sort_order(known[:_GLANCE], notation)):  # false for most columns
            return _NO_SLOPE
        up, down = _sort_order(known, notation)
        ends = known.gather([0, -1])
        numbers = _as_floats(known, notation)
        first, last = ends.cast(pl.String).to_list() if numbers is None else numbers[[0, -1]].tolist()
        return SortOrder(first, last, up, down) if up or down else _NO_SLOPE


_NO_SLOPE = SortOrder(0.0, 0.0, ascending=False, descending=False)


def _sort_order(cells: pl.Series, notation: CellNotation) -> tuple[bool, bool]:
    """Return whether the cells are sorted in ascending and in descending order: as numbers if all are numbers, else as
    texts.
    """
    numbers = _as_floats(cells, notation)
    if numbers is not None:
        before, after = numbers[:-1], numbers[1:]
        return bool((before <= after).all()), bool((before >= after).all())
    if cells.dtype.is_nested() or cells.dtype in (pl.Object, pl.Null, pl.Binary):
        return False, False
    texts = cells.cast(pl.String)
    return texts.is_sorted(), texts.is_sorted(descending=True)


@dataclass(frozen=True, eq=False, repr=False)
class ColumnStatistics:
    """Statistics of a column: its distinct values with counts, or, above `MOST_DIFFERENT`, a sketch."""

    name: str
    notation: CellNotation
    dtype: pl.DataType
    consecutive: ConsecutiveRun
    order: SortOrder
    distinct_cells: DistinctCells | None
    partial_sketch: ColumnSketch | None = None
    distinct_estimate: DistinctSketch | None = None
    sample: ValueSample | None = None

    @classmethod
    def of(cls, table: Table, name: str, *, start: int, many_values: bool) -> ColumnStatistics:
        """Compute the statistics of a chunk whose first record is row ``start``; ``many`` skips the search for distinct
        values.
        """
        notation = CellNotation.of(table.cells, name)
        with translate_errors(lambda: DataError.unknown_objects(name)):
            cells = _plain_type(normalized_cells(table, name).alias(""))
            climb, slope = _consecutive(cells, notation), SortOrder.of(cells, notation)
            if not many_values:
                distinct = _different(cells, start)
                if len(distinct.cells) <= MAX_DISTINCT:
                    return cls(name, notation, cells.dtype, climb, slope, distinct)
            places = np.arange(start, start + len(cells), dtype=np.int64)
            all_cells = DistinctCells(cells, np.ones(len(cells), dtype=np.int64), places)
            return cls(name, notation, cells.dtype, climb, slope, None, *_sketched(all_cells, notation))

    def __add__(self, other: ColumnStatistics) -> ColumnStatistics:
        climb, slope = self.consecutive + other.consecutive, self.order + other.order
        if self.distinct_cells is not None and other.distinct_cells is not None:
            merged = _merged(self.distinct_cells, other.distinct_cells)
            if len(merged.cells) <= MAX_DISTINCT:
                return ColumnStatistics(self.name, self.notation, self.dtype, climb, slope, merged)
        mine, theirs = self._sums(), other._sums()
        sums = mine[0] + theirs[0], mine[1] + theirs[1], mine[2] + theirs[2]
        return ColumnStatistics(self.name, self.notation, self.dtype, climb, slope, None, *sums)

    def _sums(self) -> tuple[ColumnSketch, DistinctSketch, ValueSample]:
        if self.partial_sketch is not None and self.distinct_estimate is not None and self.sample is not None:
            return self.partial_sketch, self.distinct_estimate, self.sample
        return _sketched(self.distinct_cells or _NO_CELLS, self.notation)

    @cached_property
    def sketch(self) -> ColumnSketch:
        if self.distinct_cells is not None:
            return ColumnSketch.of(self.distinct_cells, self.notation).consistent()
        return self._sums()[0]

    @cached_property
    def column_type(self) -> ColumnType:
        return ColumnType(self.notation, self.sketch, self.distinct_cells, self.dtype)

    def profile(self, records: int) -> ColumnProfile:
        """Return the profile of the column as `tables.profile` does."""
        content, missing, numeric = (
            self.column_type.empty_content,
            self.column_type.missing.count,
            self.column_type.kind is Kind.NUMERIC,
        )
        sketch = self.sketch
        whole = numeric and sketch.numbers > 0 and not sketch.infinite.count and not sketch.uneven
        climbs = whole and missing == 0 and records > 1 and self.consecutive.holds
        distinct, slope = self._values(records - missing), self.order
        ordered = is_order_informative(distinct, records - missing) and (slope.ascending or slope.descending)
        value_pattern = self._pattern(whole=whole, distinct=distinct, present=records - missing)
        return ColumnProfile(
            self.name, content.kind, content.type, whole, distinct, missing, climbs, ordered, value_pattern
        )

    def _pattern(self, *, whole: bool, distinct: int, present: int) -> str:
        kind, sketch = self.column_type.kind, self.sketch
        if kind is Kind.DATE or (kind is Kind.NUMERIC and not (whole and sketch.moments.high >= MIN_NUMBER)):
            return ""
        if kind is not Kind.NUMERIC and sketch.emails:
            return "email"
        sample = self.sample or _sampled(self.distinct_cells or _NO_CELLS, self.notation)
        return detect_pattern(sample.texts, kind, self.notation.reading, distinct=distinct, present=present)

    def _values(self, present: int) -> int:
        """Return the number of distinct values, possibly an estimate."""
        content = self.column_type.distinct_content
        if content is not None:
            return int(content.values.drop_nulls().n_unique())
        return 0 if self.distinct_estimate is None else self.distinct_estimate.estimate(present)


_NO_CELLS = DistinctCells(pl.Series([], dtype=pl.String), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def _sketched(seen: DistinctCells, notation: CellNotation) -> tuple[ColumnSketch, DistinctSketch, ValueSample]:
    return (
        ColumnSketch.of(seen, notation).consistent(),
        DistinctSketch.of(seen.cells, seen.counts),
        _sampled(seen, notation),
    )


def _sampled(seen: DistinctCells, notation: CellNotation) -> ValueSample:
    texts = notation.reading.mask_missing(seen.cells) if notation.is_text else pattern_texts(seen.cells)
    return ValueSample.of(texts)


def _plain_type(cells: pl.Series) -> pl.Series:
    """Convert categoricals to one global type: the codes of two chunks may differ."""
    return cells.cast(pl.String).cast(pl.Categorical) if cells.dtype == pl.Categorical else cells


def _different(cells: pl.Series, start: int) -> DistinctCells:
    rows = pl.DataFrame([cells.alias("cell")]).with_row_index("first", offset=start)
    return _grouped(rows.with_columns(pl.lit(1, dtype=pl.Int64).alias("count")))


def _merged(one: DistinctCells, two: DistinctCells) -> DistinctCells:
    return _grouped(pl.concat([_frame(one), _frame(two)]))


def _frame(seen: DistinctCells) -> pl.DataFrame:
    return pl.DataFrame(
        [seen.cells.alias("cell"), pl.Series("first", seen.first_rows), pl.Series("count", seen.counts)]
    )


def _grouped(rows: pl.DataFrame) -> DistinctCells:
    """Group equal cells, in the order of first appearance."""
    groups = rows.group_by("cell").agg(pl.col("first").min().cast(pl.Int64), pl.col("count").sum()).sort("first")
    return DistinctCells(groups["cell"].alias(""), groups["count"].to_numpy(), groups["first"].to_numpy())


def _consecutive(cells: pl.Series, notation: CellNotation) -> ConsecutiveRun:
    """Test for consecutive numbers in the order of the cells; other values do not count as consecutive."""
    if not _is_consecutive(_as_floats(cells[:2], notation)):  # false for most columns
        return _NO_CLIMB
    numbers = _as_floats(cells, notation)
    return (
        ConsecutiveRun(float(numbers[0]), float(numbers[-1]), True)
        if numbers is not None and _is_consecutive(numbers)
        else _NO_CLIMB
    )


def _is_consecutive(numbers: FloatVector | None) -> bool:
    with np.errstate(over="ignore"):
        return numbers is not None and bool((np.diff(numbers) == 1).all())


def _as_floats(cells: pl.Series, notation: CellNotation) -> FloatVector | None:
    if notation.is_text:
        plain = notation.plain(cells)
        numbers = parse_floats(plain, pl.Series([True]))
    elif cells.dtype.is_numeric():
        numbers = cells.cast(pl.Float64)
    else:
        return None
    known = numbers.to_numpy() if not numbers.null_count() else None
    return known if known is not None and np.isfinite(known).all() else None

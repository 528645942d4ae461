"""Statistics of one column, computed chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.chunked.column_sketch import CellNotation, ColumnSketch, DistinctCells, normalized_cells
from shoal.data.chunked.column_type import ColumnType
from shoal.data.column_profiles import ValueSample, is_order_informative, pattern_texts
from shoal.data.csv.text_values import BLANKS, parse_floats
from shoal.data.identifiers.value_patterns import MIN_NUMBER, detect_pattern
from shoal.data.library_errors import translate_errors
from shoal.data.table import Table
from shoal.domain import FloatVector, IntVector
from shoal.domain.columns import Kind
from shoal.domain.profile import ColumnProfile
from shoal.errors import DataError

MAX_DISTINCT = 100_000
"""Limit of the distinct values that are kept with their counts; above it their number is estimated."""
_SKETCH_SIZE = 4_096
"""Hashes of a `DistinctSketch`; the standard error of the estimate is 1.6 %."""
_HASH_RANGE = 2.0**64
_CHECKED_FIRST = 64
"""Cells of a chunk that are tested before all of them are."""
_STANDARD = CellNotation(is_text=True)


class ConsecutiveRun(NamedTuple):
    """First and last of some numbers, and whether each number is one more than the number before."""

    first: float
    last: float
    holds: bool

    def __add__(self, other: ConsecutiveRun) -> ConsecutiveRun:  # type: ignore[override]
        holds = self.holds and other.holds and other.first - self.last == 1
        return ConsecutiveRun(self.first, other.last, True) if holds else _NOT_CONSECUTIVE


_NOT_CONSECUTIVE = ConsecutiveRun(0.0, 0.0, False)


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
            return _UNSORTED
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
            known, notation = notation.parser.to_standard(known), _STANDARD
            known = known.filter(known.str.strip_chars(BLANKS) != "")
        if not len(known):
            return SortOrder(None, None, ascending=True, descending=True)
        if not any(_sort_order(known[:_CHECKED_FIRST], notation)):  # false for most columns
            return _UNSORTED
        up, down = _sort_order(known, notation)
        ends = known.gather([0, -1])
        numbers = _as_floats(known, notation)
        first, last = ends.cast(pl.String).to_list() if numbers is None else numbers[[0, -1]].tolist()
        return SortOrder(first, last, up, down) if up or down else _UNSORTED


_UNSORTED = SortOrder(0.0, 0.0, ascending=False, descending=False)


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


class DistinctSketch(NamedTuple):
    """The k smallest hashes, which are a random sample of the distinct values, with the records of each value."""

    hashes: NDArray[np.uint64]
    counts: IntVector

    @classmethod
    def of(cls, cells: pl.Series, counts: IntVector) -> DistinctSketch:
        known = cells.is_not_null().to_numpy()
        return _smallest(cells.hash(seed=0).to_numpy()[known], counts[known])

    def __add__(self, other: DistinctSketch) -> DistinctSketch:  # type: ignore[override]
        return _smallest(np.concatenate([self.hashes, other.hashes]), np.concatenate([self.counts, other.counts]))

    def estimate(self, present: int) -> int:
        """Estimate the number of distinct values among ``present`` records; ``present`` if all sampled values are
        unique.
        """
        if len(self.hashes) < _SKETCH_SIZE:
            return len(self.hashes)
        if (self.counts == 1).all():
            return present
        return min(round((_SKETCH_SIZE - 1) * _HASH_RANGE / float(self.hashes[-1])), present - 1)


def _smallest(hashes: NDArray[np.uint64], counts: IntVector) -> DistinctSketch:
    different, place = np.unique(hashes, return_inverse=True)
    return DistinctSketch(
        different[:_SKETCH_SIZE], np.bincount(place, counts, len(different)).astype(np.int64)[:_SKETCH_SIZE]
    )


@dataclass(frozen=True, eq=False, repr=False)
class ColumnStatistics:
    """Statistics of a column: its distinct values with counts, or a sketch if there are more than `MAX_DISTINCT`."""

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
        """Compute the statistics of a chunk whose first record is row ``start``.

        With ``many_values``, its distinct values are not counted.
        """
        notation = CellNotation.of(table.cells, name)
        with translate_errors(lambda: DataError.unknown_objects(name)):
            cells = _plain_type(normalized_cells(table, name).alias(""))
            facts = name, notation, cells.dtype, _consecutive(cells, notation), SortOrder.of(cells, notation)
            if not many_values:
                distinct = _distinct_cells(cells, start)
                if len(distinct.cells) <= MAX_DISTINCT:
                    return cls(*facts, distinct)
            rows = np.arange(start, start + len(cells), dtype=np.int64)
            all_cells = DistinctCells(cells, np.ones(len(cells), dtype=np.int64), rows)
            return cls(*facts, None, *_sketches(all_cells, notation))

    def __add__(self, other: ColumnStatistics) -> ColumnStatistics:
        facts = self.name, self.notation, self.dtype, self.consecutive + other.consecutive, self.order + other.order
        if self.distinct_cells is not None and other.distinct_cells is not None:
            merged = _grouped(pl.concat([_frame(self.distinct_cells), _frame(other.distinct_cells)]))
            if len(merged.cells) <= MAX_DISTINCT:
                return ColumnStatistics(*facts, merged)
        mine, theirs = self._sums(), other._sums()
        return ColumnStatistics(*facts, None, mine[0] + theirs[0], mine[1] + theirs[1], mine[2] + theirs[2])

    def _sums(self) -> tuple[ColumnSketch, DistinctSketch, ValueSample]:
        if self.partial_sketch is not None and self.distinct_estimate is not None and self.sample is not None:
            return self.partial_sketch, self.distinct_estimate, self.sample
        return _sketches(self.distinct_cells or _NO_CELLS, self.notation)

    @cached_property
    def sketch(self) -> ColumnSketch:
        if self.distinct_cells is not None:
            return ColumnSketch.of(self.distinct_cells, self.notation).consistent()
        return self._sums()[0]

    @cached_property
    def column_type(self) -> ColumnType:
        return ColumnType(self.notation, self.sketch, self.distinct_cells, self.dtype)

    def profile(self, records: int) -> ColumnProfile:
        """Return the profile of the column as `data.profile_columns` does."""
        content, missing, sketch = self.column_type.empty_content, self.column_type.missing.count, self.sketch
        is_numeric, present = content.kind is Kind.NUMERIC, records - missing
        is_integer = is_numeric and sketch.numbers > 0 and not sketch.infinite.count and not sketch.fractional
        is_consecutive = is_integer and missing == 0 and records > 1 and self.consecutive.holds
        distinct = self._values(present)
        is_sorted = is_order_informative(distinct, present) and (self.order.ascending or self.order.descending)
        pattern = self._pattern(is_integer=is_integer, distinct=distinct, present=present)
        return ColumnProfile(
            self.name, content.kind, content.type, is_integer, distinct, missing, is_consecutive, is_sorted, pattern
        )

    def _pattern(self, *, is_integer: bool, distinct: int, present: int) -> str:
        kind, sketch = self.column_type.kind, self.sketch
        if kind is Kind.DATE or (kind is Kind.NUMERIC and not (is_integer and sketch.moments.high >= MIN_NUMBER)):
            return ""
        if kind is not Kind.NUMERIC and sketch.emails:
            return "email"
        sample = self.sample or _value_sample(self.distinct_cells or _NO_CELLS, self.notation)
        return detect_pattern(sample.texts, kind, self.notation.parser, distinct=distinct, present=present)

    def _values(self, present: int) -> int:
        """Return the number of distinct values, possibly an estimate."""
        content = self.column_type.distinct_content
        if content is not None:
            return int(content.values.drop_nulls().n_unique())
        return 0 if self.distinct_estimate is None else self.distinct_estimate.estimate(present)


_NO_CELLS = DistinctCells(pl.Series([], dtype=pl.String), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def _sketches(distinct: DistinctCells, notation: CellNotation) -> tuple[ColumnSketch, DistinctSketch, ValueSample]:
    return (
        ColumnSketch.of(distinct, notation).consistent(),
        DistinctSketch.of(distinct.cells, distinct.counts),
        _value_sample(distinct, notation),
    )


def _value_sample(distinct: DistinctCells, notation: CellNotation) -> ValueSample:
    texts = notation.parser.mask_missing(distinct.cells) if notation.is_text else pattern_texts(distinct.cells)
    return ValueSample.of(texts)


def _plain_type(cells: pl.Series) -> pl.Series:
    """Convert categoricals to one global type: the codes of two chunks may differ."""
    return cells.cast(pl.String).cast(pl.Categorical) if cells.dtype == pl.Categorical else cells


def _distinct_cells(cells: pl.Series, start: int) -> DistinctCells:
    rows = pl.DataFrame([cells.alias("cell")]).with_row_index("first", offset=start)
    return _grouped(rows.with_columns(pl.lit(1, dtype=pl.Int64).alias("count")))


def _frame(distinct: DistinctCells) -> pl.DataFrame:
    return pl.DataFrame(
        [distinct.cells.alias("cell"), pl.Series("first", distinct.first_rows), pl.Series("count", distinct.counts)]
    )


def _grouped(rows: pl.DataFrame) -> DistinctCells:
    """Group equal cells, in the order of first appearance."""
    groups = rows.group_by("cell").agg(pl.col("first").min().cast(pl.Int64), pl.col("count").sum()).sort("first")
    return DistinctCells(groups["cell"].alias(""), groups["count"].to_numpy(), groups["first"].to_numpy())


def _consecutive(cells: pl.Series, notation: CellNotation) -> ConsecutiveRun:
    """Test for consecutive numbers in the order of the cells; other values do not count as consecutive."""
    if not _is_consecutive(_as_floats(cells[:2], notation)):  # false for most columns
        return _NOT_CONSECUTIVE
    numbers = _as_floats(cells, notation)
    if numbers is None or not _is_consecutive(numbers):
        return _NOT_CONSECUTIVE
    return ConsecutiveRun(float(numbers[0]), float(numbers[-1]), True)


def _is_consecutive(numbers: FloatVector | None) -> bool:
    with np.errstate(over="ignore"):
        return numbers is not None and bool((np.diff(numbers) == 1).all())


def _as_floats(cells: pl.Series, notation: CellNotation) -> FloatVector | None:
    if notation.is_text:
        numbers = parse_floats(notation.plain(cells), pl.Series([True]))
    elif cells.dtype.is_numeric():
        numbers = cells.cast(pl.Float64)
    else:
        return None
    values = numbers.to_numpy()
    return values if numbers.null_count() == 0 and np.isfinite(values).all() else None

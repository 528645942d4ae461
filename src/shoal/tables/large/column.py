"""What is known of one column of a table that comes in chunks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.errors import DataError
from shoal.schema.columns import Kind
from shoal.schema.profile import ColumnProfile
from shoal.tables.foreign import replaced_by
from shoal.tables.large.distinct import Distinct
from shoal.tables.large.meaning import Meaning
from shoal.tables.large.seen import told
from shoal.tables.large.sketch import Different, Notation, Sketch
from shoal.tables.records import is_telling
from shoal.tables.table import Table
from shoal.tables.text import BLANKS, floats
from shoal.tables.value_patterns import LEAST_NUMBER, pattern
from shoal.tables.value_sample import ValueSample, texts_of
from shoal.values import FloatVector

MOST_DIFFERENT = 100_000
"""So many different cells of a column are kept with their counts; of more, their number is estimated."""


class Climb(NamedTuple):
    """The first and the last of some numbers, and whether each of them is one more than the one before."""

    first: float
    last: float
    holds: bool

    def __add__(self, other: Climb) -> Climb:  # type: ignore[override]
        holds = self.holds and other.holds and other.first - self.last == 1
        return Climb(self.first, other.last, True) if holds else _NO_CLIMB


_NO_CLIMB = Climb(0.0, 0.0, False)
_GLANCE = 64
"""Cells of a chunk that are looked at before all of them are."""


_STANDARD = Notation(text=True)


class Slope(NamedTuple):
    """The first and the last of some cells, as numbers or as texts, and whether they go up or down all the way."""

    first: float | str | None
    """None where all are missing."""
    last: float | str | None
    up: bool
    down: bool

    def __add__(self, other: Slope) -> Slope:  # type: ignore[override]
        if self.first is None or other.first is None:
            return other if self.first is None else self
        if type(self.last) is not type(other.first):
            return _NO_SLOPE
        above, below = self.last <= other.first, self.last >= other.first  # type: ignore[operator]
        return Slope(self.first, other.last, self.up and other.up and above, self.down and other.down and below)

    @classmethod
    def of(cls, cells: pl.Series, notation: Notation) -> Slope:
        known = cells.drop_nulls()
        if notation.text:
            known, notation = notation.reading.standard(known), _STANDARD
            known = known.filter(known.str.strip_chars(BLANKS) != "")
        if not len(known):
            return Slope(None, None, up=True, down=True)
        if not any(_goes(known[:_GLANCE], notation)):  # as with most columns
            return _NO_SLOPE
        up, down = _goes(known, notation)
        ends = known.gather([0, -1])
        numbers = _as_floats(known, notation)
        first, last = ends.cast(pl.String).to_list() if numbers is None else numbers[[0, -1]].tolist()
        return Slope(first, last, up, down) if up or down else _NO_SLOPE


_NO_SLOPE = Slope(0.0, 0.0, up=False, down=False)


def _goes(cells: pl.Series, notation: Notation) -> tuple[bool, bool]:
    """Whether these cells go up, and whether they go down; as numbers where all of them are, else as texts."""
    numbers = _as_floats(cells, notation)
    if numbers is not None:
        before, after = numbers[:-1], numbers[1:]
        return bool((before <= after).all()), bool((before >= after).all())
    if cells.dtype.is_nested() or cells.dtype in (pl.Object, pl.Null, pl.Binary):
        return False, False
    texts = cells.cast(pl.String)
    return texts.is_sorted(), texts.is_sorted(descending=True)


@dataclass(frozen=True, eq=False, repr=False)
class ColumnSurvey:
    """What is known of a column: its different cells, or where these are too many, counts over all cells."""

    name: str
    notation: Notation
    dtype: pl.DataType
    climb: Climb
    slope: Slope
    different: Different | None
    counted: Sketch | None = None
    distinct: Distinct | None = None
    sample: ValueSample | None = None

    @classmethod
    def of(cls, table: Table, name: str, *, start: int, many: bool) -> ColumnSurvey:
        """Of a chunk whose first record is number ``start``, counted from 0; ``many`` spares a search in vain."""
        notation = Notation.of(table.cells, name)
        with replaced_by(lambda: DataError.strange_cells(name)):
            cells = _plain_type(told(table, name).alias(""))
            climb, slope = _climb(cells, notation), Slope.of(cells, notation)
            if not many:
                found = _different(cells, start)
                if len(found.cells) <= MOST_DIFFERENT:
                    return cls(name, notation, cells.dtype, climb, slope, found)
            places = np.arange(start, start + len(cells), dtype=np.int64)
            one = Different(cells, np.ones(len(cells), dtype=np.int64), places)
            return cls(name, notation, cells.dtype, climb, slope, None, *_summed(one, notation))

    def __add__(self, other: ColumnSurvey) -> ColumnSurvey:
        climb, slope = self.climb + other.climb, self.slope + other.slope
        if self.different is not None and other.different is not None:
            both = _merged(self.different, other.different)
            if len(both.cells) <= MOST_DIFFERENT:
                return ColumnSurvey(self.name, self.notation, self.dtype, climb, slope, both)
        mine, theirs = self._sums(), other._sums()
        sums = mine[0] + theirs[0], mine[1] + theirs[1], mine[2] + theirs[2]
        return ColumnSurvey(self.name, self.notation, self.dtype, climb, slope, None, *sums)

    def _sums(self) -> tuple[Sketch, Distinct, ValueSample]:
        if self.counted is not None and self.distinct is not None and self.sample is not None:
            return self.counted, self.distinct, self.sample
        return _summed(self.different or _NOTHING, self.notation)

    @cached_property
    def sketch(self) -> Sketch:
        if self.different is not None:
            return Sketch.of(self.different, self.notation).settled()
        return self._sums()[0]

    @cached_property
    def meaning(self) -> Meaning:
        return Meaning(self.notation, self.sketch, self.different, self.dtype)

    def profile(self, records: int) -> ColumnProfile:
        """Counts over the column, as `tables.profile` gives them."""
        nothing, missing, numeric = self.meaning.nothing, self.meaning.missing.count, self.meaning.kind is Kind.NUMERIC
        sketch = self.sketch
        whole = numeric and sketch.numbers > 0 and not sketch.infinite.count and not sketch.uneven
        climbs = whole and missing == 0 and records > 1 and self.climb.holds
        distinct, slope = self._values(records - missing), self.slope
        ordered = is_telling(distinct, records - missing) and (slope.up or slope.down)
        found = self._pattern(whole=whole, distinct=distinct, present=records - missing)
        return ColumnProfile(self.name, nothing.kind, nothing.type, whole, distinct, missing, climbs, ordered, found)

    def _pattern(self, *, whole: bool, distinct: int, present: int) -> str:
        kind, sketch = self.meaning.kind, self.sketch
        if kind is Kind.DATE or (kind is Kind.NUMERIC and not (whole and sketch.moments.high >= LEAST_NUMBER)):
            return ""
        if kind is not Kind.NUMERIC and sketch.emails:
            return "email"
        sample = self.sample or _sampled(self.different or _NOTHING, self.notation)
        return pattern(sample.texts, kind, self.notation.reading, distinct=distinct, present=present)

    def _values(self, present: int) -> int:
        """The number of different values."""
        told = self.meaning.told
        if told is not None:
            return int(told.values.drop_nulls().n_unique())
        return 0 if self.distinct is None else self.distinct.estimate(present)


_NOTHING = Different(pl.Series([], dtype=pl.String), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def _summed(seen: Different, notation: Notation) -> tuple[Sketch, Distinct, ValueSample]:
    return Sketch.of(seen, notation).settled(), Distinct.of(seen.cells, seen.counts), _sampled(seen, notation)


def _sampled(seen: Different, notation: Notation) -> ValueSample:
    texts = notation.reading.present(seen.cells) if notation.text else texts_of(seen.cells)
    return ValueSample.of(texts)


def _plain_type(cells: pl.Series) -> pl.Series:
    """Categories as text: the codes of those of two chunks need not agree."""
    return cells.cast(pl.String).cast(pl.Categorical) if cells.dtype == pl.Categorical else cells


def _different(cells: pl.Series, start: int) -> Different:
    rows = pl.DataFrame([cells.alias("cell")]).with_row_index("first", offset=start)
    return _grouped(rows.with_columns(pl.lit(1, dtype=pl.Int64).alias("count")))


def _merged(one: Different, two: Different) -> Different:
    return _grouped(pl.concat([_frame(one), _frame(two)]))


def _frame(seen: Different) -> pl.DataFrame:
    return pl.DataFrame([seen.cells.alias("cell"), pl.Series("first", seen.firsts), pl.Series("count", seen.counts)])


def _grouped(rows: pl.DataFrame) -> Different:
    """In the order in which the cells first appear."""
    found = rows.group_by("cell").agg(pl.col("first").min().cast(pl.Int64), pl.col("count").sum()).sort("first")
    return Different(found["cell"].alias(""), found["count"].to_numpy(), found["first"].to_numpy())


def _climb(cells: pl.Series, notation: Notation) -> Climb:
    """By the cells as they stand; what is no number climbs to nowhere."""
    if not _rises(_as_floats(cells[:2], notation)):  # as with most columns
        return _NO_CLIMB
    numbers = _as_floats(cells, notation)
    return Climb(float(numbers[0]), float(numbers[-1]), True) if numbers is not None and _rises(numbers) else _NO_CLIMB


def _rises(numbers: FloatVector | None) -> bool:
    with np.errstate(over="ignore"):
        return numbers is not None and bool((np.diff(numbers) == 1).all())


def _as_floats(cells: pl.Series, notation: Notation) -> FloatVector | None:
    if notation.text:
        plain = notation.plain(cells)
        numbers = floats(plain, pl.Series([True]))
    elif cells.dtype.is_numeric():
        numbers = cells.cast(pl.Float64)
    else:
        return None
    known = numbers.to_numpy() if not numbers.null_count() else None
    return known if known is not None and np.isfinite(known).all() else None

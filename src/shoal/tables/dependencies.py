"""Dependencies between columns of a table that its release breaks: counts, and no value of a cell.

Three are looked for, in pairs of released columns of which one at least is a quasi-identifier: a column that determines
another (postcode and region), dates or numbers in an order (admission and discharge), and an age that goes with a date
of birth. What chance alone could bring about is none. Large tables are looked at in every so many records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np
import polars as pl

from shoal.errors import ShoalError
from shoal.schema.columns import Column, Kind, Schema
from shoal.tables.order import taken
from shoal.tables.shown import shown_bounds
from shoal.tables.table import Content, Table
from shoal.values import BoolVector, FloatVector, IntVector

_MOST, _FEW = 100_000, 20_000
"""Records in which breaks are counted, and those among them in which dependencies are looked for."""
_BY_CHANCE = 10
"""Records that would break a dependency if there were none, at least."""
_EXCEPTIONS = 0.02
"""The share of pairs of records that may break one that still is one; and so of those that chance would break, x 5."""
_UNORDERED = 0.05
"""The share of the records that would break an order by chance."""
_YEAR = 365.2425
_OLDEST, _LEAST_SPREAD, _SOME = 130, 5, 64
_FREQUENT, _CATEGORIES = 0.01, 12
"""The share of the records that a category has, at least, to be looked at; and the most categories of a column: of many
the rare ones always shrink.
"""


@dataclass(frozen=True)
class Broken:
    """A dependency that a release breaks."""

    kind: str
    """``determined``: the first column determines the second; ``ordered``: it is at most the second; ``aged``: it is
    the age that goes with the second, a date; ``shrunk``: categories of the only column have lost half of their share.
    """
    columns: tuple[str, ...]
    count: int
    """The records that break it, or the categories that shrank."""
    of: int
    """The records, or the categories, that were looked at."""


class Side:
    """One column before and after."""

    def __init__(self, original: Table, released: Table, column: Column, *, replaced: bool) -> None:
        self.name, self.replaced = column.name, replaced
        self._original, self._released = original, released
        self.content: Content = original.cells.content(column.name)
        self.general = column.recode == "lcs"
        """Whether it shows more general values, which take records from all others."""
        self.dated = column.kind is Kind.DATE
        self.measured = self.dated or (column.kind is Kind.NUMERIC and self.content.kind is Kind.NUMERIC)

    @cached_property
    def before(self) -> FloatVector | None:
        """The numbers or days, NaN where one is missing; None where some cell is none."""
        found = self._bounds(self._original)
        return None if found is None else found[0]

    @cached_property
    def after(self) -> tuple[FloatVector, FloatVector] | None:
        """The least and the greatest number or day that each released cell may mean."""
        return self._bounds(self._released)

    def _bounds(self, table: Table) -> tuple[FloatVector, FloatVector] | None:
        try:
            return shown_bounds(table, self.name, dates=self.dated)
        except ShoalError:  # a column that is released as it is may hold dates that no count of days has
            return None

    @cached_property
    def _different(self) -> tuple[FloatVector | IntVector, IntVector]:
        """The different cells in an order, and the place of each cell among them, -1 where it is missing."""
        if self.measured and self.before is not None:
            values, codes = np.unique(self.before, return_inverse=True)
            return values[~np.isnan(values)], np.where(np.isnan(self.before), -1, codes)
        words = self.content.words
        marks, codes = np.unique(_marks(words), return_inverse=True)
        return marks, np.where(words.is_null().to_numpy(), -1, codes)

    @property
    def codes(self) -> IntVector:
        return self._different[1].astype(np.int64, copy=False)

    @property
    def width(self) -> int:
        return len(self._different[0])

    @cached_property
    def new_codes(self) -> IntVector:
        """The codes of the released cells: of a number that of the nearest one; -1 for what no record had."""
        values, codes = self._different
        if not self.replaced or not len(values):
            return codes.astype(np.int64, copy=False)
        if self.measured and self.before is not None:
            if self.after is None:
                return np.full(len(codes), -1, dtype=np.int64)
            low, high = self.after
            right = np.clip(np.searchsorted(values, low), 1, max(len(values) - 1, 1))
            left = right - 1
            right = np.minimum(right, len(values) - 1)
            near = np.where(np.abs(values[left] - low) <= np.abs(values[right] - low), left, right)
            return np.where(np.isnan(low) | (low != high), -1, near).astype(np.int64)
        words = self._released.cells.content(self.name).words
        marks = _marks(words)
        place = np.minimum(np.searchsorted(values, marks), len(values) - 1)
        return np.where(words.is_null().to_numpy() | (values[place] != marks), -1, place).astype(np.int64)


def _marks(words: pl.Series) -> IntVector:
    """A number for each text; that two of them share one is next to impossible, and a miscount all that it brings."""
    return words.hash(seed=0).to_numpy().view(np.int64)


def broken_dependencies(original: Table, released: Table, schema: Schema) -> tuple[Broken, ...]:
    """What the release breaks; both tables have their records in the same order."""
    step = -(-original.height // _MOST)
    if step > 1:
        rows = np.arange(0, original.height, step)
        original, released = taken(original, rows), taken(released, rows)
    sides = [
        Side(original, released, column, replaced=column.name in schema.quasi_identifiers)
        for column in schema.columns
        if column.name in released.names and _is_plain(original.cells.content(column.name).values.dtype)
    ]
    few = np.arange(0, original.height, -(-original.height // _FEW))
    found = [*_determined(sides, few), *_ordered(sides, few), *_aged(sides), *_shrunk(sides)]
    return tuple(one for one in found if one.count)


def _is_plain(dtype: pl.DataType) -> bool:
    text = dtype in (pl.String, pl.Boolean, pl.Categorical, pl.Enum)
    return text or dtype.is_numeric() or dtype in (pl.Date, pl.Datetime)


def _determined(sides: Sequence[Side], few: IntVector) -> Iterator[Broken]:
    """Columns that another one determines."""
    codes = [side.codes[few] for side in sides]
    odds = [_odds(code) for code in codes]
    found = []
    for a, one in enumerate(sides):
        order = np.argsort(codes[a], kind="stable")
        mine = codes[a][order]
        first = np.flatnonzero((mine[1:] == mine[:-1]) & (mine[1:] >= 0))  # neighbors that agree in the one
        if len(first) < _BY_CHANCE:
            continue
        left, right = order[first], order[first + 1]
        for b, other in enumerate(sides):
            if a == b or not (one.replaced or other.replaced) or (one.measured and other.measured):
                continue
            if len(first) * odds[b] >= _BY_CHANCE and _agree(codes[b], left, right, odds[b]):
                found.append((a, b))
    for a, b in found:
        if (b, a) in found and (sides[b].width, a) > (sides[a].width, b):
            continue  # both determine each other: told once, by the finer one
        yield _undetermined(sides[a], sides[b])


def _odds(codes: IntVector) -> float:
    """How likely two records differ."""
    known = codes[codes >= 0]
    if not len(known):
        return 0.0
    shares = np.bincount(known) / len(known)
    return 1.0 - float((shares**2).sum())


def _agree(codes: IntVector, left: IntVector, right: IntVector, odds: float) -> bool:
    """Whether pairs of records agree that agree in another column, but for few."""
    some = slice(0, 500)  # most columns are told by these
    for part in (some, slice(None)):
        mine, theirs = codes[left[part]], codes[right[part]]
        known = (mine >= 0) & (theirs >= 0)
        pairs, differ = int(known.sum()), int((known & (mine != theirs)).sum())
        if differ > max(_EXCEPTIONS, 0.05 if part is some else 0.0) * pairs or differ > 5 * _EXCEPTIONS * pairs * odds:
            return False
    return pairs * odds >= _BY_CHANCE


def _undetermined(one: Side, other: Side) -> Broken:
    """The records of the release with a pair of values that no record had, though one had each."""
    width = other.width
    known = (one.codes >= 0) & (other.codes >= 0)
    pairs = np.unique(one.codes[known] * width + other.codes[known])
    there = (one.new_codes >= 0) & (other.new_codes >= 0)
    keys = one.new_codes[there] * width + other.new_codes[there]
    return Broken("determined", (one.name, other.name), int((~np.isin(keys, pairs)).sum()), len(one.codes))


def _ordered(sides: Sequence[Side], few: IntVector) -> Iterator[Broken]:
    """Columns of which one is at most the other in all records, though by chance it would not be."""
    measured = [side for side in sides if side.measured and side.before is not None]
    for one, other in permutations(measured, 2):
        low, high = one.before, other.before
        if one.dated != other.dated or not (one.replaced or other.replaced) or low is None or high is None:
            continue
        if (low[few[:500]] > high[few[:500]]).any() or (low > high).any():
            continue
        known = few[~(np.isnan(low[few]) | np.isnan(high[few]))]
        if not len(known):
            continue
        below = np.searchsorted(np.sort(high[known]), low[known]) / len(known)
        if below.sum() < _BY_CHANCE or below.mean() < _UNORDERED or one.after is None or other.after is None:
            continue
        tall = np.abs(one.after[0]) * 1e-9  # what rounding of floats does is no break
        yield Broken("ordered", (one.name, other.name), int((one.after[0] - tall > other.after[1]).sum()), len(low))


def _aged(sides: Sequence[Side]) -> Iterator[Broken]:
    """Numbers of years that go with a date, until one day or until another date."""
    dates = [side for side in sides if side.dated and side.before is not None]
    ends: list[Side | None] = [None, *dates]
    # a few records show for most columns that they do not go together
    rows = np.linspace(0, len(sides[0].codes) - 1, num=_SOME).astype(np.int64) if dates else np.zeros(0, dtype=np.int64)
    days = np.array([np.zeros(len(rows)), *(side.before[rows] for side in dates if side.before is not None)])
    for age in sides:
        if age.dated or age.before is None or not age.measured or not _are_years(age.before):
            continue
        for born, day in zip(dates, days[1:], strict=True):
            off = age.before[rows] * _YEAR + day - days
            apart = np.fmax.reduce(off, axis=1) - np.fmin.reduce(off, axis=1) > _YEAR + 2
            for until in (ends[at] for at in np.flatnonzero(~apart) if ends[at] is not born):
                three = [age, born] if until is None else [age, born, until]
                if any(side.replaced for side in three) and (count := _unaged(age, born, until)) is not None:
                    yield Broken("aged", tuple(side.name for side in three), count, len(age.codes))
                    break


def _are_years(numbers: FloatVector | None) -> bool:
    known = numbers[~np.isnan(numbers)] if numbers is not None else np.zeros(0)
    return len(known) >= _BY_CHANCE and 0 <= known.min() <= known.max() - _LEAST_SPREAD <= _OLDEST


def _unaged(age: Side, born: Side, until: Side | None) -> int | None:
    """The released records whose age is off by more than a year; None where age and date do not go together."""
    nothing = np.zeros(len(age.codes))
    last = nothing if until is None else until.before
    if age.before is None or born.before is None or last is None:
        return None
    off = age.before * _YEAR + born.before - last
    off = off[~np.isnan(off)]
    if len(off) < _BY_CHANCE or off.max() - off.min() > _YEAR + 2:
        return None
    ends = (nothing, nothing) if until is None else until.after
    if age.after is None or born.after is None or ends is None:
        return None
    low = age.after[0] * _YEAR + born.after[0] - ends[1]
    high = age.after[1] * _YEAR + born.after[1] - ends[0]
    wrong: BoolVector = (low > off.max() + _YEAR) | (high < off.min() - _YEAR)
    return int(wrong.sum())


def _shrunk(sides: Sequence[Side]) -> Iterator[Broken]:
    """Categories that have less than half of their share among the values that are left."""
    for side in sides:
        if side.measured or side.general or not side.replaced or not 0 < side.width <= _CATEGORIES:
            continue
        before, after = (np.bincount(codes[codes >= 0], minlength=side.width) for codes in (side.codes, side.new_codes))
        frequent = before >= max(_FREQUENT * before.sum(), _BY_CHANCE)
        if after.sum():
            lost = frequent & (2 * after * before.sum() < before * after.sum())
            yield Broken("shrunk", (side.name,), int(lost.sum()), int(frequent.sum()))

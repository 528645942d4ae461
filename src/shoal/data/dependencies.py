"""Find redundant columns, and count dependencies between columns that a release breaks; discloses no cell values.

The latter are checked for pairs of released columns with at least one quasi-identifier: functional dependencies
(postcode and region), order constraints (admission and discharge), and ages that match a date of birth. Dependencies
that may hold by chance are ignored. Large tables are sampled at regular intervals.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

import numpy as np
import polars as pl

from shoal.data.encode.dates import dates_as_days
from shoal.data.equivalence_classes import class_labels
from shoal.data.parse_intervals import released_bounds
from shoal.data.row_order import take
from shoal.data.table import ColumnContent, Table
from shoal.domain import BoolVector, FloatMatrix, FloatVector, IntVector
from shoal.domain.columns import Column, Kind, Schema
from shoal.domain.profile import ColumnProfile
from shoal.errors import ColumnError, DataError, ShoalError

_MOST, _FEW = 100_000, 20_000
"""Maximum records in which violations are counted, and in which dependencies are searched."""
_MIN_VIOLATIONS = 10
"""Minimum expected violations under independence."""
_EXCEPTIONS = 0.02
"""Maximum proportion of violating record pairs of a dependency; also, times 5, of those expected by chance."""
_MIN_UNORDERED = 0.05
"""Minimum proportion of records expected to violate an order by chance."""
_YEAR = 365.2425
_MAX_AGE, _MIN_AGE_RANGE, _SOME = 130, 5, 64
_MIN_FREQUENCY, _MAX_CATEGORIES = 0.01, 12
"""Minimum proportion of records of a checked category, and maximum categories of a checked column: with many, the rare
ones always shrink.
"""
_MIN_RECORDS, _MIN_RECORDS_PER_VALUE = 20, 5
"""With fewer records, or fewer per value, columns may agree by chance."""
_MAX_DEVIATION = 2.5
"""Maximum error in years of a year of birth computed from an age, for 98 of 100 records."""
_MIN_RANGE = 10.0
_YEARS = (1850.0, 2150.0)


@dataclass(frozen=True)
class BrokenDependency:
    """A dependency that a release breaks."""

    kind: str
    """``determined``: the first column determines the second; ``ordered``: the first is at most the second; ``aged``:
    the first is the age for the second, a date; ``shrunk``: categories of the column lost half of their proportion.
    """
    columns: tuple[str, ...]
    count: int
    """Number of violating records, or of shrunk categories."""
    of: int
    """Number of records, or of categories, checked."""


class ComparedColumn:
    """One column before and after the release."""

    def __init__(self, original: Table, released: Table, column: Column, *, replaced: bool) -> None:
        self.name, self.replaced = column.name, replaced
        self._original, self._released = original, released
        self.content: ColumnContent = original.cells.content(column.name)
        self.generalized = column.recode == "lcs"
        """Whether values are generalized, which moves records from all categories."""
        self.is_date = column.kind is Kind.DATE
        self.is_numeric = self.is_date or (column.kind is Kind.NUMERIC and self.content.kind is Kind.NUMERIC)

    @cached_property
    def original_values(self) -> FloatVector | None:
        """Original numbers or days, NaN where missing; None if a cell is neither."""
        bounds = self._bounds(self._original)
        return None if bounds is None else bounds[0]

    @cached_property
    def released_bounds(self) -> tuple[FloatVector, FloatVector] | None:
        """Lower and upper bound of the number or day of each released cell."""
        return self._bounds(self._released)

    def _bounds(self, table: Table) -> tuple[FloatVector, FloatVector] | None:
        try:
            return released_bounds(table, self.name, dates=self.is_date)
        except ShoalError:  # an unchanged column may have dates out of range
            return None

    @cached_property
    def _distinct(self) -> tuple[FloatVector | IntVector, IntVector]:
        """Sorted distinct cells, and the index of each cell among them, -1 where missing."""
        if self.is_numeric and self.original_values is not None:
            values, codes = np.unique(self.original_values, return_inverse=True)
            return values[~np.isnan(values)], np.where(np.isnan(self.original_values), -1, codes)
        words = self.content.text_values
        hashes, codes = np.unique(_hashes(words), return_inverse=True)
        return hashes, np.where(words.is_null().to_numpy(), -1, codes)

    @property
    def codes(self) -> IntVector:
        return self._distinct[1].astype(np.int64, copy=False)

    @property
    def n_distinct(self) -> int:
        return len(self._distinct[0])

    @cached_property
    def released_codes(self) -> IntVector:
        """Codes of the released cells: for a number, of the nearest original one; -1 for a value without a code."""
        values, codes = self._distinct
        if not self.replaced or not len(values):
            return codes.astype(np.int64, copy=False)
        if self.is_numeric and self.original_values is not None:
            if self.released_bounds is None:
                return np.full(len(codes), -1, dtype=np.int64)
            low, high = self.released_bounds
            right = np.clip(np.searchsorted(values, low), 1, max(len(values) - 1, 1))
            left = right - 1
            right = np.minimum(right, len(values) - 1)
            nearest = np.where(np.abs(values[left] - low) <= np.abs(values[right] - low), left, right)
            return np.where(np.isnan(low) | (low != high), -1, nearest).astype(np.int64)
        words = self._released.cells.content(self.name).text_values
        hashes = _hashes(words)
        place = np.minimum(np.searchsorted(values, hashes), len(values) - 1)
        return np.where(words.is_null().to_numpy() | (values[place] != hashes), -1, place).astype(np.int64)


def _hashes(words: pl.Series) -> IntVector:
    """Hash each text; a collision is almost impossible, and would only cause a miscount."""
    return words.hash(seed=0).to_numpy().view(np.int64)


def broken_dependencies(original: Table, released: Table, schema: Schema) -> tuple[BrokenDependency, ...]:
    """Return the broken dependencies; both tables must have the same record order."""
    step = -(-original.height // _MOST)
    if step > 1:
        rows = np.arange(0, original.height, step)
        original, released = take(original, rows), take(released, rows)
    sides = [
        ComparedColumn(original, released, column, replaced=column.name in schema.quasi_identifiers)
        for column in schema.columns
        if column.name in released.names and _is_supported(original.cells.content(column.name).values.dtype)
    ]
    few = np.arange(0, original.height, -(-original.height // _FEW))
    broken = [*_functional(sides, few), *_ordered(sides, few), *_ages(sides), *_shrunk(sides)]
    return tuple(item for item in broken if item.count)


def _is_supported(dtype: pl.DataType) -> bool:
    text = dtype in (pl.String, pl.Boolean, pl.Categorical, pl.Enum)
    return text or dtype.is_numeric() or dtype in (pl.Date, pl.Datetime)


def _functional(sides: Sequence[ComparedColumn], few: IntVector) -> Iterator[BrokenDependency]:
    codes = [side.codes[few] for side in sides]
    rates = [_difference_rate(code) for code in codes]
    dependent = []
    for a, one in enumerate(sides):
        order = np.argsort(codes[a], kind="stable")
        ordered = codes[a][order]
        first = np.flatnonzero((ordered[1:] == ordered[:-1]) & (ordered[1:] >= 0))  # equal neighbors
        if len(first) < _MIN_VIOLATIONS:
            continue
        left, right = order[first], order[first + 1]
        for b, other in enumerate(sides):
            if a == b or not (one.replaced or other.replaced) or (one.is_numeric and other.is_numeric):
                continue
            if len(first) * rates[b] >= _MIN_VIOLATIONS and _agree(codes[b], left, right, rates[b]):
                dependent.append((a, b))
    for a, b in dependent:
        if (b, a) in dependent and (sides[b].n_distinct, a) > (sides[a].n_distinct, b):
            continue  # a one-to-one pair is reported once, by the finer column
        yield _count_new_pairs(sides[a], sides[b])


def _difference_rate(codes: IntVector) -> float:
    """Return the probability that two records differ."""
    known = codes[codes >= 0]
    if not len(known):
        return 0.0
    shares = np.bincount(known) / len(known)
    return 1.0 - float((shares**2).sum())


def _agree(codes: IntVector, left: IntVector, right: IntVector, rate: float) -> bool:
    """Return whether almost all pairs of records that agree in another column agree in this one."""
    head = slice(0, 500)  # these reject most columns
    for part in (head, slice(None)):
        left_codes, right_codes = codes[left[part]], codes[right[part]]
        known = (left_codes >= 0) & (right_codes >= 0)
        pairs, differ = int(known.sum()), int((known & (left_codes != right_codes)).sum())
        if differ > max(_EXCEPTIONS, 0.05 if part is head else 0.0) * pairs or differ > 5 * _EXCEPTIONS * pairs * rate:
            return False
    return pairs * rate >= _MIN_VIOLATIONS


def _count_new_pairs(one: ComparedColumn, other: ComparedColumn) -> BrokenDependency:
    """Count released records with a pair of values that no original record had, though each value occurred."""
    width = other.n_distinct
    known = (one.codes >= 0) & (other.codes >= 0)
    pairs = np.unique(one.codes[known] * width + other.codes[known])
    released = (one.released_codes >= 0) & (other.released_codes >= 0)
    keys = one.released_codes[released] * width + other.released_codes[released]
    return BrokenDependency("determined", (one.name, other.name), int((~np.isin(keys, pairs)).sum()), len(one.codes))


def _ordered(sides: Sequence[ComparedColumn], few: IntVector) -> Iterator[BrokenDependency]:
    measured = [side for side in sides if side.is_numeric and side.original_values is not None]
    for one, other in permutations(measured, 2):
        low, high = one.original_values, other.original_values
        if one.is_date != other.is_date or not (one.replaced or other.replaced) or low is None or high is None:
            continue
        if (low[few[:500]] > high[few[:500]]).any() or (low > high).any():
            continue
        known = few[~(np.isnan(low[few]) | np.isnan(high[few]))]
        if not len(known):
            continue
        below = np.searchsorted(np.sort(high[known]), low[known]) / len(known)
        if (
            below.sum() < _MIN_VIOLATIONS
            or below.mean() < _MIN_UNORDERED
            or one.released_bounds is None
            or other.released_bounds is None
        ):
            continue
        eps = np.abs(one.released_bounds[0]) * 1e-9  # tolerance for rounding of floats
        yield BrokenDependency(
            "ordered",
            (one.name, other.name),
            int((one.released_bounds[0] - eps > other.released_bounds[1]).sum()),
            len(low),
        )


def _ages(sides: Sequence[ComparedColumn]) -> Iterator[BrokenDependency]:
    """Find ages that match a date of birth, at a fixed day or at another date, and that the release breaks."""
    dates = [side for side in sides if side.is_date and side.original_values is not None]
    ends: list[ComparedColumn | None] = [None, *dates]
    # a few records suffice to reject most columns
    rows = np.linspace(0, len(sides[0].codes) - 1, num=_SOME).astype(np.int64) if dates else np.zeros(0, dtype=np.int64)
    days = np.array(
        [np.zeros(len(rows)), *(side.original_values[rows] for side in dates if side.original_values is not None)]
    )
    for age in sides:
        if age.is_date or age.original_values is None or not age.is_numeric or not _are_years(age.original_values):
            continue
        for born, day in zip(dates, days[1:], strict=True):
            off = age.original_values[rows] * _YEAR + day - days
            mismatch = np.fmax.reduce(off, axis=1) - np.fmin.reduce(off, axis=1) > _YEAR + 2
            for until in (ends[at] for at in np.flatnonzero(~mismatch) if ends[at] is not born):
                three = [age, born] if until is None else [age, born, until]
                if any(side.replaced for side in three) and (count := _count_wrong_ages(age, born, until)) is not None:
                    yield BrokenDependency("aged", tuple(side.name for side in three), count, len(age.codes))
                    break


def _are_years(numbers: FloatVector | None) -> bool:
    known = numbers[~np.isnan(numbers)] if numbers is not None else np.zeros(0)
    return len(known) >= _MIN_VIOLATIONS and 0 <= known.min() <= known.max() - _MIN_AGE_RANGE <= _MAX_AGE


def _count_wrong_ages(age: ComparedColumn, born: ComparedColumn, until: ComparedColumn | None) -> int | None:
    """Count released records whose age is off by more than a year; None if age and date do not match originally."""
    zeros = np.zeros(len(age.codes))
    last = zeros if until is None else until.original_values
    if age.original_values is None or born.original_values is None or last is None:
        return None
    off = age.original_values * _YEAR + born.original_values - last
    off = off[~np.isnan(off)]
    if len(off) < _MIN_VIOLATIONS or off.max() - off.min() > _YEAR + 2:
        return None
    ends = (zeros, zeros) if until is None else until.released_bounds
    if age.released_bounds is None or born.released_bounds is None or ends is None:
        return None
    low = age.released_bounds[0] * _YEAR + born.released_bounds[0] - ends[1]
    high = age.released_bounds[1] * _YEAR + born.released_bounds[1] - ends[0]
    violating: BoolVector = (low > off.max() + _YEAR) | (high < off.min() - _YEAR)
    return int(violating.sum())


def _shrunk(sides: Sequence[ComparedColumn]) -> Iterator[BrokenDependency]:
    """Find categories with less than half of their original proportion among the remaining values."""
    for side in sides:
        if side.is_numeric or side.generalized or not side.replaced or not 0 < side.n_distinct <= _MAX_CATEGORIES:
            continue
        before, after = (
            np.bincount(codes[codes >= 0], minlength=side.n_distinct) for codes in (side.codes, side.released_codes)
        )
        frequent = before >= max(_MIN_FREQUENCY * before.sum(), _MIN_VIOLATIONS)
        if after.sum():
            lost = frequent & (2 * after * before.sum() < before * after.sum())
            yield BrokenDependency("shrunk", (side.name,), int(lost.sum()), int(frequent.sum()))


def redundant_pairs(table: Table, profiles: Sequence[ColumnProfile], names: Collection[str]) -> list[tuple[str, str]]:
    """Return pairs of redundant columns among these."""
    if table.height < _MIN_RECORDS:
        return []
    known = [profile for profile in profiles if profile.name in names]
    pairs = _one_to_one(table, known)
    years = {profile.name: values for profile in known if (values := _years(table, profile)) is not None}
    dates = {profile.name for profile in known if profile.kind is Kind.DATE}
    same_years = (
        pair for pair in _candidates(years, table.height) if not dates.issuperset(pair) and _is_redundant(years, pair)
    )
    return [*pairs, *same_years]


def _one_to_one(table: Table, profiles: Sequence[ColumnProfile]) -> list[tuple[str, str]]:
    """Return pairs of columns in one-to-one correspondence.

    Their values get the same codes if these are assigned by first appearance.
    """
    names_by_codes: dict[bytes, list[str]] = {}
    for profile in profiles:
        if profile.distinct >= 2 and table.height >= _MIN_RECORDS_PER_VALUE * profile.distinct:
            names_by_codes.setdefault(class_labels(table, (profile.name,)).tobytes(), []).append(profile.name)
    return [pair for names in names_by_codes.values() for pair in combinations(names, 2)]


def _years(table: Table, profile: ColumnProfile) -> FloatVector | None:
    """Return the column in years, if it holds ages, years or dates."""
    if profile.kind is Kind.DATE:
        with suppress(DataError, ColumnError):  # a proposal must not fail on invalid dates
            return dates_as_days(table, profile.name) / _YEAR
        return None
    numbers = table.cells.content(profile.name).numbers if profile.kind is Kind.NUMERIC and profile.is_integer else None
    if numbers is None:
        return None
    years = numbers.to_numpy().astype(np.float64)
    low, high = np.nanmin(years), np.nanmax(years)
    plausible = 0 <= low < high <= _MAX_AGE or _YEARS[0] <= low < high <= _YEARS[1]
    return years if plausible and _range(years[~np.isnan(years)]) >= _MIN_RANGE else None


def _candidates(years: Mapping[str, FloatVector], records: int) -> Iterator[tuple[str, str]]:
    """Yield pairs of columns that a sample of records does not reject as redundant."""
    names = list(years)
    rows = np.linspace(0, records - 1, num=_SOME).astype(np.int64)
    samples = np.array([np.where(np.isnan(column), np.nanmedian(column), column)[rows] for column in years.values()])
    for at, sample in enumerate(samples[:-1]):
        others = samples[at + 1 :]
        similar = np.minimum(_deviations(others - sample), _deviations(others + sample)) <= _MAX_DEVIATION
        yield from ((names[at], names[at + 1 + other]) for other in np.flatnonzero(similar))


def _deviations(rows: FloatMatrix) -> FloatVector:
    deviations: FloatVector = np.median(np.abs(rows - np.median(rows, axis=1, keepdims=True)), axis=1)
    return deviations


def _is_redundant(years: dict[str, FloatVector], pair: tuple[str, str]) -> bool:
    """Return whether one column determines the other up to the day: age and date of birth, date and its year."""
    first, second = (years[name] for name in pair)
    known = ~(np.isnan(first) | np.isnan(second))
    if known.sum() < _MIN_RECORDS or min(_range(first[known]), _range(second[known])) < _MIN_RANGE:
        return False
    return min(_range((first + second)[known]), _range((first - second)[known])) <= _MAX_DEVIATION


def _range(values: FloatVector) -> float:
    low, high = np.quantile(values, (0.01, 0.99))
    return float(high - low)

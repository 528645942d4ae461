"""Columns that say the same about every record: a value and its code, an age and a date of birth."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations

import numpy as np

from shoal.errors import ColumnError, DataError
from shoal.schema.columns import Kind
from shoal.schema.profile import ColumnProfile
from shoal.tables.dates import days
from shoal.tables.records import class_numbers
from shoal.tables.table import Table
from shoal.values import FloatMatrix, FloatVector

_FEWEST_RECORDS, _PER_VALUE = 20, 5
"""In fewer records, or with fewer of each value, columns may say the same by chance."""
_DAYS_PER_YEAR = 365.2425
_SPREAD = 2.5
"""Years by which a year of birth may be off that an age tells, at 98 of 100 records."""
_FEW_RECORDS = 64
_LEAST_RANGE = 10.0
_MOST_AGE, _YEARS = 130.0, (1850.0, 2150.0)


def redundant(table: Table, profiles: Sequence[ColumnProfile], names: Collection[str]) -> list[tuple[str, str]]:
    """Pairs of these columns that say the same."""
    if table.height < _FEWEST_RECORDS:
        return []
    known = [profile for profile in profiles if profile.name in names]
    pairs = _one_to_one(table, known)
    years = {profile.name: found for profile in known if (found := _years(table, profile)) is not None}
    dates = {profile.name for profile in known if profile.kind is Kind.DATE}
    same = (pair for pair in _candidates(years, table.height) if not dates.issuperset(pair) and _is_same(years, pair))
    return [*pairs, *same]


def _one_to_one(table: Table, profiles: Sequence[ColumnProfile]) -> list[tuple[str, str]]:
    """Pairs of columns of which each value stands beside one value of the other.

    Their values have the same numbers where these are given in the order of the records.
    """
    alike: dict[bytes, list[str]] = {}
    for profile in profiles:
        if profile.distinct >= 2 and table.height >= _PER_VALUE * profile.distinct:
            alike.setdefault(class_numbers(table, (profile.name,)).tobytes(), []).append(profile.name)
    return [pair for names in alike.values() for pair in combinations(names, 2)]


def _years(table: Table, profile: ColumnProfile) -> FloatVector | None:
    """The column in years, if it holds ages, years or dates."""
    if profile.kind is Kind.DATE:
        with suppress(DataError, ColumnError):  # dates that are none are not for a proposal to refuse
            return days(table, profile.name) / _DAYS_PER_YEAR
        return None
    numbers = table.cells.content(profile.name).numbers if profile.kind is Kind.NUMERIC and profile.whole else None
    if numbers is None:
        return None
    found = numbers.to_numpy().astype(np.float64)
    low, high = np.nanmin(found), np.nanmax(found)
    plausible = 0 <= low < high <= _MOST_AGE or _YEARS[0] <= low < high <= _YEARS[1]
    return found if plausible and _range(found[~np.isnan(found)]) >= _LEAST_RANGE else None


def _candidates(years: Mapping[str, FloatVector], records: int) -> Iterator[tuple[str, str]]:
    """Pairs of these columns of which a few records do not show that they say different things."""
    names = list(years)
    rows = np.linspace(0, records - 1, num=_FEW_RECORDS).astype(np.int64)
    some = np.array([np.where(np.isnan(found), np.nanmedian(found), found)[rows] for found in years.values()])
    for at, one in enumerate(some[:-1]):
        others = some[at + 1 :]
        near = np.minimum(_deviations(others - one), _deviations(others + one)) <= _SPREAD
        yield from ((names[at], names[at + 1 + other]) for other in np.flatnonzero(near))


def _deviations(rows: FloatMatrix) -> FloatVector:
    """The median deviation from the median of each row."""
    found: FloatVector = np.median(np.abs(rows - np.median(rows, axis=1, keepdims=True)), axis=1)
    return found


def _is_same(years: dict[str, FloatVector], pair: tuple[str, str]) -> bool:
    """Whether the one tells the other but for the day: an age and a date of birth, a date and its year."""
    one, two = (years[name] for name in pair)
    known = ~(np.isnan(one) | np.isnan(two))
    if known.sum() < _FEWEST_RECORDS or min(_range(one[known]), _range(two[known])) < _LEAST_RANGE:
        return False
    return min(_range((one + two)[known]), _range((one - two)[known])) <= _SPREAD


def _range(values: FloatVector) -> float:
    low, high = np.quantile(values, (0.01, 0.99))
    return float(high - low)

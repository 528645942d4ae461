"""Detect redundant columns: a value and its code, an age and a date of birth."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations

import numpy as np

from shoal.data.encode.dates import dates_as_days
from shoal.data.encode.encode_table import class_labels
from shoal.data.table import Table
from shoal.domain import FloatMatrix, FloatVector
from shoal.domain.columns import Kind
from shoal.domain.profile import ColumnProfile
from shoal.errors import ColumnError, DataError

_MIN_RECORDS, _MIN_RECORDS_PER_VALUE = 20, 5
"""With fewer records, or fewer per value, columns may agree by chance."""
_DAYS_PER_YEAR = 365.2425
_MAX_DEVIATION = 2.5
"""Maximum error in years of a year of birth computed from an age, for 98 of 100 records."""
_SAMPLE_RECORDS = 64
_MIN_RANGE = 10.0
_MAX_AGE, _YEARS = 130.0, (1850.0, 2150.0)


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
            return dates_as_days(table, profile.name) / _DAYS_PER_YEAR
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
    rows = np.linspace(0, records - 1, num=_SAMPLE_RECORDS).astype(np.int64)
    samples = np.array([np.where(np.isnan(column), np.nanmedian(column), column)[rows] for column in years.values()])
    for at, sample in enumerate(samples[:-1]):
        others = samples[at + 1 :]
        similar = np.minimum(_deviations(others - sample), _deviations(others + sample)) <= _MAX_DEVIATION
        yield from ((names[at], names[at + 1 + other]) for other in np.flatnonzero(similar))


def _deviations(rows: FloatMatrix) -> FloatVector:
    """Return the median absolute deviation of each row."""
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

"""Dates as numbers and back: days since 1970-01-01, with the time of day as a fraction.

Points in time with a zone count in UTC, and so do those without one.
"""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import polars as pl

from shoal.errors import ColumnError, DataError
from shoal.tables.foreign import replaced_by
from shoal.tables.fresh import worded
from shoal.tables.table import Content, Table, where
from shoal.tables.text import DATE
from shoal.values import Days, FloatVector, Worded

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DAY = 86_400_000_000
_WITHOUT_TIME = len("1970-01-01")
_TIME = r"[0-9]:[0-9]{2}(?:[:.][0-9.]+)?"
ZONE = r"(?:Z|[+-][0-9]{2}:?[0-9]{2})$"


def days(table: Table, name: str) -> FloatVector:
    """The dates of a column as days; NaN where one is missing. Text must be ISO 8601: YYYY-MM-DD, with or without time.

    Parts of a microsecond are left out.
    """
    if name not in table.names:
        raise ColumnError.unknown(name, table.names)
    with replaced_by(lambda: DataError.strange_cells(name)):
        content = table.cells.content(name)
        cells = content.values if content.values.dtype in (pl.Date, pl.Datetime) else content.words
        numbers = day_numbers(cells)
    odd = numbers.is_null() & cells.is_not_null()
    if odd.any():
        raise DataError.no_dates(name, **where(odd))
    found: FloatVector = numbers.fill_null(np.nan).to_numpy().astype(np.float64)
    return found


def day_numbers(cells: pl.Series) -> pl.Series:
    """Dates, points in time or texts as days; null where one is missing or no date."""
    if isinstance(cells.dtype, pl.Datetime):
        # divided by numpy: polars multiplies by the inverse, which is another number
        since = cells.dt.timestamp("us").cast(pl.Float64).fill_null(np.nan).to_numpy()
        return pl.Series(since / _DAY).fill_nan(None)
    if cells.dtype == pl.Date:
        return cells.cast(pl.Int32).cast(pl.Float64)
    return _parsed(cells)


def zoned(table: Table, name: str) -> bool:
    """Whether the dates of a column have a time zone."""
    content = table.cells.content(name)
    values = content.values
    if isinstance(values.dtype, pl.Datetime):
        # those of pandas come in UTC, and the name of their type tells the zone
        return values.dtype.time_zone is not None or (content.type.startswith("datetime64[") and "," in content.type)
    return values.dtype == pl.String and has_zones(values)


def has_zones(texts: pl.Series) -> bool:
    """Whether one of these texts is a time with a zone."""
    return bool(texts.str.strip_chars().str.contains(_TIME + ZONE).any())


def _parsed(texts: pl.Series) -> pl.Series:
    """Each different text once; null where one is missing or no date."""
    first = texts.arg_unique()
    numbers = {text: parsed_day(text) for text in texts.gather(first).to_list() if text is not None}
    if not numbers:
        return pl.Series([None] * len(texts), dtype=pl.Float64)
    return texts.replace_strict(list(numbers), list(numbers.values()), return_dtype=pl.Float64)


def parsed_day(text: str) -> float | None:
    """A text of ISO 8601 as days; None where it is none."""
    if not re.match(DATE, text.strip()):
        return None
    try:
        time = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    since = (time if time.tzinfo else time.replace(tzinfo=dt.UTC)) - _EPOCH
    return since // dt.timedelta(microseconds=1) / _DAY


def dated(column: Days, old: Content) -> pl.Series:
    """The days in the type of the column that they replace: dates, points in time, or text; null where missing."""
    dtype = old.values.dtype
    if dtype == pl.Date:
        new = pl.Series(np.rint(np.nan_to_num(column.days)).astype(np.int32)).cast(pl.Date)
    elif isinstance(dtype, pl.Datetime):
        new = pl.Series(column.microseconds).cast(pl.Datetime("us", dtype.time_zone)).cast(dtype)
    else:
        return worded(dated_words(column, old))
    return new.set(pl.Series(np.isnan(column.days)), None)


def dated_words(column: Days, old: Content) -> Worded:
    """The days as text, written as the old ones are: with times if one has a time, and a zone if one has a zone."""
    tails = times_of_day(old.words.drop_nulls())
    tails = tails.filter(tails != "")
    zones = tails.filter(tails.str.contains(ZONE))
    return styled(column, mark=tails[0][0] if len(tails) else "", zone=zone_of(zones[0]) if len(zones) else "")


def times_of_day(dates: pl.Series) -> pl.Series:
    """What stands behind the day in each text."""
    return dates.str.strip_chars().str.slice(_WITHOUT_TIME)


def zone_of(tail: str) -> str:
    """How UTC is written where a time was written with a zone as here."""
    return "Z" if tail.endswith("Z") else "+00:00"


def styled(column: Days, *, mark: str, zone: str) -> Worded:
    """The days as text, with times behind a mark if there is one, and with a zone if there is one."""
    different, which = np.unique(column.days, return_inverse=True)
    texts = Days(different).texts(mark=mark or " ", timed=mark != "")
    return Worded(tuple(text + zone for text in texts), np.where(np.isnan(column.days), -1, which).astype(np.int64))

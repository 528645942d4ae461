"""Convert dates to days since 1970-01-01 and back; the time of day is a fraction.

Times are in UTC; times without a zone are taken as UTC.
"""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import polars as pl

from shoal.data.csv.text_values import DATE
from shoal.data.library_errors import translate_errors
from shoal.data.new_columns import to_string_series
from shoal.data.table import ColumnContent, Table, affected_rows
from shoal.domain import DateColumn, FloatVector, TextColumn
from shoal.errors import ColumnError, DataError

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DAY = 86_400_000_000
_DATE_LENGTH = len("1970-01-01")
_TIME = r"[0-9]:[0-9]{2}(?:[:.][0-9.]+)?"
ZONE = r"(?:Z|[+-][0-9]{2}:?[0-9]{2})$"


def dates_as_days(table: Table, name: str) -> FloatVector:
    """Return the dates of a column as days, NaN where missing. Text must be ISO 8601: YYYY-MM-DD, optionally a time.

    Fractions of a microsecond are dropped.
    """
    if name not in table.names:
        raise ColumnError.unknown(name, table.names)
    with translate_errors(lambda: DataError.unknown_objects(name)):
        content = table.cells.content(name)
        cells = content.values if content.values.dtype in (pl.Date, pl.Datetime) else content.text_values
        numbers = day_numbers(cells)
    invalid = numbers.is_null() & cells.is_not_null()
    if invalid.any():
        raise DataError.not_dates(name, **affected_rows(invalid))
    result: FloatVector = numbers.fill_null(np.nan).to_numpy().astype(np.float64)
    return result


def day_numbers(cells: pl.Series) -> pl.Series:
    """Convert dates, datetimes or texts to days; null where missing or not a date."""
    if isinstance(cells.dtype, pl.Datetime):
        # divide in numpy: polars multiplies by the inverse, which rounds differently
        since = cells.dt.timestamp("us").cast(pl.Float64).fill_null(np.nan).to_numpy()
        return pl.Series(since / _DAY).fill_nan(None)
    if cells.dtype == pl.Date:
        return cells.cast(pl.Int32).cast(pl.Float64)
    return _parse_texts(cells)


def has_time_zone(table: Table, name: str) -> bool:
    """Return whether the dates of a column have a time zone."""
    content = table.cells.content(name)
    values = content.values
    if isinstance(values.dtype, pl.Datetime):
        # pandas datetimes arrive in UTC; only the name of their dtype has the zone
        return values.dtype.time_zone is not None or (content.type.startswith("datetime64[") and "," in content.type)
    return values.dtype == pl.String and has_zones(values)


def has_zones(texts: pl.Series) -> bool:
    """Return whether any text is a time with a zone."""
    return bool(texts.str.strip_chars().str.contains(_TIME + ZONE).any())


def _parse_texts(texts: pl.Series) -> pl.Series:
    """Parse each distinct text once; null where missing or not a date."""
    first = texts.arg_unique()
    numbers = {text: parse_iso_day(text) for text in texts.gather(first).to_list() if text is not None}
    if not numbers:
        return pl.Series([None] * len(texts), dtype=pl.Float64)
    return texts.replace_strict(list(numbers), list(numbers.values()), return_dtype=pl.Float64)


def parse_iso_day(text: str) -> float | None:
    """Parse an ISO 8601 text to days; None if it is not a date."""
    if not re.match(DATE, text.strip()):
        return None
    try:
        time = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    since = (time if time.tzinfo else time.replace(tzinfo=dt.UTC)) - _EPOCH
    return since // dt.timedelta(microseconds=1) / _DAY


def to_date_series(column: DateColumn, original: ColumnContent) -> pl.Series:
    """Convert days to the type of the original column: dates, datetimes or text; null where missing."""
    dtype = original.values.dtype
    if dtype == pl.Date:
        new = pl.Series(np.rint(np.nan_to_num(column.days)).astype(np.int32)).cast(pl.Date)
    elif isinstance(dtype, pl.Datetime):
        new = pl.Series(column.microseconds).cast(pl.Datetime("us", dtype.time_zone)).cast(dtype)
    else:
        return to_string_series(to_date_text(column, original))
    return new.set(pl.Series(np.isnan(column.days)), None)


def to_date_text(column: DateColumn, original: ColumnContent) -> TextColumn:
    """Format days like the original texts: with times if any has a time, with a zone if any has a zone."""
    times = times_of_day(original.text_values.drop_nulls())
    times = times.filter(times != "")
    zones = times.filter(times.str.contains(ZONE))
    return format_days(
        column, separator=times[0][0] if len(times) else "", zone=utc_suffix(zones[0]) if len(zones) else ""
    )


def times_of_day(dates: pl.Series) -> pl.Series:
    """Return the part after the day of each text."""
    return dates.str.strip_chars().str.slice(_DATE_LENGTH)


def utc_suffix(tail: str) -> str:
    """Return the suffix for UTC in the style of this time with a zone."""
    return "Z" if tail.endswith("Z") else "+00:00"


def format_days(column: DateColumn, *, separator: str, zone: str) -> TextColumn:
    """Format days as text, with a time if there is a mark to precede it, and with a zone suffix if given."""
    distinct, which = np.unique(column.days, return_inverse=True)
    texts = DateColumn(distinct).format(separator=separator or " ", with_time=separator != "")
    return TextColumn(tuple(text + zone for text in texts), np.where(np.isnan(column.days), -1, which).astype(np.int64))

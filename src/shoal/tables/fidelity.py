"""Fidelity: whether a file gives back what was put into it."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import polars as pl


def gives_back(put: pl.DataFrame, got: pl.DataFrame, *, blanks_end: bool = False) -> bool:
    """Whether both tables have the same columns with the same values.

    Files have fewer types than frames: a whole number may come back as a float of the same value, a truth value
    as 0 or 1, midnight as a day, an empty text as a missing one and NaN as missing. With ``blanks_end`` the
    format does not tell blanks at the end of a text.
    """
    if (put.columns, put.height) != (got.columns, got.height):
        return False
    return all(_same(put[name].alias(""), got[name].alias(""), blanks_end=blanks_end) for name in put.columns)


def _same(put: pl.Series, got: pl.Series, *, blanks_end: bool) -> bool:
    if pl.Object in (put.dtype, got.dtype):
        return put.to_list() == got.to_list()
    if put.dtype in (pl.Categorical, pl.Enum):
        put = put.cast(pl.String)
    if put.dtype == pl.String:
        put = _texts(put, blanks_end=blanks_end)
        got = _texts(got, blanks_end=blanks_end) if got.dtype == pl.String else got
    if put.null_count() == len(put):
        return got.null_count() == len(got) or (got.dtype == pl.String and (got.fill_null("") == "").all())
    if put.dtype == pl.Boolean and got.dtype.is_numeric():
        put = put.cast(pl.Float64)
    if put.dtype.is_decimal() and got.dtype.is_float():
        # By the digits that the float shows: 0.1 is no float, and yet every reader sees 0.1.
        shown = [None if number is None else Decimal(repr(number)) for number in got.to_list()]
        return put.to_list() == shown
    if put.dtype.is_numeric() and got.dtype.is_numeric():
        one, other = _floats(put), _floats(got)
        if one is not None and other is not None:
            return one.equals(other)
    if put.dtype.is_temporal() and got.dtype.is_temporal():
        return _same_times(put, got)
    return put.dtype == got.dtype and put.equals(got)


def _texts(series: pl.Series, *, blanks_end: bool) -> pl.Series:
    full = series.str.strip_chars_end(" ") if blanks_end else series
    return full.set(full == "", None)


def _floats(numbers: pl.Series) -> pl.Series | None:
    """The numbers as floats, or None where a float cannot hold one of them."""
    floats = numbers.cast(pl.Float64).fill_nan(None)
    if numbers.dtype.is_float():
        return floats
    back = floats.cast(numbers.dtype, strict=False)
    # 2**63 and 2**64 are floats, and one more than what these types hold; a cast may come back from them.
    within = np.abs(floats.drop_nulls().to_numpy()) < 2.0**63
    return floats if back.equals(numbers) and bool(within.all()) else None


def _same_times(put: pl.Series, got: pl.Series) -> bool:
    if isinstance(put.dtype, pl.Datetime) and put.dtype.time_zone:
        put = put.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    if put.dtype == pl.Time and isinstance(got.dtype, pl.Datetime):
        got = got.dt.time()
    if {type(put.dtype), type(got.dtype)} <= {pl.Date, pl.Datetime}:
        finest = pl.Datetime("ns") if pl.Datetime("ns") in (put.dtype, got.dtype) else pl.Datetime("us")
        put, got = put.cast(finest), got.cast(finest)
    return put.dtype == got.dtype and put.equals(got)

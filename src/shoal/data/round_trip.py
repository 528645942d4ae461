"""Check that a file reads back with the values that were written."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import polars as pl


def round_trips(written: pl.DataFrame, read_back: pl.DataFrame, *, ignore_trailing_blanks: bool = False) -> bool:
    """Return whether both tables have the same columns with the same values.

    Files have fewer types than frames: an integer may become an equal float, a boolean 0 or 1, midnight a date, and
    an empty text or NaN missing. With ``blanks_end``, the format drops blanks at the end of texts.
    """
    if (written.columns, written.height) != (read_back.columns, read_back.height):
        return False
    return all(
        _same(written[name].alias(""), read_back[name].alias(""), blanks_end=ignore_trailing_blanks)
        for name in written.columns
    )


def _same(put: pl.Series, got: pl.Series, *, blanks_end: bool) -> bool:
    if pl.Object in (put.dtype, got.dtype):
        return put.to_list() == got.to_list()
    if put.dtype in (pl.Categorical, pl.Enum):
        put = put.cast(pl.String)
    if put.dtype == pl.String:
        put = _normalize_text(put, blanks_end=blanks_end)
        got = _normalize_text(got, blanks_end=blanks_end) if got.dtype == pl.String else got
    if put.null_count() == len(put):
        return got.null_count() == len(got) or (got.dtype == pl.String and (got.fill_null("") == "").all())
    if put.dtype == pl.Boolean and got.dtype.is_numeric():
        put = put.cast(pl.Float64)
    if put.dtype.is_decimal() and got.dtype.is_float():
        # compare with the shortest decimal text of the float: 0.1 has no exact float
        decimals = [None if number is None else Decimal(repr(number)) for number in got.to_list()]
        return put.to_list() == decimals
    if put.dtype.is_numeric() and got.dtype.is_numeric():
        original, read_back = _exact_floats(put), _exact_floats(got)
        if original is not None and read_back is not None:
            return original.equals(read_back)
    if put.dtype.is_temporal() and got.dtype.is_temporal():
        return _same_times(put, got)
    return put.dtype == got.dtype and put.equals(got)


def _normalize_text(series: pl.Series, *, blanks_end: bool) -> pl.Series:
    stripped = series.str.strip_chars_end(" ") if blanks_end else series
    return stripped.set(stripped == "", None)


def _exact_floats(numbers: pl.Series) -> pl.Series | None:
    """Return the numbers as floats, or None if a float cannot represent one of them."""
    floats = numbers.cast(pl.Float64).fill_nan(None)
    if numbers.dtype.is_float():
        return floats
    back = floats.cast(numbers.dtype, strict=False)
    # 2**63 and 2**64 are floats just above the range of these types, but a cast may round-trip them
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

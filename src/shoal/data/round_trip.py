"""Check that a file reads back with the values that were written."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import polars as pl


def round_trips(written: pl.DataFrame, read_back: pl.DataFrame, *, ignore_trailing_blanks: bool = False) -> bool:
    """Return whether both tables have the same columns with the same values.

    Files have fewer types than frames: an integer may become an equal float, a boolean 0 or 1, midnight a date, and
    an empty text or NaN missing. With ``ignore_trailing_blanks``, the format drops blanks at the end of texts.
    """
    if (written.columns, written.height) != (read_back.columns, read_back.height):
        return False
    return all(
        _same(written[name].alias(""), read_back[name].alias(""), blanks_end=ignore_trailing_blanks)
        for name in written.columns
    )


def _same(written: pl.Series, read_back: pl.Series, *, blanks_end: bool) -> bool:
    if pl.Object in (written.dtype, read_back.dtype):
        return written.to_list() == read_back.to_list()
    if written.dtype in (pl.Categorical, pl.Enum):
        written = written.cast(pl.String)
    if written.dtype == pl.String:
        written = _normalize_text(written, blanks_end=blanks_end)
        read_back = _normalize_text(read_back, blanks_end=blanks_end) if read_back.dtype == pl.String else read_back
    if written.null_count() == len(written):
        return read_back.null_count() == len(read_back) or (
            read_back.dtype == pl.String and (read_back.fill_null("") == "").all()
        )
    if written.dtype == pl.Boolean and read_back.dtype.is_numeric():
        written = written.cast(pl.Float64)
    if written.dtype.is_decimal() and read_back.dtype.is_float():
        # compare with the shortest decimal text of the float: 0.1 has no exact float
        decimals = [None if number is None else Decimal(repr(number)) for number in read_back.to_list()]
        return written.to_list() == decimals
    if written.dtype.is_numeric() and read_back.dtype.is_numeric():
        original, repeated = _exact_floats(written), _exact_floats(read_back)
        if original is not None and repeated is not None:
            return original.equals(repeated)
    if written.dtype.is_temporal() and read_back.dtype.is_temporal():
        return _same_times(written, read_back)
    return written.dtype == read_back.dtype and written.equals(read_back)


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


def _same_times(written: pl.Series, read_back: pl.Series) -> bool:
    if isinstance(written.dtype, pl.Datetime) and written.dtype.time_zone:
        written = written.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    if written.dtype == pl.Time and isinstance(read_back.dtype, pl.Datetime):
        read_back = read_back.dt.time()
    if {type(written.dtype), type(read_back.dtype)} <= {pl.Date, pl.Datetime}:
        finest = pl.Datetime("ns") if pl.Datetime("ns") in (written.dtype, read_back.dtype) else pl.Datetime("us")
        written, read_back = written.cast(finest), read_back.cast(finest)
    return written.dtype == read_back.dtype and written.equals(read_back)

"""Settled columns: their text in memory of their own.

Polars lets columns share memory: cells that are copied from a column point into all of its text. A file of Arrow, or a
pickled frame, would then hold the text of cells that nobody was to see, and in the order that they had.
"""

from __future__ import annotations

import io

import polars as pl

_FIXED = (pl.Boolean, pl.Null, pl.Object)


def settled(frame: pl.DataFrame) -> pl.DataFrame:
    """The same frame, with nothing behind its cells but these."""
    return pl.DataFrame({name: settled_series(frame[name]) for name in frame.columns})


def settled_series(series: pl.Series) -> pl.Series:
    """By way of Parquet, which has one place for each value."""
    dtype = series.dtype
    if dtype.is_numeric() or dtype.is_temporal() or dtype in _FIXED:
        return series
    buffer = io.BytesIO()
    pl.DataFrame({"": series}).write_parquet(buffer, statistics=False)
    buffer.seek(0)
    again = pl.read_parquet(buffer, hive_partitioning=False).to_series().alias(series.name)
    return again if again.dtype == dtype else again.cast(dtype)

"""Copy the text of columns into separate memory.

Polars columns share buffers: cells gathered from a column reference all of its text. An Arrow file or a pickled frame
would then disclose the text of other cells, in their original order.
"""

from __future__ import annotations

import io

import polars as pl

_WITHOUT_BUFFERS = (pl.Boolean, pl.Null, pl.Object)


def with_own_buffers(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the same frame with buffers that hold only its own cells."""
    return pl.DataFrame({name: series_with_own_buffers(frame[name]) for name in frame.columns})


def series_with_own_buffers(series: pl.Series) -> pl.Series:
    """Copy a series through Parquet, which stores only the values of the series."""
    dtype = series.dtype
    if dtype.is_numeric() or dtype.is_temporal() or dtype in _WITHOUT_BUFFERS:
        return series
    buffer = io.BytesIO()
    pl.DataFrame({"": series}).write_parquet(buffer, statistics=False)
    buffer.seek(0)
    copy = pl.read_parquet(buffer, hive_partitioning=False).to_series().alias(series.name)
    return copy if copy.dtype == dtype else copy.cast(dtype)

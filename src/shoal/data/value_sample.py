"""Sample of the distinct values of a column, independent of how the table is split into chunks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

SAMPLE_SIZE = 2_048
_OVERSAMPLING = 4
"""Oversampling factor of the first attempt, to get enough distinct values."""


class ValueSample(NamedTuple):
    """The distinct texts with the smallest hashes."""

    texts: pl.Series

    @classmethod
    def of(cls, texts: pl.Series) -> ValueSample:
        """Sample from texts with missing values and duplicates."""
        if len(texts) <= SAMPLE_SIZE:
            return cls(_smallest_hashes(texts.drop_nulls().unique()))
        hashes = texts.hash(seed=0).to_numpy()
        threshold = np.uint64(min(2.0**64 * _OVERSAMPLING * SAMPLE_SIZE / len(texts), 2.0**64 - 2048))
        sample = texts.gather(np.flatnonzero(hashes <= threshold)).drop_nulls().unique()
        return cls(_smallest_hashes(sample if len(sample) >= SAMPLE_SIZE else texts.drop_nulls().unique()))

    def __add__(self, other: ValueSample) -> ValueSample:  # type: ignore[override]
        return ValueSample(_smallest_hashes(pl.concat([self.texts, other.texts]).unique()))


def _smallest_hashes(distinct: pl.Series) -> pl.Series:
    """Return the texts with the smallest hashes, ascending; ties are sorted alphabetically."""
    frame = pl.DataFrame({"text": distinct}, schema={"text": pl.String})
    return frame.with_columns(hash=frame["text"].hash(seed=0)).sort("hash", "text")["text"].head(SAMPLE_SIZE).alias("")


def pattern_texts(cells: pl.Series) -> pl.Series:
    """Return texts and integers as text, for pattern recognition; empty for other types."""
    dtype = cells.dtype
    if dtype == pl.String:
        return cells
    if dtype in (pl.Categorical, pl.Enum) or dtype.is_integer():
        return cells.cast(pl.String)
    if dtype.is_decimal():
        cells = cells.cast(pl.Float64)
    if dtype.is_float() or dtype.is_decimal():
        is_integer = cells.is_finite() & (cells == cells.floor()) & (cells.abs() < 2.0**63)
        return cells.filter(is_integer).cast(pl.Int64).cast(pl.String)
    return pl.Series([], dtype=pl.String)

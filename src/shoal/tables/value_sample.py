"""A sample of the different values of a column that does not depend on how the table is cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

KEPT = 2_048
_SPARE = 4
"""Times as many cells are looked at first, in the hope that enough of them differ."""


class ValueSample(NamedTuple):
    """The different texts with the least hashes."""

    texts: pl.Series

    @classmethod
    def of(cls, texts: pl.Series) -> ValueSample:
        """Of texts that may be missing and may repeat."""
        if len(texts) <= KEPT:
            return cls(_least(texts.drop_nulls().unique()))
        hashes = texts.hash(seed=0).to_numpy()
        below = np.uint64(min(2.0**64 * _SPARE * KEPT / len(texts), 2.0**64 - 2048))
        few = texts.gather(np.flatnonzero(hashes <= below)).drop_nulls().unique()
        return cls(_least(few if len(few) >= KEPT else texts.drop_nulls().unique()))

    def __add__(self, other: ValueSample) -> ValueSample:  # type: ignore[override]
        return ValueSample(_least(pl.concat([self.texts, other.texts]).unique()))


def _least(different: pl.Series) -> pl.Series:
    """Those with the least hashes, the least first; of two with the same hash the first by the alphabet."""
    frame = pl.DataFrame({"text": different}, schema={"text": pl.String})
    return frame.with_columns(hash=frame["text"].hash(seed=0)).sort("hash", "text")["text"].head(KEPT).alias("")


def texts_of(cells: pl.Series) -> pl.Series:
    """Cells that may follow a pattern as text: words and whole numbers; missing where they are something else."""
    dtype = cells.dtype
    if dtype == pl.String:
        return cells
    if dtype in (pl.Categorical, pl.Enum) or dtype.is_integer():
        return cells.cast(pl.String)
    if dtype.is_decimal():
        cells = cells.cast(pl.Float64)
    if dtype.is_float() or dtype.is_decimal():
        whole = cells.is_finite() & (cells == cells.floor()) & (cells.abs() < 2.0**63)
        return cells.filter(whole).cast(pl.Int64).cast(pl.String)
    return pl.Series([], dtype=pl.String)

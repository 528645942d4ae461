"""Packed columns: few different texts, and which of them each record has. They take a fraction of the memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.tables.table import Content
from shoal.values import Worded

_LOOK = 1 << 14
_FEW = 1 << 12
"""A column is packed where so many records, the first ones, have at most so many different texts."""


@dataclass(frozen=True, eq=False, repr=False)
class Packed:
    """A column of texts."""

    texts: pl.Series
    """Each one once."""
    places: pl.Series
    """Which of them each record has."""

    @classmethod
    def of(cls, text: pl.Series) -> Packed | None:
        """The column with its texts by first appearance; None where too many are different."""
        if text.head(_LOOK).n_unique() > _FEW:
            return None
        texts = text.unique(maintain_order=True)
        return cls(texts, text.cast(pl.Enum(texts)).to_physical())

    @classmethod
    def worded(cls, column: Worded) -> Packed:
        """New words as texts; an empty one where a word is missing."""
        used, places = np.unique(column.places, return_inverse=True)
        texts = pl.Series(["" if place < 0 else column.words[place] for place in used.tolist()], dtype=pl.String)
        once = texts.unique(maintain_order=True)
        return cls(once, texts.cast(pl.Enum(once)).to_physical().gather(places.astype(np.uint32)))

    @property
    def text(self) -> pl.Series:
        """The text of each record."""
        return self.texts.gather(self.places)

    def spread(self, content: Content) -> Content:
        """What the texts mean, for each record."""
        values, numbers, text = content.values, content.numbers, content.text
        spread = values.gather(self.places)
        return replace(
            content,
            values=spread,
            numbers=spread if numbers is values else None if numbers is None else numbers.gather(self.places),
            text=None if text is None else text.gather(self.places),
        )

"""Dictionary-encoded text columns, which take a fraction of the memory if few texts are distinct."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.data.table import ColumnContent
from shoal.domain import TextColumn

_SAMPLE = 1 << 14
_MAX_DISTINCT = 1 << 12
"""Encode a column if its first ``_SAMPLE`` records have at most this many distinct texts."""


@dataclass(frozen=True, eq=False, repr=False)
class DictionaryColumn:
    """A dictionary-encoded column of texts."""

    distinct: pl.Series
    """Distinct texts."""
    codes: pl.Series
    """Index of each record's text."""

    @classmethod
    def encode(cls, text: pl.Series) -> DictionaryColumn | None:
        """Encode a column, texts by first appearance; None if too many are distinct."""
        if text.head(_SAMPLE).n_unique() > _MAX_DISTINCT:
            return None
        texts = text.unique(maintain_order=True)
        return cls(texts, text.cast(pl.Enum(texts)).to_physical())

    @classmethod
    def from_text_column(cls, column: TextColumn) -> DictionaryColumn:
        """Encode new values; a missing cell is an empty text."""
        used, indices = np.unique(column.codes, return_inverse=True)
        texts = pl.Series(["" if index < 0 else column.words[index] for index in used.tolist()], dtype=pl.String)
        distinct = texts.unique(maintain_order=True)
        return cls(distinct, texts.cast(pl.Enum(distinct)).to_physical().gather(indices.astype(np.uint32)))

    @property
    def text(self) -> pl.Series:
        """Text of each record."""
        return self.distinct.gather(self.codes)

    def expand(self, content: ColumnContent) -> ColumnContent:
        """Expand the content of the distinct texts to all records."""
        values, numbers, text = content.values, content.numbers, content.non_numeric
        spread = values.gather(self.codes)
        return replace(
            content,
            values=spread,
            numbers=spread if numbers is values else None if numbers is None else numbers.gather(self.codes),
            non_numeric=None if text is None else text.gather(self.codes),
        )

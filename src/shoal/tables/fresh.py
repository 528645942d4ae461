"""Fresh cells: the new numbers and words of a release as polars columns, in the type of the old ones if they can."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.tables.table import without_nan
from shoal.values import IntVector, Rounded, Whole, Worded


def numbered(column: NDArray[Any] | Whole | Rounded) -> pl.Series:
    """The numbers as Float64 or Int64, null where one is missing.

    -0.0 becomes 0.0, which a reader cannot tell from it.
    """
    if isinstance(column, Rounded):
        column = Whole(column.numbers) if column.precision.most == 0 else column.numbers
    if isinstance(column, Whole):
        return _whole(column)
    if column.dtype.kind in "iu":
        return pl.Series(column.astype(np.int64))
    return without_nan(pl.Series(column.astype(np.float64) + 0.0))


def _whole(column: Whole) -> pl.Series:
    gone = np.isnan(column.numbers)
    return pl.Series(np.where(gone, 0, column.numbers).astype(np.int64)).set(pl.Series(gone), None)


def worded(column: Worded) -> pl.Series:
    """The words as text, null where one is missing."""
    words = pl.Series([*column.words, None], dtype=pl.String)  # one more: nothing is gathered from an empty series
    return words.gather(places(column.places))


def places(numbers: IntVector) -> pl.Series:
    """Places to gather cells from, null for -1."""
    return pl.Series(numbers).set(pl.Series(numbers < 0), None)


def copied_rows(words: pl.Series, column: Worded) -> IntVector | None:
    """For each record a row of the original that holds its new word, -1 where that is missing.

    None where some word stands nowhere there. Copying cells keeps the type that the column had.
    """
    first = words.arg_unique()
    row_of = dict(zip(words.gather(first).to_list(), first.to_list(), strict=True))
    used = np.unique(column.places[column.places >= 0])
    if not all(column.words[place] in row_of for place in used):
        return None
    rows = np.full(len(column.words) + 1, -1, dtype=np.int64)  # one more at the end, where the place -1 leads
    rows[used] = [row_of[column.words[place]] for place in used]
    return rows[column.places]


def as_copied(fields: pl.Series, words: pl.Series, column: Worded) -> Worded:
    """The new words, each as the first field that has it writes it, where one has."""
    first = words.arg_unique()
    written = dict(zip(words.gather(first).to_list(), fields.gather(first).to_list(), strict=True))
    return Worded(tuple(written.get(word) or word for word in column.words), column.places)

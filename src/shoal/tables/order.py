"""The order of a release: pseudorandom, and a function of what its rows show.

The order of the input may tell who stands in a row. A permutation by a seed would hide it from nobody who knows the
seed and the number of rows, and one by a secret only as long as that is kept. So rows are put in the order of a hash of
all that each of them shows. Rows that show the same are the same, whichever comes first: the order is known to
everybody who knows the rows, and tells nothing else, even to who knows the seed and this file.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.tables.foreign import replaced_by
from shoal.tables.table import Table
from shoal.values import IntVector

Keys = NDArray[np.uint64]
_STEP = np.uint64(0x9E3779B97F4A7C15)
_GONE = np.uint64(0xD1B54A32D192ED03)
"""What stands for a missing cell."""


def taken(table: Table, rows: IntVector) -> Table:
    """These rows of a table, in their order; what names rows, such as an index, is made anew."""
    return replace(table, cells=table.cells.taken(rows))


def shuffled_rows(table: Table, *, seed: int) -> IntVector:
    """The rows of a table by the hash of what they show."""
    return np.argsort(row_keys(table, seed=seed), kind="stable").astype(np.int64)


def row_keys(table: Table, *, seed: int) -> Keys:
    """A hash of what each row shows, and of the seed: the same for the same row, wherever it stands.

    Of 64 bits: that two of ten million different rows share one has a chance of three in a million, and all that hangs
    on it is which of these two comes first.
    """
    keys = np.full(table.height, _mixed(np.array([seed], dtype=np.uint64))[0], dtype=np.uint64)
    for name in table.names:
        with replaced_by(lambda name=name: DataError.unordered(name)):  # type: ignore[misc]
            cells = _hashed(table.cells.marks(name))
        keys = _mixed((keys + _STEP) ^ _mixed(cells))
    return keys


def _hashed(marks: pl.Series) -> Keys:
    """A number for each cell, equal for equal ones."""
    marks = marks.alias("cell")
    gone = marks.is_null().to_numpy()
    bits = _bits(marks)
    found = _texts(marks) if bits is None else bits
    return np.where(gone, _GONE, found)


def _bits(marks: pl.Series) -> Keys | None:
    """The bits of numbers, dates and truth values; None where cells have others."""
    dtype = marks.dtype
    if dtype in (pl.Categorical, pl.Enum) or dtype.is_decimal() or dtype.is_nested():
        return None
    if dtype.is_float():
        numbers = marks.cast(pl.Float64).fill_null(0).to_numpy()
        return np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)
    whole = marks.to_physical()
    if whole.dtype == pl.UInt64:
        return whole.fill_null(0).to_numpy()
    if whole.dtype == pl.Boolean or (whole.dtype.is_integer() and not str(whole.dtype).endswith("128")):
        return whole.cast(pl.Int64).fill_null(0).to_numpy().view(np.uint64)
    return None


def _texts(marks: pl.Series) -> Keys:
    """A hash of the text of each cell; each different one is hashed once."""
    if marks.dtype in (pl.String, pl.Categorical, pl.Enum):
        text = marks.cast(pl.String)
    else:
        text = pl.Series("cell", [None if cell is None else repr(cell) for cell in marks.to_list()], dtype=pl.String)
    different = text.drop_nulls().unique()
    hashes = [
        int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little") for word in different.to_list()
    ]
    known = pl.DataFrame({"cell": different, "hash": pl.Series(hashes, dtype=pl.UInt64)})
    found = pl.DataFrame({"cell": text}).join(known, on="cell", how="left", maintain_order="left")["hash"]
    return found.fill_null(0).to_numpy()


def _mixed(key: Keys) -> Keys:
    """The same number for the same key, and any other for any other; the bits well mixed."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))

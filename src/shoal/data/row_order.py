"""Shuffle the rows of a release by a hash of their released values.

The input order may identify persons. Anyone who knows the seed and the number of rows can invert a seeded permutation.
A sort by the hash of all released values depends only on these values, and therefore discloses nothing else, even to a
reader who knows the seed and this code. Identical rows are interchangeable.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.library_errors import translate_errors
from shoal.data.table import Table
from shoal.domain import IntVector
from shoal.errors import DataError

RowHashes = NDArray[np.uint64]
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MISSING = np.uint64(0xD1B54A32D192ED03)


def take(table: Table, rows: IntVector) -> Table:
    """Return these rows of a table, in this order; a row index is rebuilt."""
    return replace(table, cells=table.cells.take(rows))


def shuffled_order(table: Table, *, seed: int) -> IntVector:
    """Return the row order by the hash of the values of each row."""
    return np.argsort(row_hashes(table, seed=seed), kind="stable").astype(np.int64)


class RowOrder:
    """Compares columns that two tables share, part by part, to find whether the rows of one are shuffled."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._first: dict[str, str | None] = {}
        self._varied: set[str] = set()
        self._moved: set[str] = set()
        self._sums = {name: np.zeros(2, dtype=np.uint64) for name in self._names}

    def add(self, table: Table, other: Table) -> None:
        """Add the next rows of both tables."""
        for name in self._names:
            before, after = (source.cells.content(name).text_values.fill_null("") for source in (table, other))
            first = self._first.setdefault(name, before[0])
            if name not in self._varied and (before != first).any():
                self._varied.add(name)
            if not before.equals(after):  # equal rows add the same to both sums
                self._moved.add(name)
                self._sums[name] += np.array([_hash_texts(cells).sum(dtype=np.uint64) for cells in (before, after)])

    @property
    def is_shuffled(self) -> bool:
        """Whether no column that varies is equal row by row, and one has the same cells in another order."""
        moved = [name for name in self._names if name in self._varied and name in self._moved]
        equal = len(self._varied) > len(moved)
        return not equal and any(self._sums[name][0] == self._sums[name][1] for name in moved)


def row_hashes(table: Table, *, seed: int) -> RowHashes:
    """Return a 64-bit hash of the values of each row and the seed; independent of the position of the row.

    A collision among ten million distinct rows has a probability of three in a million, and only affects which of the
    two comes first.
    """
    keys = np.full(table.height, mix_bits(np.array([seed], dtype=np.uint64))[0], dtype=np.uint64)
    for name in table.names:
        with translate_errors(lambda name=name: DataError.unknown_objects(name)):  # type: ignore[misc]
            cells = _hash_cells(table.cells.exact_values(name))
        keys = mix_bits((keys + _STEP) ^ mix_bits(cells))
    return keys


def _hash_cells(cells: pl.Series) -> RowHashes:
    cells = cells.alias("cell")
    missing = cells.is_null().to_numpy()
    numeric_bits = _bits(cells)
    hashes = _hash_texts(cells) if numeric_bits is None else numeric_bits
    return np.where(missing, _MISSING, hashes)


def _bits(cells: pl.Series) -> RowHashes | None:
    """Return the bits of numbers, dates and booleans; None for other types."""
    dtype = cells.dtype
    if dtype in (pl.Categorical, pl.Enum) or dtype.is_decimal() or dtype.is_nested():
        return None
    if dtype.is_float():
        numbers = cells.cast(pl.Float64).fill_null(0).to_numpy()
        return np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)
    physical = cells.to_physical()
    if physical.dtype == pl.UInt64:
        return physical.fill_null(0).to_numpy()
    if physical.dtype == pl.Boolean or (physical.dtype.is_integer() and not str(physical.dtype).endswith("128")):
        return physical.cast(pl.Int64).fill_null(0).to_numpy().view(np.uint64)
    return None


def _hash_texts(cells: pl.Series) -> RowHashes:
    """Hash the text of each cell; each distinct text once."""
    if cells.dtype in (pl.String, pl.Categorical, pl.Enum):
        text = cells.cast(pl.String)
    else:
        text = pl.Series("cell", [None if cell is None else repr(cell) for cell in cells.to_list()], dtype=pl.String)
    distinct = text.drop_nulls().unique()
    hashes = [
        int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little") for word in distinct.to_list()
    ]
    known = pl.DataFrame({"cell": distinct, "hash": pl.Series(hashes, dtype=pl.UInt64)})
    matches = pl.DataFrame({"cell": text}).join(known, on="cell", how="left", maintain_order="left")["hash"]
    return matches.fill_null(0).to_numpy()


def mix_bits(key: RowHashes) -> RowHashes:
    """Mix the bits of each key: the finalizer of splitmix64, a bijection."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))

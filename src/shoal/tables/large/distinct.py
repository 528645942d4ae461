"""The number of different values of a column that has too many to keep."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.values import IntVector

_KEPT = 4_096
"""The estimate is then off by 1.6 % at most times."""
_ALL = 2.0**64


class Distinct(NamedTuple):
    """The values with the least hashes, which are a sample of the different ones, with the records of each."""

    hashes: NDArray[np.uint64]
    counts: IntVector

    @classmethod
    def of(cls, cells: pl.Series, counts: IntVector) -> Distinct:
        known = cells.is_not_null().to_numpy()
        return _least(cells.hash(seed=0).to_numpy()[known], counts[known])

    def __add__(self, other: Distinct) -> Distinct:  # type: ignore[override]
        return _least(np.concatenate([self.hashes, other.hashes]), np.concatenate([self.counts, other.counts]))

    def estimate(self, present: int) -> int:
        """How many different values so many records have; as many, if no two of those that were kept agree."""
        if len(self.hashes) < _KEPT:
            return len(self.hashes)
        if (self.counts == 1).all():
            return present
        return min(round((_KEPT - 1) * _ALL / float(self.hashes[-1])), present - 1)


def _least(hashes: NDArray[np.uint64], counts: IntVector) -> Distinct:
    different, place = np.unique(hashes, return_inverse=True)
    return Distinct(different[:_KEPT], np.bincount(place, counts, len(different)).astype(np.int64)[:_KEPT])

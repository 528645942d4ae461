"""Estimate of the number of distinct values of a column (k minimum values)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.domain import IntVector

_SKETCH_SIZE = 4_096
"""Size of the sketch; the standard error of the estimate is 1.6 %."""
_HASH_RANGE = 2.0**64


class DistinctSketch(NamedTuple):
    """The smallest hashes of the values, which are a random sample of the distinct values, with the records of each."""

    hashes: NDArray[np.uint64]
    counts: IntVector

    @classmethod
    def of(cls, cells: pl.Series, counts: IntVector) -> DistinctSketch:
        known = cells.is_not_null().to_numpy()
        return _smallest(cells.hash(seed=0).to_numpy()[known], counts[known])

    def __add__(self, other: DistinctSketch) -> DistinctSketch:  # type: ignore[override]
        return _smallest(np.concatenate([self.hashes, other.hashes]), np.concatenate([self.counts, other.counts]))

    def estimate(self, present: int) -> int:
        """Estimate the number of distinct values among ``present`` records; ``present`` if all sampled values are
        unique.
        """
        if len(self.hashes) < _SKETCH_SIZE:
            return len(self.hashes)
        if (self.counts == 1).all():
            return present
        return min(round((_SKETCH_SIZE - 1) * _HASH_RANGE / float(self.hashes[-1])), present - 1)


def _smallest(hashes: NDArray[np.uint64], counts: IntVector) -> DistinctSketch:
    different, place = np.unique(hashes, return_inverse=True)
    return DistinctSketch(
        different[:_SKETCH_SIZE], np.bincount(place, counts, len(different)).astype(np.int64)[:_SKETCH_SIZE]
    )

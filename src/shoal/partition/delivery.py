"""The next delivery: new records in the groups of an earlier table, none of which they use with fewer than k."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.errors import EstimatorError
from shoal.values import FloatMatrix, IntVector

BELOW = ("refuse", "merge")
"""What to do where new records would be in a group with fewer than k of them."""
_FAR = 1e15
"""From here on the search for the nearest center, whose sketches are in single precision, could overflow."""


def deliver(points: FloatMatrix, centers: FloatMatrix, *, k: int, below: str) -> IntVector:
    """The group of each point: that of the nearest center, of several the first.

    Both are scaled and weighted. A group that would have points, but fewer than k, is refused, or its points go on to
    the nearest of the other groups that have some (``merge``): the smallest group first, until none is too small.
    """
    if len(points) < k:
        raise EstimatorError.too_few(len(points), k)
    far = np.flatnonzero(~(np.abs(points) <= _FAR).all(axis=1))
    if len(far):
        raise EstimatorError.far_away(rows=len(far), of=len(points), first=int(far[0]) + 1)
    labels: IntVector = kernels.deliver.nearest_groups(points, centers)
    sizes = np.bincount(labels)
    small = (sizes > 0) & (sizes < k)
    if small.any() and below == "refuse":
        raise EstimatorError.small_groups(int(small.sum()), records=int(sizes[small].sum()), of=len(points), k=k)
    return kernels.deliver.without_small(points, centers, labels, k) if small.any() else labels

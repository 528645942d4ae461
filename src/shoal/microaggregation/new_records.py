"""Assignment of new records to the groups of an earlier table, with at least k new records per group."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.domain import FloatMatrix, IntVector
from shoal.errors import EstimatorError

UNDERSIZED = ("raise", "merge")
"""Policies for groups with fewer than k new records."""
_MAX_COORDINATE = 1e15
"""Maximum absolute coordinate; the search uses single precision and could overflow beyond it."""


def assign_new_records(points: FloatMatrix, centers: FloatMatrix, *, k: int, undersized: str) -> IntVector:
    """Assign each point to the group of the nearest center; ties go to the first.

    Points and centers are scaled and weighted. A group with 1 to k - 1 points raises an error (``raise``), or its
    points move to the nearest other group in use (``merge``), the smallest group first, until none is too small.
    """
    if len(points) < k:
        raise EstimatorError.too_few_samples(len(points), k)
    far = np.flatnonzero(~(np.abs(points) <= _MAX_COORDINATE).all(axis=1))
    if len(far):
        raise EstimatorError.too_distant(rows=len(far), of=len(points), first=int(far[0]) + 1)
    labels: IntVector = kernels.assign_new_records.assign_to_nearest(points, centers)
    sizes = np.bincount(labels)
    small = (sizes > 0) & (sizes < k)
    if small.any() and undersized == "raise":
        raise EstimatorError.groups_too_small(int(small.sum()), records=int(sizes[small].sum()), of=len(points), k=k)
    return kernels.assign_new_records.close_small_groups(points, centers, labels, k) if small.any() else labels

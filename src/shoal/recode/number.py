"""The numbers that stand for groups: their means or their medians."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from shoal.values import FloatMatrix, IntVector

Center = Callable[[FloatMatrix, IntVector, int], FloatMatrix]


def mean(values: FloatMatrix, labels: IntVector, groups: int) -> FloatMatrix:
    """The mean of every group, column by column.

    Values are taken relative to their column's largest power of two and to their group's first record: huge
    values do not overflow, and a group of equal values keeps that value to the last bit.
    """
    exponent = np.frexp(np.abs(values).max(axis=0))[1]
    small = np.ldexp(values, -exponent)
    sizes = np.bincount(labels, minlength=groups)
    first = np.empty(groups, dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels))[::-1]
    anchor = small[first]
    offset = small - anchor[labels]
    sums = np.column_stack([np.bincount(labels, offset[:, j], minlength=groups) for j in range(values.shape[1])])
    centers: FloatMatrix = np.ldexp(anchor + sums / sizes[:, None], exponent)
    return centers


def median(values: FloatMatrix, labels: IntVector, groups: int) -> FloatMatrix:
    """The median of every group, column by column; the mean of the two middle values in groups of even size."""
    sizes = np.bincount(labels, minlength=groups)
    starts = np.cumsum(sizes) - sizes
    low, high = starts + (sizes - 1) // 2, starts + sizes // 2
    centers = np.empty((groups, values.shape[1]))
    for j in range(values.shape[1]):
        ordered = values[np.lexsort((values[:, j], labels)), j]
        centers[:, j] = ordered[low] / 2 + ordered[high] / 2
        same = ordered[low] == ordered[high]
        centers[same, j] = ordered[low][same]
    return centers


centers: Mapping[str, Center] = {"mean": mean, "median": median}

"""Replace the values of every group by one: its mean or its median."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from shoal.errors import OptionError
from shoal.values import FloatMatrix, IntVector, Partition, Records

Center = Callable[[FloatMatrix, IntVector, int], FloatMatrix]
_EXACT_WHOLE = 2.0**53


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


def center_named(name: object) -> Center:
    """The function that finds the centers of groups."""
    if not isinstance(name, str) or name not in centers:
        raise OptionError.bad_option("recode", f"one of {', '.join(centers)}")
    return centers[name]


def recode(
    records: Records, partition: Partition, *, center: Center = mean, round_integers: bool = False
) -> dict[str, FloatMatrix | IntVector]:
    """The released values of every quasi-identifier: one value a group.

    With ``round_integers`` a column of whole numbers stays one: halves go to the even neighbour.
    """
    table = center(records.values, partition.labels, partition.count) + 0.0  # no negative zero
    released: dict[str, FloatMatrix | IntVector] = {}
    for j, name in enumerate(records.names):
        column = records.values[:, j]
        whole = bool(np.all(column == np.rint(column)) and np.abs(column).max() <= _EXACT_WHOLE)
        values = np.rint(table[:, j]).astype(np.int64) if round_integers and whole else table[:, j]
        released[name] = values[partition.labels]
    return released

"""Lower bounds of the SSE of every partition into groups of at least k."""

from __future__ import annotations

import math

import numpy as np

from shoal import kernels
from shoal.values import Bound, FloatMatrix, FloatVector, Progress, Space, silent, whole_k

MOST = 1_000_000
"""Cells up to which neighbors are sought in all coordinates."""
FEW = 14
"""Records of which all partitions are tried."""
_AXES = 4
"""Axes in which the neighbors of larger tables are sought."""
_UNIT = 2.0**-53


def elementary_bound(points: FloatMatrix, k: int, *, progress: Progress = silent) -> Bound:
    """A bound from near neighbors alone, in seconds for a million records.

    The SSE of a group of s records is the sum of the squared distances of its ordered pairs, divided by 2s. So the
    share of one record is at least the sum of its s - 1 smallest squared distances to other records, divided by 2s.
    A best partition has groups of k to 2k - 1 records, so the least of these shares over such s, added up over the
    records, is a bound.

    Beyond a million cells neighbors are sought along the first principal axes only, where records are never farther
    apart than they are.

    Notes
    -----
    *Margin*: a sum of m terms that are not negative is off by at most m roundings, of 2⁻⁵³ each; four times that is
    taken off. Turned points are off by some roundings of their distance to the center, and what that does to the
    squared distances is bounded by the inequality of Cauchy and Schwarz.
    """
    (n, p), k = points.shape, whole_k(k, len(points))
    if n * p <= MOST or p <= _AXES:
        value = float(_shares(points, k, progress).sum())
        return _less(value, _rounding(value, p, k), "elementary", "from the nearest neighbors of each record")
    turned, total = _turned(points)
    value = float(_shares(turned, k, progress).sum())
    off = 16.0 * (p + 16) * _UNIT
    margin = _rounding(value, p, k) + off * math.sqrt(2 * k * total * value) + off * off * k * total
    how = f"from the nearest neighbors of each record along the first {_AXES} of {p} principal axes"
    return _less(value, margin, "elementary", how)


def exact_bound(points: FloatMatrix, k: int) -> Bound | None:
    """The least SSE itself: of fewer than 2k records, of a single column, or of a few records; else None.

    Of points in which categories are embedded it is a bound only: their centers are nodes.
    """
    (n, p), k = points.shape, whole_k(k, len(points))
    if n < 2 * k:
        value, how = float(((points - points.mean(axis=0)) ** 2).sum()), "all records are one group"
    elif p <= 1:
        value, how = _cut(points[:, 0], k) if p else 0.0, "the best cut of a single column"
    elif n <= FEW:
        apart = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
        value, how = float(kernels.subsets.least(kernels.subsets.costs(apart), k)), "all partitions were tried"
    else:
        return None
    return _less(value, _rounding(value, p, n), "exact", how)


def _shares(points: FloatMatrix, k: int, progress: Progress) -> FloatVector:
    found: FloatVector = kernels.bound.shares(Space.of_numbers(points), k, progress=progress)
    return found


def _turned(points: FloatMatrix) -> tuple[FloatMatrix, float]:
    """The points along their first principal axes, and the sum of the squared distances to their center."""
    centered = points - points.mean(axis=0)
    values, axes = np.linalg.eigh(centered.T @ centered)
    return np.ascontiguousarray(centered @ axes[:, : -_AXES - 1 : -1]), float(np.abs(values).sum())


def _cut(values: FloatVector, k: int) -> float:
    """The least SSE of one column."""
    ordered = Space.of_numbers(np.sort(values)[:, None])
    return float(kernels.path.all_costs(ordered, k, progress=silent)[0][-1])


def _rounding(value: float, p: int, k: int) -> float:
    """What the rounding of sums of squares can have added."""
    return 4.0 * (p + 4 * k + 64) * _UNIT * value


def _less(value: float, margin: float, kind: str, note: str) -> Bound:
    return Bound(max(value - margin, 0.0), kind, margin, note)

"""Lower bounds of the SSE of partitions into groups of at least k records."""

from __future__ import annotations

import math

import numpy as np

from shoal import kernels
from shoal.domain import Bound, FloatMatrix, FloatVector, Progress, Space, check_k, no_progress

MAX_CELLS = 1_000_000
"""Maximum number of cells for a neighbor search in all coordinates."""
MAX_EXHAUSTIVE_RECORDS = 14
"""Maximum number of records for exhaustive enumeration of partitions."""
_AXES = 4
"""Principal axes used for the neighbor search in larger tables."""
_UNIT = 2.0**-53


def elementary_bound(points: FloatMatrix, k: int, *, progress: Progress = no_progress) -> Bound:
    """Compute a lower bound from nearest neighbors, in seconds for a million records.

    The SSE of a group of s records is the sum of the squared distances of its ordered pairs, divided by 2s. The
    contribution of one record is thus at least the sum of its s - 1 smallest squared distances to other records,
    divided by 2s. An optimal partition has groups of k to 2k - 1 records. The bound is the sum over the records of the
    minimum contribution over such s.

    Beyond a million cells, neighbors are searched along the first principal axes only. Projection never increases a
    distance.

    Notes
    -----
    *Margin*: a sum of m nonnegative terms has an error of at most m roundings of 2⁻⁵³ each; four times that is
    subtracted. Rotated points have an error of some roundings of their distance to the center; the Cauchy-Schwarz
    inequality bounds its effect on the squared distances.
    """
    (n, p), k = points.shape, check_k(k, len(points))
    if n * p <= MAX_CELLS or p <= _AXES:
        value = float(kernels.bounds.record_bounds(Space.of_numbers(points), k, progress=progress).sum())
        return _with_margin(value, _rounding(value, p, k), "elementary", "from the nearest neighbors of each record")
    projected, total = _project(points)
    value = float(kernels.bounds.record_bounds(Space.of_numbers(projected), k, progress=progress).sum())
    error = 16.0 * (p + 16) * _UNIT
    margin = _rounding(value, p, k) + error * math.sqrt(2 * k * total * value) + error * error * k * total
    note = f"from the nearest neighbors of each record along the first {_AXES} of {p} principal axes"
    return _with_margin(value, margin, "elementary", note)


def exact_bound(points: FloatMatrix, k: int) -> Bound | None:
    """Compute the minimum SSE for fewer than 2k records, a single column or a few records; otherwise return None.

    For points with embedded categories this is only a lower bound, because the centers of categories are nodes.
    """
    (n, p), k = points.shape, check_k(k, len(points))
    if n < 2 * k:
        value, note = float(((points - points.mean(axis=0)) ** 2).sum()), "all records are one group"
    elif p <= 1:
        value, note = _optimal_cut_cost(points[:, 0], k) if p else 0.0, "the best cut of a single column"
    elif n <= MAX_EXHAUSTIVE_RECORDS:
        squared_distances = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
        value = float(kernels.bounds.best_partition_cost(kernels.bounds.subset_costs(squared_distances), k))
        note = "all partitions were tried"
    else:
        return None
    return _with_margin(value, _rounding(value, p, n), "exact", note)


def _project(points: FloatMatrix) -> tuple[FloatMatrix, float]:
    """Project the points on their first principal axes; also return the sum of squared distances to their center."""
    centered = points - points.mean(axis=0)
    values, axes = np.linalg.eigh(centered.T @ centered)
    return np.ascontiguousarray(centered @ axes[:, : -_AXES - 1 : -1]), float(np.abs(values).sum())


def _optimal_cut_cost(values: FloatVector, k: int) -> float:
    """Return the minimum SSE of one column."""
    ordered = Space.of_numbers(np.sort(values)[:, None])
    return float(kernels.orders.shortest_path.path_costs(ordered, k, progress=no_progress)[0][-1])


def _rounding(value: float, p: int, k: int) -> float:
    """Bound the rounding error of a sum of squares."""
    return 4.0 * (p + 4 * k + 64) * _UNIT * value


def _with_margin(value: float, margin: float, kind: str, note: str) -> Bound:
    return Bound(max(value - margin, 0.0), kind, margin, note)

"""Neighbor lists for local search."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.values import Progress, Space

_MAX_NEIGHBORS = 40
"""Maximum number of neighbors per point."""


def unit_neighbors(space: Space, k: int, *, progress: Progress) -> Any:
    """Return the nearest min(2k + 2, 40) points of each distinct point; equal units share a point."""
    first, point = space.distinct()
    points = space.take(first) if len(first) < len(point) else space
    neighbors = kernels.near.nearest_neighbors(points, min(2 * k + 2, _MAX_NEIGHBORS), progress=progress)
    repeated = np.bincount(point) > 1
    if repeated.any():  # equal units are neighbors, too
        neighbors = np.hstack([np.where(repeated, np.arange(len(first)), -1)[:, None], neighbors])
        neighbors[~repeated] = np.roll(neighbors[~repeated], -1, axis=1)
    starts = np.concatenate([[0], np.cumsum(np.bincount(point))])
    return kernels.turns.UnitNeighbors(np.ascontiguousarray(neighbors), point, starts, np.argsort(point, kind="stable"))

"""Which units are near each other: where local search looks for better places."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.values import Progress, Space

_MOST = 40
"""Near points of each point at most."""


def near_units(space: Space, k: int, *, progress: Progress) -> Any:
    """The nearest 2k + 2 points of each point of the space, at most 40; equal units are one point."""
    first, point = space.distinct()
    points = space.some(first) if len(first) < len(point) else space
    found = kernels.near.nearest_others(points, min(2 * k + 2, _MOST), progress=progress)
    several = np.bincount(point) > 1
    if several.any():  # a unit may join others that are equal
        found = np.hstack([np.where(several, np.arange(len(first)), -1)[:, None], found])
        found[~several] = np.roll(found[~several], -1, axis=1)
    starts = np.concatenate([[0], np.cumsum(np.bincount(point))])
    return kernels.turns.Near(np.ascontiguousarray(found), point, starts, np.argsort(point, kind="stable"))

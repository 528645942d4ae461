"""The best lower bound that an effort allows."""

from __future__ import annotations

from dataclasses import replace

from shoal.refine.bounds import elementary_bound, exact_bound
from shoal.refine.columns import column_bound
from shoal.refine.embedding import embedded
from shoal.values import Bound, Progress, Space, silent

_STEPS = {"balanced": 500_000_000, "best": 4_000_000_000}
"""What the search for groups may take, in steps: some seconds, or minutes."""
_RECORDS = 5_000
"""Those for which groups are searched for."""


def lower_bound(space: Space, k: int, *, effort: str, progress: Progress = silent) -> Bound:
    """What no partition of these records can go below: exact where that is known, else by an effort."""
    points = embedded(space)
    known = exact_bound(points, k)
    if known is not None:
        return replace(known, kind="elementary") if len(space.widths) else known
    if effort == "fast" or len(points) > _RECORDS:
        return elementary_bound(points, k, progress=progress)
    return column_bound(points, k, effort=_STEPS[effort], progress=progress).bound

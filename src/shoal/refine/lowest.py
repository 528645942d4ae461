"""Choice of the lower bound that an effort allows."""

from __future__ import annotations

from dataclasses import replace

from shoal.refine.bounds import elementary_bound, exact_bound
from shoal.refine.columns import column_bound
from shoal.refine.embedding import embed
from shoal.values import Bound, Progress, Space, no_progress

_STEPS = {"balanced": 500_000_000, "best": 4_000_000_000}
"""Maximum steps of column generation by effort: some seconds, or minutes."""
_MAX_RECORDS = 5_000
"""Maximum number of records for column generation."""


def lower_bound(space: Space, k: int, *, effort: str, progress: Progress = no_progress) -> Bound:
    """Compute a lower bound of the error of all partitions: exact where possible, otherwise as the effort allows."""
    points = embed(space)
    exact = exact_bound(points, k)
    if exact is not None:
        return replace(exact, kind="elementary") if len(space.widths) else exact
    if effort == "fast" or len(points) > _MAX_RECORDS:
        return elementary_bound(points, k, progress=progress)
    return column_bound(points, k, effort=_STEPS[effort], progress=progress).bound

"""MD: maximum distance, and DBFS, which assigns the leftovers differently."""

from __future__ import annotations

from typing import Any

from shoal import kernels
from shoal.domain import IntVector, Progress, Records
from shoal.microaggregation.registry import mixed_method

MAX_PAIRS_TRIED = 64
"""Passes without a new pair before the bounds of all records are recomputed."""


def most_distant_pairs(records: Records, k: int, *, swap: bool = False, progress: Progress) -> Any:
    """Run steps 1 and 2: pairs of groups of k, then one group if k to 2k - 1 records remain.

    The record with the lower row forms its group first; with ``swap``, the other one.
    """
    queue = kernels.sequential.farthest_pair.init(records.space)
    tight = 0  # number of groups at the last recomputation of all bounds

    def step(state: Any, passes: int) -> None:
        nonlocal queue, tight
        before = int(state.counts[kernels.sequential.unassigned.GROUPS])
        kernels.sequential.farthest_pair.max_distance_passes(state, queue, k, swap, min(MAX_PAIRS_TRIED, passes))
        if before == state.counts[kernels.sequential.unassigned.GROUPS] > tight:
            queue, tight = kernels.sequential.farthest_pair.tighten(state, queue), before

    state = kernels.sequential.unassigned.init(records.space)
    state = kernels.sequential.unassigned.run(state, step, min_left=2 * k, progress=progress)  # step 1
    if state.counts[kernels.sequential.unassigned.LEFT] >= k:
        kernels.sequential.unassigned.group_rest(state)  # step 2
    return state


@mixed_method(
    name="md",
    paper="Domingo-Ferrer and Mateo-Sanz, IEEE Transactions on Knowledge and Data Engineering 14(1), 2002",
    year=2002,
    cost="O(n²) time and more at worst, O(n) memory",
)
def md(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Form groups around the two most distant records.

    J. Domingo-Ferrer and J. M. Mateo-Sanz, "Practical data-oriented microaggregation for statistical
    disclosure control", 2002; with the end conditions of section 4 of the Multi-DSort paper.

    Notes
    -----
    *Steps*

    1. While at least 2k records remain: r and s are the two most distant records; r and its k - 1 nearest form a
       group, then s and its k - 1 nearest.
    2. If k to 2k - 1 records remain, they form a group.
    3. If fewer than k remain, all of them join the group whose centroid is nearest to their own.

    *Departures from the paper*: r and s are set aside before either group grows, so that neither can join the group of
    the other on ties. The pair is found without comparing all pairs again.

    *Cost*: one tree search per distance that must be recomputed, mostly a few per pass. If there are many, as after an
    outlier that was the farthest from all others, the bounds of all remaining records are recomputed, at most once per
    pass. Comparing all pairs in each pass would take O(n³/k). Ties go to the lowest row, then to the lowest partner.
    """
    state = most_distant_pairs(records, k, progress=progress)  # steps 1 and 2
    rows = kernels.sequential.unassigned.unassigned_rows(state)
    if len(rows) > 0:  # step 3
        groups = kernels.centroids
        centers = groups.centroids(state.space, state.labels, state.counts[kernels.sequential.unassigned.GROUPS])
        state.labels[rows] = groups.nearest_group(state.space, centers, groups.centroid_of(state.space, rows))
    return state.labels


@mixed_method(
    name="dbfs",
    paper="Laszlo and Mukherjee, IEEE Transactions on Knowledge and Data Engineering 17(7), 2005",
    year=2005,
    cost="O(n²) time and more at worst, O(n) memory",
)
def dbfs(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Diameter-based fixed size: like MD, but each leftover joins its own nearest group.

    M. Laszlo and S. Mukherjee, "Minimum spanning tree partitioning algorithm for microaggregation", 2005.

    Notes
    -----
    *Steps*

    1. While at least 2k records remain, form two groups of k as in step 1 of ``md``.
    2. If k to 2k - 1 records remain, they form a group.
    3. If fewer than k remain, each joins the group with the nearest centroid; the centroids are not updated.

    *Departures from the paper*: those of ``md``.

    *Cost*: that of ``md``.
    """
    state = most_distant_pairs(records, k, progress=progress)  # steps 1 and 2
    kernels.sequential.unassigned.assign_rest(state)  # step 3
    return state.labels

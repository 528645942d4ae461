"""MD, maximum distance, and DBFS, which differs from it in the leftovers."""

from __future__ import annotations

from typing import Any

from shoal import kernels
from shoal.partition.registry import EVERY, method
from shoal.values import IntVector, Progress, Records

LOOKS = 64
"""Looks without a new pair after which the bounds of all records are tightened."""


def most_distant_pairs(records: Records, k: int, *, swap: bool = False, progress: Progress) -> Any:
    """Steps 1 and 2: pairs of groups of k, then one group if k to 2k - 1 records are left.

    The record with the lower row grows its group first, or the other one if they swap.
    """
    queue = kernels.diameter.bounds(records.space)
    tight = 0  # the number of groups when all bounds were last formed

    def step(state: Any, passes: int) -> None:
        nonlocal queue, tight
        before = int(state.counts[kernels.unassigned.GROUPS])
        kernels.diameter.most_distant(state, queue, k, swap, min(LOOKS, passes))
        if before == state.counts[kernels.unassigned.GROUPS] > tight:
            queue, tight = kernels.diameter.tightened(state, queue), before

    state = kernels.unassigned.begin(records.space)
    state = kernels.unassigned.carry_on(state, step, least=2 * k, progress=progress)  # step 1
    if state.counts[kernels.unassigned.LEFT] >= k:
        kernels.unassigned.one_group(state)  # step 2
    return state


@method(
    name="md",
    paper="Domingo-Ferrer and Mateo-Sanz, IEEE Transactions on Knowledge and Data Engineering 14(1), 2002",
    year=2002,
    cost="O(n²) time and more at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def md(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Groups around the two records most distant from each other.

    J. Domingo-Ferrer and J. M. Mateo-Sanz, "Practical data-oriented microaggregation for statistical
    disclosure control", 2002; with the ends as in section 4 of the Multi-DSort paper.

    Notes
    -----
    *Steps*

    1. While at least 2k records are left: r and s are the two records most distant from each other; r and its
       k - 1 nearest are a group, then s and its k - 1 nearest.
    2. If k to 2k - 1 records are left, they are a group.
    3. If fewer than k are left, all of them join the group whose centroid is nearest to their own.

    *Departures from the paper*: r and s leave before either group grows, so that neither can lie in the group
    of the other where distances are equal. The pair is found without comparing all pairs again.

    *Cost*: one search in a tree for each distance that has to be looked at again, mostly a few for each pass. Where
    there are many, as after an outlier that was the farthest from all others, the bounds of all records left are
    formed anew, at most once a pass. Comparing all pairs in each pass would be O(n³/k). Ties go to the larger
    distance, then the lowest row, then the lowest partner.
    """
    state = most_distant_pairs(records, k, progress=progress)  # steps 1 and 2
    rows = kernels.unassigned.rows_left(state)
    if len(rows) > 0:  # step 3
        groups = kernels.groups
        centers = groups.centroids(state.space, state.labels, state.counts[kernels.unassigned.GROUPS])
        state.labels[rows] = groups.nearest_group(state.space, centers, groups.middle(state.space, rows))
    labels: IntVector = state.labels
    return labels


@method(
    name="dbfs",
    paper="Laszlo and Mukherjee, IEEE Transactions on Knowledge and Data Engineering 17(7), 2005",
    year=2005,
    cost="O(n²) time and more at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def dbfs(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Diameter-based fixed size: as MD, and each leftover joins its own nearest group.

    M. Laszlo and S. Mukherjee, "Minimum spanning tree partitioning algorithm for microaggregation", 2005.

    Notes
    -----
    *Steps*

    1. While at least 2k records are left, two groups of k as in step 1 of ``md``.
    2. If k to 2k - 1 records are left, they are a group.
    3. If fewer than k are left, each joins the group with the nearest centroid; the centroids stay as they were.

    *Departures from the paper*: those of ``md``.

    *Cost*: that of ``md``.
    """
    state = most_distant_pairs(records, k, progress=progress)  # steps 1 and 2
    kernels.unassigned.nearest_groups(state)  # step 3
    labels: IntVector = state.labels
    return labels

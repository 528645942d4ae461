"""CBFS: centroid-based fixed size."""

from __future__ import annotations

from shoal import kernels
from shoal.partition.registry import EVERY, method
from shoal.values import IntVector, Progress, Records


@method(
    name="cbfs",
    paper="Laszlo and Mukherjee, IEEE Transactions on Knowledge and Data Engineering 17(7), 2005",
    year=2005,
    cost="O(n²/k) time at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def cbfs(records: Records, k: int, *, progress: Progress) -> IntVector:
    """One group a pass, around the record farthest from the centroid of the records left.

    M. Laszlo and S. Mukherjee, "Minimum spanning tree partitioning algorithm for microaggregation", 2005.

    Notes
    -----
    *Steps*

    1. While at least k records are left: the record farthest from the centroid of the records left and its
       k - 1 nearest are a group.
    2. Each leftover joins the group with the nearest centroid.

    *Departures from the paper*: none known; in step 2 the centroids stay as they were.

    *Cost*: a search in a tree of boxes for each group, at worst over all records left, made ahead where several
    threads work; the record farthest from the centroid is mostly found among the outermost that are kept. Ties go to
    the lowest row. The centroid comes from running sums, which are formed anew each time the records left have halved.
    """
    state = kernels.unassigned.begin(records.space)
    state = kernels.passes.go_outward(state, k, turns=1, least=k, progress=progress)  # step 1
    kernels.unassigned.nearest_groups(state)  # step 2
    labels: IntVector = state.labels
    return labels

"""CBFS: centroid-based fixed-size microaggregation."""

from __future__ import annotations

from shoal import kernels
from shoal.domain import IntVector, Progress, Records
from shoal.microaggregation.registry import mixed_method


@mixed_method(
    name="cbfs",
    paper="Laszlo and Mukherjee, IEEE Transactions on Knowledge and Data Engineering 17(7), 2005",
    year=2005,
    cost="O(n²/k) time at worst, O(n) memory",
)
def cbfs(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Form one group per pass, around the record farthest from the centroid of the remaining records.

    M. Laszlo and S. Mukherjee, "Minimum spanning tree partitioning algorithm for microaggregation", 2005.

    Notes
    -----
    *Steps*

    1. While at least k records remain: the record farthest from the centroid of the remaining records and its
       k - 1 nearest form a group.
    2. Each leftover joins the group with the nearest centroid.

    *Departures from the paper*: none known; in step 2 the centroids are not updated.

    *Cost*: one search in a box tree per group, at worst over all remaining records. The record farthest from the
    centroid is mostly found in a cached list of the outermost records. Ties go to the lowest row. The centroid comes
    from running sums, which are recomputed each time the number of remaining records has halved.
    """
    state = kernels.sequential.unassigned.init(records.space)
    state = kernels.sequential.passes.mdav_passes(state, k, per_pass=1, min_left=k, progress=progress)  # step 1
    kernels.sequential.unassigned.assign_rest(state)  # step 2
    return state.labels

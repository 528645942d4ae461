"""TFRP: two fixed reference points."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records
from shoal.microaggregation.registry import mixed_method
from shoal.microaggregation.stages import dissolve, split_large, stage_progress


@mixed_method(
    name="tfrp-1",
    paper="Chang, Li and Huang, Journal of Systems and Software 80(11), 2007",
    year=2007,
    cost="O(n²/k) time at worst, O(n) memory",
)
def tfrp_1(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Form groups around the records farthest from two fixed points, alternately.

    C.-C. Chang, Y.-C. Li and W.-H. Huang, "TFRP: An efficient microaggregation algorithm for statistical disclosure
    control", 2007, first stage.

    Notes
    -----
    *Steps*

    1. One reference point has the smallest value of the whole table in every column, the other one the largest; for
       categories, the first and the last value in their order.
    2. While at least k records remain: the record farthest from the first point and its k - 1 nearest form a group;
       then, if at least k remain, the same with the second point.
    3. Each leftover joins the group with the nearest centroid; the centroids are not updated.

    *Departures from the paper*: none known. The smallest and the largest value are those of the standardized (and
    weighted) table.

    *Cost*: two searches in a box tree per group, at worst over all remaining records. Ties go to the lowest row.
    """
    space = records.space
    points = np.array([space.matrix.min(axis=0), space.matrix.max(axis=0)])  # step 1
    if space.n_numeric:
        points[0, : space.n_numeric], points[1, : space.n_numeric] = records.matrix.min(), records.matrix.max()
    state = kernels.sequential.unassigned.init(space)
    state = kernels.sequential.unassigned.run(
        state, kernels.sequential.passes.point_passes, points, k, min_left=k, progress=progress
    )  # step 2
    kernels.sequential.unassigned.assign_rest(state)  # step 3
    return state.labels


@mixed_method(
    name="tfrp-2",
    paper="Chang, Li and Huang, Journal of Systems and Software 80(11), 2007",
    year=2007,
    cost="O(n²/k) time at worst, O(n) memory",
)
def tfrp_2(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Run TFRP-1, then dissolve groups where that lowers the SSE, the worst one first.

    C.-C. Chang, Y.-C. Li and W.-H. Huang, "TFRP: An efficient microaggregation algorithm for statistical disclosure
    control", 2007, both stages.

    Notes
    -----
    *Steps*

    1. The groups of ``tfrp-1``.
    2. For each group, in descending order of SSE: find the nearest other centroid for each of its records, among groups
       with fewer than 4k records. If the total SSE is lower with the records in these groups, dissolve the group.
    3. Groups of 2k or more records are partitioned again by ``tfrp-1``, with their own reference points.

    *Departures from the paper*: none known. The centroids are not updated while one group is evaluated.

    *Cost*: that of ``tfrp-1``, plus one search in a tree of centroids per record. Ties go to the group created first.
    """
    labels = tfrp_1(records, k, progress=stage_progress(progress, records, 0, 3))  # step 1
    labels = dissolve(records, labels, max_size=4 * k, progress=stage_progress(progress, records, 1, 3))  # step 2
    return split_large(records, labels, k, method=tfrp_1, progress=stage_progress(progress, records, 2, 3))  # step 3

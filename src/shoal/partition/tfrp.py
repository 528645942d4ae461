"""TFRP, two fixed reference points."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.partition.registry import EVERY, method
from shoal.partition.stages import dissolve, split_large, stage
from shoal.values import IntVector, Progress, Records


@method(
    name="tfrp-1",
    paper="Chang, Li and Huang, Journal of Systems and Software 80(11), 2007",
    year=2007,
    cost="O(n²/k) time at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def tfrp_1(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Groups around the records farthest from two fixed points, in turn.

    C.-C. Chang, Y.-C. Li and W.-H. Huang, "TFRP: An efficient microaggregation algorithm for statistical disclosure
    control", 2007, first stage.

    Notes
    -----
    *Steps*

    1. One reference point has the smallest value of the whole table in every column, the other one the largest; of
       categories, the first and the last value in their order.
    2. While at least k records are left: the record farthest from the first point and its k - 1 nearest are a group;
       then, if at least k are left, the same with the second point.
    3. Each leftover joins the group with the nearest centroid; the centroids stay as they were.

    *Departures from the paper*: none known. The smallest and the largest value are those of the standardized (and
    weighted) table.

    *Cost*: two searches in a tree of boxes for each group, at worst over all records left. Ties go to the lowest row.
    """
    space = records.space
    points = np.array([space.matrix.min(axis=0), space.matrix.max(axis=0)])  # step 1
    if space.numbers:
        points[0, : space.numbers], points[1, : space.numbers] = records.matrix.min(), records.matrix.max()

    def step(state: Any, passes: int) -> None:
        kernels.passes.away_from(state, points, k, passes)

    state = kernels.unassigned.begin(space)
    state = kernels.unassigned.carry_on(state, step, least=k, progress=progress)  # step 2
    kernels.unassigned.nearest_groups(state)  # step 3
    labels: IntVector = state.labels
    return labels


@method(
    name="tfrp-2",
    paper="Chang, Li and Huang, Journal of Systems and Software 80(11), 2007",
    year=2007,
    cost="O(n²/k) time at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def tfrp_2(records: Records, k: int, *, progress: Progress) -> IntVector:
    """TFRP-1, then groups are dissolved where that lowers the SSE, the worst one first.

    C.-C. Chang, Y.-C. Li and W.-H. Huang, "TFRP: An efficient microaggregation algorithm for statistical disclosure
    control", 2007, both stages.

    Notes
    -----
    *Steps*

    1. The groups of ``tfrp-1``.
    2. For each group, in descending order of SSE: find the nearest other centroid for each of its records, of groups
       with fewer than 4k records. If the total SSE is lower with the records in these groups, dissolve the group.
    3. Groups of 2k records and more are partitioned again by ``tfrp-1``, with reference points of their own.

    *Departures from the paper*: none known. The centroids stay as they were while one group is tried.

    *Cost*: that of ``tfrp-1``, and a search in a tree of centroids for each record. Ties go to the group built first.
    """
    labels = tfrp_1(records, k, progress=stage(progress, records, 0, 3))  # step 1
    labels = dissolve(records, labels, most=4 * k, progress=stage(progress, records, 1, 3))  # step 2
    return split_large(records, labels, k, by=tfrp_1, progress=stage(progress, records, 2, 3))  # step 3

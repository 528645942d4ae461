"""MHM: an order of the records, then the multivariate version of the optimal cut of Hansen and Mukherjee."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.partition.cbfs import cbfs
from shoal.partition.md import most_distant_pairs
from shoal.partition.mdav import mdav
from shoal.partition.registry import EVERY, method
from shoal.partition.stages import best_cut, stage
from shoal.values import IntVector, Progress, Records

_PAPER = "Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé, The VLDB Journal 15(4), 2006"


def _cut_along(state: Any, start: int, groups: IntVector, records: Records, k: int, *, progress: Progress) -> IntVector:
    """The best cut of the order that goes from record to record, finishing each group that it enters."""
    order = kernels.order.nearest_next(state, groups, start, progress=stage(progress, records, 1, 3))
    return best_cut(records, order, k, progress=stage(progress, records, 2, 3))


def _outermost(state: Any) -> int:
    """The record farthest from the centroid of all."""
    middle = kernels.groups.middle(state.space, np.arange(len(state.labels)))
    return int(kernels.unassigned.farthest_from(state, middle))


@method(
    name="npn-mhm",
    paper=_PAPER,
    year=2006,
    cost="O(n² + nk) time at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def npn_mhm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """The best cut of the order in which each record is followed by the nearest one left.

    J. Domingo-Ferrer, A. Martínez-Ballesté, J. M. Mateo-Sanz and F. Sebé, "Efficient multivariate data-oriented
    microaggregation", 2006.

    Notes
    -----
    *Steps*

    1. Start at one end of the largest distance between two records; the nearest record not yet visited is next.
    2. Cut this order into groups of k to 2k - 1 neighbors with the least SSE: a shortest path, as in ``hm``.

    *Departures from the paper*: the end with the lower row is the start. Printed losses are up to 1.2 % above ours
    (on EIA up to 8.2 %); the cut here is exact, so there the order differs or the cut is not exact.

    *Cost*: one search in a tree of boxes for each record, at worst over all records left, and some more to
    find the start; 2k - 1 steps for each record to cut. Ties go to the lowest row.
    """
    state = kernels.unassigned.begin(records.space)
    start, _ = kernels.diameter.most_distant_pair(state, progress=stage(progress, records, 0, 3))
    return _cut_along(state, start, np.arange(records.count), records, k, progress=progress)  # steps 1 and 2


@method(
    name="md-mhm",
    paper=_PAPER,
    year=2006,
    cost="O(n² + nk) time and more at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def md_mhm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """The best cut of an order that visits the groups of MD one after another.

    J. Domingo-Ferrer, A. Martínez-Ballesté, J. M. Mateo-Sanz and F. Sebé, "Efficient multivariate data-oriented
    microaggregation", 2006.

    Notes
    -----
    *Steps*

    1. Partition the records by ``md``.
    2. Start at one end of the largest distance between two records. The nearest record of the same group that is
       not yet visited is next; where the group is finished, the nearest record not yet visited.
    3. Cut this order into groups of k to 2k - 1 neighbors with the least SSE: a shortest path, as in ``hm``.

    *Departures from the paper*: how the groups become one order was not to be learned from the works at hand; of
    the readings tried, step 2 has the least loss, and is ``npn-mhm`` where every record is a group of its own.
    In step 1, unlike in ``md``, of the two most distant records the one with the higher row grows its group
    first and is the start: for k = 10 the groups so made have the printed losses before any cut (Tarragona
    33.1834, Census 14.3965). Each leftover joins the group with the nearest centroid.

    *Cost*: that of ``md``, one search in the tree for each group, 2k - 1 steps for each record in its group and
    as many to cut. Ties go to the lowest row.
    """
    begun = most_distant_pairs(records, k, swap=True, progress=stage(progress, records, 0, 3))  # step 1
    kernels.unassigned.nearest_groups(begun)
    state = kernels.unassigned.begin(records.space)
    _, start = kernels.diameter.most_distant_pair(state, progress=stage(progress, records, 1, 3))
    return _cut_along(state, start, begun.labels, records, k, progress=progress)  # steps 2 and 3


@method(
    name="mdav-mhm",
    paper=_PAPER,
    year=2006,
    cost="O(n²/k + nk) time at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def mdav_mhm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """The best cut of an order that visits the groups of MDAV one after another.

    J. Domingo-Ferrer, A. Martínez-Ballesté, J. M. Mateo-Sanz and F. Sebé, "Efficient multivariate data-oriented
    microaggregation", 2006.

    Notes
    -----
    *Steps*

    1. Partition the records by ``mdav``.
    2. Start at the record farthest from the centroid, the first that ``mdav`` takes, and go on as in step 2 of
       ``md-mhm``.
    3. Cut this order into groups of k to 2k - 1 neighbors with the least SSE: a shortest path, as in ``hm``.

    *Departures from the paper*: that of ``md-mhm`` in step 2. The loss is never above that of ``mdav``.

    *Cost*: that of ``mdav``, one search in the tree for each group, 2k - 1 steps for each record in its group and
    as many to cut. Ties go to the lowest row.
    """
    groups = mdav(records, k, progress=stage(progress, records, 0, 3))  # step 1
    state = kernels.unassigned.begin(records.space)
    return _cut_along(state, _outermost(state), groups, records, k, progress=progress)  # steps 2 and 3


@method(
    name="cbfs-mhm",
    paper=_PAPER,
    year=2006,
    cost="O(n²/k + nk) time at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def cbfs_mhm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """The best cut of an order that visits the groups of CBFS one after another.

    J. Domingo-Ferrer, A. Martínez-Ballesté, J. M. Mateo-Sanz and F. Sebé, "Efficient multivariate data-oriented
    microaggregation", 2006.

    Notes
    -----
    *Steps*

    1. Partition the records by ``cbfs``.
    2. Start at the record farthest from the centroid, the first that ``cbfs`` takes, and go on as in step 2 of
       ``md-mhm``.
    3. Cut this order into groups of k to 2k - 1 neighbors with the least SSE: a shortest path, as in ``hm``.

    *Departures from the paper*: that of ``md-mhm`` in step 2. The loss is never above that of ``cbfs``.

    *Cost*: that of ``cbfs``, one search in the tree for each group, 2k - 1 steps for each record in its group and
    as many to cut. Ties go to the lowest row.
    """
    groups = cbfs(records, k, progress=stage(progress, records, 0, 3))  # step 1
    state = kernels.unassigned.begin(records.space)
    return _cut_along(state, _outermost(state), groups, records, k, progress=progress)  # steps 2 and 3

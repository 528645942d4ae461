"""MHM: order the records, then apply the multivariate Hansen-Mukherjee shortest path."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records
from shoal.microaggregation.cbfs import cbfs
from shoal.microaggregation.md import most_distant_pairs
from shoal.microaggregation.mdav import mdav
from shoal.microaggregation.registry import mixed_method
from shoal.microaggregation.stages import best_cut, stage_progress

_PAPER = "Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé, The VLDB Journal 15(4), 2006"


def _cut_along(state: Any, start: int, groups: IntVector, records: Records, k: int, *, progress: Progress) -> IntVector:
    """Cut the nearest-neighbor order that completes each group before entering the next."""
    order = kernels.orders.nearest_next.nearest_next(
        state, groups, start, progress=stage_progress(progress, records, 1, 3)
    )
    return best_cut(records, order, k, progress=stage_progress(progress, records, 2, 3))


def _outermost(state: Any) -> int:
    """Return the record farthest from the centroid of all records."""
    middle = kernels.centroids.centroid_of(state.space, np.arange(len(state.labels)))
    return int(kernels.sequential.unassigned.search_farthest(state, middle))


@mixed_method(
    name="npn-mhm",
    paper=_PAPER,
    year=2006,
    cost="O(n² + nk) time at worst, O(n) memory",
)
def npn_mhm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Find the optimal cut of the nearest-neighbor order of the records.

    J. Domingo-Ferrer, A. Martínez-Ballesté, J. M. Mateo-Sanz and F. Sebé, "Efficient multivariate data-oriented
    microaggregation", 2006.

    Notes
    -----
    *Steps*

    1. Start at one of the two most distant records; the nearest unvisited record is next.
    2. Cut this order into groups of k to 2k - 1 neighbors with minimum SSE: a shortest path, as in ``hm``.

    *Departures from the paper*: of the two most distant records, the lower row is the start. Printed losses are up to
    1.2 % above ours (on EIA up to 8.2 %). The cut is exact here, so the order in the paper differs or its cut is not
    exact.

    *Cost*: one search in a box tree per record, at worst over all remaining records, and some more to find the start;
    2k - 1 steps per record for the cut. Ties go to the lowest row.
    """
    state = kernels.sequential.unassigned.init(records.space)
    start, _ = kernels.sequential.farthest_pair.farthest_pair(state, progress=stage_progress(progress, records, 0, 3))
    return _cut_along(state, start, np.arange(records.count), records, k, progress=progress)  # steps 1 and 2


@mixed_method(
    name="md-mhm",
    paper=_PAPER,
    year=2006,
    cost="O(n² + nk) time and more at worst, O(n) memory",
)
def md_mhm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Find the optimal cut of an order that visits the groups of MD one after another.

    J. Domingo-Ferrer, A. Martínez-Ballesté, J. M. Mateo-Sanz and F. Sebé, "Efficient multivariate data-oriented
    microaggregation", 2006.

    Notes
    -----
    *Steps*

    1. Partition the records by ``md``.
    2. Start at one of the two most distant records. The nearest unvisited record of the same group is next; after the
       last record of a group, the nearest unvisited record of all.
    3. Cut this order into groups of k to 2k - 1 neighbors with minimum SSE: a shortest path, as in ``hm``.

    *Departures from the paper*: the literature available to us does not specify how the groups become one order. Of
    the readings we tried, step 2 has the lowest loss, and equals ``npn-mhm`` if every record is a group of its own. In
    step 1, unlike in ``md``, the higher row of the two most distant records forms its group first and is the start:
    for k = 10 these groups have the printed losses before any cut (Tarragona 33.1834, Census 14.3965). Each leftover
    joins the group with the nearest centroid.

    *Cost*: that of ``md``, one tree search per group, 2k - 1 steps per record within its group and as many for the cut.
    Ties go to the lowest row.
    """
    md_state = most_distant_pairs(records, k, swap=True, progress=stage_progress(progress, records, 0, 3))  # step 1
    kernels.sequential.unassigned.assign_rest(md_state)
    state = kernels.sequential.unassigned.init(records.space)
    _, start = kernels.sequential.farthest_pair.farthest_pair(state, progress=stage_progress(progress, records, 1, 3))
    return _cut_along(state, start, md_state.labels, records, k, progress=progress)  # steps 2 and 3


@mixed_method(
    name="mdav-mhm",
    paper=_PAPER,
    year=2006,
    cost="O(n²/k + nk) time at worst, O(n) memory",
)
def mdav_mhm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Find the optimal cut of an order that visits the groups of MDAV one after another.

    J. Domingo-Ferrer, A. Martínez-Ballesté, J. M. Mateo-Sanz and F. Sebé, "Efficient multivariate data-oriented
    microaggregation", 2006.

    Notes
    -----
    *Steps*

    1. Partition the records by ``mdav``.
    2. Start at the record farthest from the centroid, which ``mdav`` visits first, and continue as in step 2 of
       ``md-mhm``.
    3. Cut this order into groups of k to 2k - 1 neighbors with minimum SSE: a shortest path, as in ``hm``.

    *Departures from the paper*: that of ``md-mhm`` in step 2. The loss is never above that of ``mdav``.

    *Cost*: that of ``mdav``, one tree search per group, 2k - 1 steps per record within its group and as many for the
    cut. Ties go to the lowest row.
    """
    groups = mdav(records, k, progress=stage_progress(progress, records, 0, 3))  # step 1
    state = kernels.sequential.unassigned.init(records.space)
    return _cut_along(state, _outermost(state), groups, records, k, progress=progress)  # steps 2 and 3


@mixed_method(
    name="cbfs-mhm",
    paper=_PAPER,
    year=2006,
    cost="O(n²/k + nk) time at worst, O(n) memory",
)
def cbfs_mhm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Find the optimal cut of an order that visits the groups of CBFS one after another.

    J. Domingo-Ferrer, A. Martínez-Ballesté, J. M. Mateo-Sanz and F. Sebé, "Efficient multivariate data-oriented
    microaggregation", 2006.

    Notes
    -----
    *Steps*

    1. Partition the records by ``cbfs``.
    2. Start at the record farthest from the centroid, which ``cbfs`` visits first, and continue as in step 2 of
       ``md-mhm``.
    3. Cut this order into groups of k to 2k - 1 neighbors with minimum SSE: a shortest path, as in ``hm``.

    *Departures from the paper*: that of ``md-mhm`` in step 2. The loss is never above that of ``cbfs``.

    *Cost*: that of ``cbfs``, one tree search per group, 2k - 1 steps per record within its group and as many for the
    cut. Ties go to the lowest row.
    """
    groups = cbfs(records, k, progress=stage_progress(progress, records, 0, 3))  # step 1
    state = kernels.sequential.unassigned.init(records.space)
    return _cut_along(state, _outermost(state), groups, records, k, progress=progress)  # steps 2 and 3

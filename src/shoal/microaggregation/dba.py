"""DBA: density-based microaggregation."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records
from shoal.microaggregation.mdav import mdav_1
from shoal.microaggregation.registry import mixed_method
from shoal.microaggregation.stages import dissolve, split_large, stage_progress


@mixed_method(
    name="dba-1",
    paper="Lin, Wen, Hsieh and Chang, Expert Systems with Applications 37(4), 2010",
    year=2010,
    cost="O(n²) time and more at worst, O(kn) memory (24kn bytes)",
)
def dba_1(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Repeatedly take the densest neighborhood of k records as a group.

    J.-L. Lin, T.-H. Wen, J.-C. Hsieh and P.-C. Chang, "Density-based microaggregation for statistical
    disclosure control", 2010, first stage.

    Notes
    -----
    *Steps*

    1. The k-neighborhood of a record is the record and its k - 1 nearest remaining records. Its k-density is one
       over the SSE of the k-neighborhood.
    2. While at least k records remain: the k-neighborhood of the record with the highest k-density is a group;
       the densities of records that lose a neighbor are recomputed.
    3. Each leftover joins the group with the nearest centroid; the centroids are not updated.

    *Departures from the paper*: none known. The density of k equal records is infinite, so they form groups first, in
    row order; they are found by sorting.

    *Cost*: one search in a box tree per record and per neighborhood that loses a record, on average a few per record.
    Ties go to the lowest row.
    """
    if records.count < 2 * k:
        return np.zeros(records.count, dtype=np.int64)
    state = kernels.sequential.unassigned.init(records.space, _equal_records(records, k))
    if state.counts[kernels.sequential.unassigned.LEFT] >= k:
        first_progress = stage_progress(progress, records, 0, 2)
        neighborhoods = kernels.sequential.density.init(state, k, progress=first_progress)  # step 1
        second_progress = stage_progress(progress, records, 1, 2)
        state = kernels.sequential.unassigned.run(
            state, kernels.sequential.density.densest_passes, neighborhoods, k, min_left=k, progress=second_progress
        )  # step 2
    kernels.sequential.unassigned.assign_rest(state)  # step 3
    return state.labels


def _equal_records(records: Records, k: int) -> IntVector:
    """Return groups of k equal records, numbered by their first rows; other records are unassigned."""
    same = np.unique(records.space.matrix + 0.0, axis=0, return_inverse=True)[1].reshape(-1)  # -0.0 and 0.0 are equal
    sizes = np.bincount(same)
    place = np.empty(records.count, dtype=np.int64)  # number of equal records before
    place[np.argsort(same, kind="stable")] = np.arange(records.count) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rows = np.flatnonzero(place // k < sizes[same] // k)
    _, first, group = np.unique(same[rows] * records.count + place[rows] // k, return_index=True, return_inverse=True)
    labels = np.full(records.count, kernels.sequential.unassigned.NONE)
    labels[rows] = np.argsort(np.argsort(first))[group]
    return labels


@mixed_method(
    name="dba-2",
    paper="Lin, Wen, Hsieh and Chang, Expert Systems with Applications 37(4), 2010",
    year=2010,
    cost="O(n²) time and more at worst, O(kn) memory (24kn bytes)",
)
def dba_2(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Run DBA-1, then dissolve groups where that lowers the SSE, the last one first.

    J.-L. Lin, T.-H. Wen, J.-C. Hsieh and P.-C. Chang, "Density-based microaggregation for statistical
    disclosure control", 2010, both stages.

    Notes
    -----
    *Steps*

    1. The groups of ``dba-1``.
    2. For each group, in reverse order of creation: find the nearest other centroid for each of its records. If the
       total SSE is lower with the records in these groups, dissolve the group.
    3. Groups of 2k or more records are partitioned again by ``mdav-1``.

    *Departures from the paper*: none known. The centroids are not updated while one group is evaluated.

    *Cost*: that of ``dba-1``, plus one search in a tree of centroids per record. Ties go to the group created first.
    """
    labels = dba_1(records, k, progress=stage_progress(progress, records, 0, 3))  # step 1
    last_first = np.arange(labels.max() + 1)[::-1].copy()
    labels = dissolve(records, labels, order=last_first, progress=stage_progress(progress, records, 1, 3))  # step 2
    return split_large(records, labels, k, method=mdav_1, progress=stage_progress(progress, records, 2, 3))  # step 3

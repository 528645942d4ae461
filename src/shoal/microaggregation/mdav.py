"""MDAV: maximum distance to average vector, and variants with other end conditions."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records
from shoal.domain.columns import Kind
from shoal.microaggregation.registry import mixed_method
from shoal.microaggregation.stages import dissolve, split_large, stage_progress


def _pairs(records: Records, k: int, *, least: int, progress: Progress) -> Any:
    """Form two groups of k per pass while at least ``least`` records remain."""
    state = kernels.sequential.unassigned.init(records.space)
    return kernels.sequential.passes.mdav_passes(state, k, per_pass=2, min_left=least, progress=progress)


@mixed_method(
    name="mdav",
    paper="Domingo-Ferrer and Torra, Data Mining and Knowledge Discovery 11(2), 2005",
    year=2005,
    cost="O(n²/k) time at worst, O(n) memory",
)
def mdav(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Form groups around the record farthest from the centroid and the record farthest from that one.

    J. Domingo-Ferrer and V. Torra, "Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation", 2005; with the end conditions of section 4 of the Multi-DSort paper.

    Notes
    -----
    *Steps*

    1. While at least 2k records remain:
       a. r is the record farthest from the centroid of the remaining records; r and its k - 1 nearest form a group.
       b. s is the record farthest from r; s and its k - 1 nearest form a group.
    2. If k to 2k - 1 records remain, they form a group.
    3. If fewer than k remain, each joins the group with the nearest centroid.

    *Departures from the paper*: s is determined after the group of r is removed. The result is the same except for
    exact ties, where s could otherwise be in the group of r. In step 3 the centroids are not updated.

    *Cost*: each pass searches a box tree three times, at worst over all remaining records, with many columns often over
    a tenth to a third of them. The record farthest from the centroid is mostly found in a cached list of the outermost
    records. Additional memory is about twice the matrix. Ties go to the lowest row. The centroid comes from running
    sums, which are recomputed each time the number of remaining records has halved.
    """
    state = _pairs(records, k, least=2 * k, progress=progress)  # step 1
    if state.counts[kernels.sequential.unassigned.LEFT] >= k:
        kernels.sequential.unassigned.group_rest(state)  # step 2
    else:
        kernels.sequential.unassigned.assign_rest(state)  # step 3
    return state.labels


@mixed_method(
    name="mdav-1",
    paper="Lin, Wen, Hsieh and Chang, Expert Systems with Applications 37(4), 2010",
    year=2010,
    cost="O(n²/k) time at worst, O(n) memory",
)
def mdav_1(records: Records, k: int, *, progress: Progress) -> IntVector:
    """MDAV with groups of k until the end; each leftover joins its nearest group.

    J.-L. Lin, T.-H. Wen, J.-C. Hsieh and P.-C. Chang, "Density-based microaggregation for statistical
    disclosure control", 2010.

    Notes
    -----
    *Steps*

    1. While at least 2k records remain, form two groups of k as in step 1 of ``mdav``.
    2. If k to 2k - 1 records remain: the record farthest from their centroid and its k - 1 nearest form a group.
    3. Each leftover joins the group with the nearest centroid.

    *Departures from the paper*: those of ``mdav``.

    *Cost*: that of ``mdav``.
    """
    state = _pairs(records, k, least=2 * k, progress=progress)  # step 1
    state = kernels.sequential.passes.mdav_passes(state, k, per_pass=1, min_left=k, progress=progress)  # step 2
    kernels.sequential.unassigned.assign_rest(state)  # step 3
    return state.labels


@mixed_method(
    name="mdav-2",
    paper="Lin, Wen, Hsieh and Chang, Expert Systems with Applications 37(4), 2010",
    year=2010,
    cost="O(n²/k) time at worst, O(n) memory",
)
def mdav_2(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Run MDAV-1, then dissolve groups where that lowers the SSE, the worst one first.

    J.-L. Lin, T.-H. Wen, J.-C. Hsieh and P.-C. Chang, "Density-based microaggregation for statistical
    disclosure control", 2010.

    Notes
    -----
    *Steps*

    1. The groups of ``mdav-1``.
    2. For each group, in descending order of SSE: find the nearest other centroid for each of its records. If the
       total SSE is lower with the records in these groups, dissolve the group.
    3. Groups of 2k or more records are partitioned again by ``mdav-1``.

    *Departures from the paper*: none known. The centroids are not updated while one group is evaluated; the order is
    the one that gives the printed figures.

    *Cost*: that of ``mdav``, plus one search in a tree of centroids per record. Ties go to the group created first.
    """
    labels = mdav_1(records, k, progress=stage_progress(progress, records, 0, 3))  # step 1
    labels = dissolve(records, labels, progress=stage_progress(progress, records, 1, 3))  # step 2
    return split_large(records, labels, k, method=mdav_1, progress=stage_progress(progress, records, 2, 3))  # step 3


@mixed_method(
    name="mdav-generic",
    paper="Domingo-Ferrer and Torra, Data Mining and Knowledge Discovery 11(2), 2005",
    year=2005,
    cost="O(n²/k) time at worst, O(n) memory",
)
def mdav_generic(records: Records, k: int, *, progress: Progress) -> IntVector:
    """MDAV that forms pairs of groups only while 3k records remain, so that no leftover joins a finished group.

    J. Domingo-Ferrer and V. Torra, "Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation", 2005, algorithm MDAV-generic.

    Notes
    -----
    *Steps*

    1. While at least 3k records remain, form two groups of k as in step 1 of ``mdav``.
    2. If 2k to 3k - 1 records remain: the record farthest from their centroid and its k - 1 nearest form a group.
    3. The remaining k to 2k - 1 records form a group.

    Nominal columns that differ count 1, and their average is the mode. Ordinal columns count the difference of levels
    as a fraction of the maximum, and their average is the median.

    *Departures from the paper*: those of ``mdav``. Equal records of categories that fill several groups form all of
    them at once; the paper forms one per pass.

    *Cost*: that of ``mdav``. For categories, O(t²) time for t distinct combinations, regardless of the number of
    records; ties go to the combination that appears first, then to the lowest row.
    """
    if not records.numeric and all(column.kind in (Kind.ORDINAL, Kind.NOMINAL) for column in records.categories):
        return _generic_categories(records, k, progress=progress)
    return mdav_generic_by_distance(records, k, progress=progress)


def mdav_generic_by_distance(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Run MDAV-generic on records."""
    state = _pairs(records, k, least=3 * k, progress=progress)  # step 1
    state = kernels.sequential.passes.mdav_passes(state, k, per_pass=1, min_left=2 * k, progress=progress)  # step 2
    kernels.sequential.unassigned.group_rest(state)  # step 3
    return state.labels


def _generic_categories(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Run MDAV-generic on tuples, for nominal and ordinal columns only, where many records are equal.

    The distance is the mean over the columns, as in the thesis whose figures the tests compare with.
    """
    state = kernels.tuples.mdav_tuples.init(records.tuples, np.ones_like(records.tuples.counts))
    kernels.tuples.mdav_tuples.run(
        state, k, max_size=k, min_left=2 * k, moving=False, progress=progress
    )  # steps 1 and 2
    kernels.tuples.mdav_tuples.group_rest(state)  # step 3
    return kernels.tuples.mdav_tuples.record_labels(state, records)

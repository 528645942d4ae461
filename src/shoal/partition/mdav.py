"""MDAV, maximum distance to average vector, and variants of it that end otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.partition.registry import EVERY, method
from shoal.partition.stages import dissolve, split_large, stage
from shoal.schema.columns import Kind
from shoal.values import IntVector, Progress, Records


def _pairs(records: Records, k: int, *, least: int, progress: Progress) -> Any:
    """Two groups of k a pass while at least ``least`` records are left."""
    state = kernels.unassigned.begin(records.space)
    return kernels.passes.go_outward(state, k, turns=2, least=least, progress=progress)


@method(
    name="mdav",
    paper="Domingo-Ferrer and Torra, Data Mining and Knowledge Discovery 11(2), 2005",
    year=2005,
    cost="O(n²/k) time at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def mdav(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Groups around the record farthest from the centroid and the one farthest from that.

    J. Domingo-Ferrer and V. Torra, "Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation", 2005; with the ends as in section 4 of the Multi-DSort paper.

    Notes
    -----
    *Steps*

    1. While at least 2k records are left:
       a. r is the record farthest from the centroid of the records left; r and its k - 1 nearest are a group.
       b. s is the record farthest from r; s and its k - 1 nearest are a group.
    2. If k to 2k - 1 records are left, they are a group.
    3. If fewer than k are left, each joins the group with the nearest centroid.

    *Departures from the paper*: s is sought after the group of r has left. This is the printed method but for
    exact ties, where s could otherwise lie in the group of r. In step 3 the centroids stay as they were.

    *Cost*: each pass searches a tree of boxes three times, at worst all records left, with many columns often a tenth
    to a third of them; the record farthest from the centroid is mostly found among the outermost that are kept. From
    10,000 records on, several threads search ahead, and the groups are the same on any number of them. Memory beyond
    the matrix is about twice the matrix. Ties go to the lowest row. The centroid comes from running sums, formed anew
    each time the records left have halved.
    """
    state = _pairs(records, k, least=2 * k, progress=progress)  # step 1
    if state.counts[kernels.unassigned.LEFT] >= k:
        kernels.unassigned.one_group(state)  # step 2
    else:
        kernels.unassigned.nearest_groups(state)  # step 3
    labels: IntVector = state.labels
    return labels


@method(
    name="mdav-1",
    paper="Lin, Wen, Hsieh and Chang, Expert Systems with Applications 37(4), 2010",
    year=2010,
    cost="O(n²/k) time at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def mdav_1(records: Records, k: int, *, progress: Progress) -> IntVector:
    """MDAV with groups of k to the end; every leftover joins its nearest group.

    J.-L. Lin, T.-H. Wen, J.-C. Hsieh and P.-C. Chang, "Density-based microaggregation for statistical
    disclosure control", 2010.

    Notes
    -----
    *Steps*

    1. While at least 2k records are left, two groups of k as in step 1 of ``mdav``.
    2. If k to 2k - 1 records are left: the record farthest from their centroid and its k - 1 nearest are a group.
    3. Each leftover joins the group with the nearest centroid.

    *Departures from the paper*: those of ``mdav``.

    *Cost*: that of ``mdav``.
    """
    state = _pairs(records, k, least=2 * k, progress=progress)  # step 1
    state = kernels.passes.go_outward(state, k, turns=1, least=k, progress=progress)  # step 2
    kernels.unassigned.nearest_groups(state)  # step 3
    labels: IntVector = state.labels
    return labels


@method(
    name="mdav-2",
    paper="Lin, Wen, Hsieh and Chang, Expert Systems with Applications 37(4), 2010",
    year=2010,
    cost="O(n²/k) time at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def mdav_2(records: Records, k: int, *, progress: Progress) -> IntVector:
    """MDAV-1, then groups are dissolved where that lowers the SSE, the worst one first.

    J.-L. Lin, T.-H. Wen, J.-C. Hsieh and P.-C. Chang, "Density-based microaggregation for statistical
    disclosure control", 2010.

    Notes
    -----
    *Steps*

    1. The groups of ``mdav-1``.
    2. For each group, in descending order of SSE: find the nearest other centroid for each of its records. If the
       total SSE is lower with the records in these groups, dissolve the group.
    3. Groups of 2k records and more are partitioned again by ``mdav-1``.

    *Departures from the paper*: none known. The centroids stay as they were while one group is tried; the order is
    the one that gives the printed figures.

    *Cost*: that of ``mdav``, and a search in a tree of centroids for each record. Ties go to the group built first.
    """
    labels = mdav_1(records, k, progress=stage(progress, records, 0, 3))  # step 1
    labels = dissolve(records, labels, progress=stage(progress, records, 1, 3))  # step 2
    return split_large(records, labels, k, by=mdav_1, progress=stage(progress, records, 2, 3))  # step 3


@method(
    name="mdav-generic",
    paper="Domingo-Ferrer and Torra, Data Mining and Knowledge Discovery 11(2), 2005",
    year=2005,
    cost="O(n²/k) time at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def mdav_generic(records: Records, k: int, *, progress: Progress) -> IntVector:
    """MDAV that pairs while 3k records are left, so that no leftover joins a finished group.

    J. Domingo-Ferrer and V. Torra, "Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation", 2005, algorithm MDAV-generic.

    Notes
    -----
    *Steps*

    1. While at least 3k records are left, two groups of k as in step 1 of ``mdav``.
    2. If 2k to 3k - 1 records are left: the record farthest from their centroid and its k - 1 nearest are a group.
    3. The records left, k to 2k - 1 of them, are a group.

    Nominal columns that differ count 1 and have the mode as their average; ordinal ones count the share of the levels
    in between and have the median.

    *Departures from the paper*: those of ``mdav``. Equal records of categories that fill groups by themselves leave
    in as many groups as they fill, at once, where the paper gives each of these groups a turn of its own.

    *Cost*: that of ``mdav``. For categories, O(t²) time for t different combinations, however many records there are;
    ties go to the combination that appears first, then to the lowest row.
    """
    if not records.numeric and all(column.kind in (Kind.ORDINAL, Kind.NOMINAL) for column in records.categories):
        return _generic_categories(records, k, progress=progress)
    return generic_by_distance(records, k, progress=progress)


def generic_by_distance(records: Records, k: int, *, progress: Progress) -> IntVector:
    """MDAV-generic, record by record."""
    state = _pairs(records, k, least=3 * k, progress=progress)  # step 1
    state = kernels.passes.go_outward(state, k, turns=1, least=2 * k, progress=progress)  # step 2
    kernels.unassigned.one_group(state)  # step 3
    labels: IntVector = state.labels
    return labels


def _generic_categories(records: Records, k: int, *, progress: Progress) -> IntVector:
    """MDAV-generic on nominal and ordinal columns alone, where many records are equal: by combinations.

    The distance is the mean over the columns, as in the thesis that its figures are compared with.
    """
    state = kernels.gather.begin(records.tuples, np.ones_like(records.tuples.counts))
    kernels.gather.carry_on(state, k, most=k, least=2 * k, moving=False, progress=progress)  # steps 1 and 2
    kernels.gather.one_group(state)  # step 3
    labels: IntVector = kernels.gather.expand(state, records)
    return labels

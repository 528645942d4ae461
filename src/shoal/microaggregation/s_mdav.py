"""S-MDAV: MDAV with semantic distances of categories, with groups of k records or of whole combinations."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records
from shoal.domain.columns import Kind
from shoal.microaggregation.registry import method

_KINDS = (Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL)
_PAPER = "Martínez, Sánchez and Valls, Computers & Security 31(5), 2012"


@method(
    name="s-mdav",
    paper=_PAPER,
    year=2012,
    cost="O(t²) time for t different combinations, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=_KINDS,
)
def s_mdav(records: Records, k: int, *, progress: Progress) -> IntVector:
    """MDAV with semantic distances and centroids; groups have k records and can separate equal ones.

    S. Martínez, D. Sánchez and A. Valls, "Semantic adaptive microaggregation of categorical microdata", 2012; as
    described in section 2.2.3 of the thesis on microaggregation of categorical data.

    Notes
    -----
    *Steps*: those of ``sa-mdav`` for single records, each with frequency 1.

    1. While at least k records remain:
       a. r is the record farthest from the centroid of the remaining records. It starts a group.
       b. While the group has fewer than k records, the record closest to its centroid joins, and the centroid is
          recomputed.
       c. If at least k records remain, s is the record farthest from r; a group grows around it as in step 1b.
    2. Each leftover joins the group with the nearest centroid.

    *Departures from the paper*: equal records that fill several groups form all of them at once. The paper forms one
    per pass, and the centroid of the remaining records can move in between; these groups lose nothing either way. In
    step 2 the centroids are not updated.

    *Cost*: one scan of all combinations for each portion of equal records that joins a group, at most three per
    combination, regardless of the number of records. Ties go to the combination that appears first, then to the lowest
    row, and between groups to the one created first.
    """
    state = kernels.tuples.mdav_tuples.init(records.tuples, np.ones_like(records.tuples.counts))
    kernels.tuples.mdav_tuples.run(state, k, max_size=k, min_left=k, moving=True, progress=progress)  # step 1
    kernels.tuples.mdav_tuples.assign_rest(state)  # step 2
    return kernels.tuples.mdav_tuples.record_labels(state, records)


@method(
    name="sa-mdav",
    paper=_PAPER,
    year=2012,
    cost="O(t²) time for t different combinations, O(n) memory",
    largest_group=None,
    kinds=_KINDS,
)
def sa_mdav(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Semantic adaptive MDAV: groups of whole combinations with at least k records, around moving centroids.

    S. Martínez, D. Sánchez and A. Valls, "Semantic adaptive microaggregation of categorical microdata", 2012;
    Algorithm 1 of the thesis on microaggregation of categorical data.

    Notes
    -----
    *Steps*, on tuples: distinct combinations, each with its frequency. The distance of two tuples is the mean over the
    columns times both frequencies; a centroid has frequency 1.

    1. While at least k records remain (lines 2 to 23):
       a. r is the tuple farthest from the centroid of the remaining tuples. It starts a group.
       b. While the group has fewer than k records, the tuple closest to its centroid joins, and the centroid is
          recomputed.
       c. If at least k records remain, s is the tuple farthest from r; a group grows around it as in step 1b.
    2. Each remaining tuple joins the closest group (line 24).

    *Departures from the paper*: none known. Not specified there, and our choice: in step 2 the closest group is the one
    with the nearest centroid, and the centroids are those of the groups after step 1.

    *Cost*: one scan of all combinations for each one that joins or starts a group. Ties go to the combination that
    appears first, between groups to the one created first, and between the nodes of a centroid to the first in the
    order of the hierarchy.
    """
    return _group_tuples(records, k, moving=True, progress=progress)


@method(
    name="sa-mdav-static",
    paper=_PAPER,
    year=2012,
    cost="O(t²) time for t different combinations, O(n) memory",
    largest_group=None,
    kinds=_KINDS,
)
def sa_mdav_static(records: Records, k: int, *, progress: Progress) -> IntVector:
    """SA-MDAV with groups that grow around their first combination, without a moving centroid.

    S. Martínez, D. Sánchez and A. Valls, "Semantic adaptive microaggregation of categorical microdata", 2012; a
    control of the thesis on microaggregation of categorical data, section 4.1.1.

    Notes
    -----
    *Steps*: those of ``sa-mdav``, but in step 1b the tuple closest to r (or s) joins, and no centroid is computed.

    *Departures from the paper*: those of ``sa-mdav``. Step 2 uses the centroids of the groups after step 1.

    *Cost*: that of ``sa-mdav``.
    """
    return _group_tuples(records, k, moving=False, progress=progress)


def _group_tuples(records: Records, k: int, *, moving: bool, progress: Progress) -> IntVector:
    """Form groups of whole combinations."""
    state = kernels.tuples.mdav_tuples.init(records.tuples, records.tuples.counts)
    kernels.tuples.mdav_tuples.run(
        state, k, max_size=records.count, min_left=k, moving=moving, progress=progress
    )  # step 1
    kernels.tuples.mdav_tuples.assign_rest(state)  # step 2
    return kernels.tuples.mdav_tuples.record_labels(state, records)


@method(
    name="sa-mdav-plus",
    paper="Shoal's own",
    year=2026,
    cost="O(t²) time for t different combinations, O(kt²) at worst, O(n) memory",
    largest_group=None,
    kinds=_KINDS,
)
def sa_mdav_plus(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Form groups of rare combinations only if that loses less than joining them to near groups.

    Shoal's own. It builds on ``sa-mdav`` and implements what section 4.1.1 of the thesis on microaggregation of
    categorical data leaves to future work: rare combinations join near groups early, not only when too few are left to
    form a group.

    Notes
    -----
    *Steps*: the price of a tuple is the sum over its records of the squared distance to the nearest final group. The
    loss of a pool is the sum over its records of the squared distance to its centroid.

    1. Each tuple of at least k records is a final group.
    2. While at least k records are free, a pool starts with the tuple of the highest price:
       a. The tuple closest to the centroid of the pool joins, and the centroid is recomputed.
       b. If the loss of the pool is not below the prices of its tuples, the pool is abandoned: its first tuple is set
          aside, the others are free again.
       c. Otherwise, if it has k records, it becomes a final group. Prices of tuples nearest to it fall.
    3. Each tuple that is set aside or free joins the nearest final group.

    *Departures from the paper*: there is no paper. It differs from ``sa-mdav`` in step 1: a frequent tuple never joins
    a group of others; in the start of a pool: the highest price instead of the largest distance to a centroid; in
    distances without frequencies; and in step 2b, the main idea. Closest in step 2a means the smallest squared
    distance, scaled up in proportion if a tuple has more records than the pool still needs. Before the first final
    group, prices are those of one group of all records, and no pool is abandoned. In step 3 the centroids are not
    updated.

    *Cost*: one scan of all combinations for each one that enters a pool, and for each final group. A combination can
    enter several abandoned pools: rarely more than a few, at worst k. Ties go to the combination that appears first,
    between groups to the first final one, and between the nodes of a centroid to the first in the order of the
    hierarchy.
    """
    state = kernels.tuples.pools.init(records.tuples)
    labels: IntVector = kernels.tuples.pools.run(state, k, progress=progress)  # steps 1 to 3
    return labels[records.tuple_index]

"""S-MDAV: MDAV on the meaning of categories, with groups of k records or of whole combinations."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.partition.registry import method
from shoal.schema.columns import Kind
from shoal.values import IntVector, Progress, Records

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
    """MDAV with semantic distances and centroids: groups of k records, equal ones apart if need be.

    S. Martínez, D. Sánchez and A. Valls, "Semantic adaptive microaggregation of categorical microdata", 2012; as told
    in section 2.2.3 of the thesis on microaggregation of categorical data.

    Notes
    -----
    *Steps*: those of ``sa-mdav`` for single records, each with the frequency 1.

    1. While at least k records are left:
       a. r is the record farthest from the centroid of the records left. It opens a group.
       b. While the group has fewer than k records, the record closest to its centroid joins, and the centroid is
          computed anew.
       c. If at least k records are left, s is the record farthest from r; a group grows around it as in step 1b.
    2. Each leftover joins the group with the nearest centroid.

    *Departures from the paper*: the records of a combination that fill groups by themselves leave in as many groups
    as they fill, at once. In the paper each of these groups has a turn of its own, and the centroid of the records
    left may move in between; the groups lose nothing either way. In step 2 the centroids stay as they were.

    *Cost*: a look at all combinations for each portion of equal records that joins a group, at most three for each
    combination, however many records there are. Ties go to the combination that appears first, then to the record of
    the lowest row, and between groups to the one built first.
    """
    state = kernels.gather.begin(records.tuples, np.ones_like(records.tuples.counts))
    kernels.gather.carry_on(state, k, most=k, least=k, moving=True, progress=progress)  # step 1
    kernels.gather.nearest_groups(state)  # step 2
    labels: IntVector = kernels.gather.expand(state, records)
    return labels


@method(
    name="sa-mdav",
    paper=_PAPER,
    year=2012,
    cost="O(t²) time for t different combinations, O(n) memory",
    largest_group=None,
    kinds=_KINDS,
)
def sa_mdav(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Semantic adaptive MDAV: groups of whole combinations, at least k records, around moving centroids.

    S. Martínez, D. Sánchez and A. Valls, "Semantic adaptive microaggregation of categorical microdata", 2012;
    Algorithm 1 of the thesis on microaggregation of categorical data.

    Notes
    -----
    *Steps*, on tuples: different combinations, each with its frequency. The distance of two tuples is the mean over
    the columns times both frequencies; a centroid has the frequency 1.

    1. While at least k records are left (lines 2 to 23):
       a. r is the tuple farthest from the centroid of the tuples left. It opens a group.
       b. While the group has fewer than k records, the tuple closest to its centroid joins, and the centroid is
          computed anew.
       c. If at least k records are left, s is the tuple farthest from r; a group grows around it as in step 1b.
    2. Each tuple left joins the closest group (line 24).

    *Departures from the paper*: none known. Left open there, and read so: in step 2 the closest group is the one
    with the nearest centroid, and the centroids stay as they were when the groups were finished.

    *Cost*: a look at all combinations for each one that joins a group and for each that opens one. Ties go to the
    combination that appears first, between groups to the one built first, and between the nodes of a centroid to the
    first in the order of the hierarchy.
    """
    return _whole(records, k, moving=True, progress=progress)


@method(
    name="sa-mdav-static",
    paper=_PAPER,
    year=2012,
    cost="O(t²) time for t different combinations, O(n) memory",
    largest_group=None,
    kinds=_KINDS,
)
def sa_mdav_static(records: Records, k: int, *, progress: Progress) -> IntVector:
    """SA-MDAV whose groups grow around their first combination, without a moving centroid.

    S. Martínez, D. Sánchez and A. Valls, "Semantic adaptive microaggregation of categorical microdata", 2012; a
    control of the thesis on microaggregation of categorical data, section 4.1.1.

    Notes
    -----
    *Steps*: those of ``sa-mdav``, but in step 1b the tuple closest to r (or s) joins, and no centroid is computed.

    *Departures from the paper*: those of ``sa-mdav``. The leftovers of step 2 go by the centroids of the finished
    groups, which are computed for that.

    *Cost*: that of ``sa-mdav``.
    """
    return _whole(records, k, moving=False, progress=progress)


def _whole(records: Records, k: int, *, moving: bool, progress: Progress) -> IntVector:
    """Groups of whole combinations."""
    state = kernels.gather.begin(records.tuples, records.tuples.counts)
    kernels.gather.carry_on(state, k, most=records.count, least=k, moving=moving, progress=progress)  # step 1
    kernels.gather.nearest_groups(state)  # step 2
    labels: IntVector = kernels.gather.expand(state, records)
    return labels


@method(
    name="sa-mdav-plus",
    paper="Shoal's own",
    year=2026,
    cost="O(t²) time for t different combinations, O(kt²) at worst, O(n) memory",
    largest_group=None,
    kinds=_KINDS,
)
def sa_mdav_plus(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Rare combinations form a group only where that loses less than handing them to the groups near them.

    Shoal, 2026. It builds on ``sa-mdav`` and delivers what the thesis on microaggregation of categorical data leaves
    to the future in section 4.1.1: rare combinations join near groups early, not only when they are too few to be
    pooled with strangers.

    Notes
    -----
    *Steps*: the price of a tuple is the sum over its records of the squared distance to the nearest group that
    stands; what a pool loses is the sum over its records of the squared distance to its centroid.

    1. Each tuple of at least k records is a group that stands.
    2. While at least k records are free, a pool opens with the tuple of the highest price:
       a. The tuple closest to the centroid of the pool joins, and the centroid is computed anew.
       b. If the pool loses no less than the prices of its tuples, it is given up: its first tuple is put aside, the
          others are free again.
       c. If not, and it has k records, it is a group that stands. Prices fall where it is the nearest.
    3. Each tuple put aside or left joins the nearest group that stands.

    *Departures from the paper*: there is no paper. From ``sa-mdav`` it departs in step 1, where a frequent tuple is
    never taken into a group of others; in the highest price, where there is the largest distance to a centroid; in
    distances without frequencies; and in step 2b, which is the point of it. Closest in step 2a is the least squared
    distance; where a tuple has more records than the pool still needs, it counts as larger in proportion. Until a
    group stands, prices are those of one group of all records, and no pool is given up. In step 3 the centroids stay
    as they were.

    *Cost*: a look at all combinations for each one that enters a pool, and for each group that stands. A combination
    may enter several pools that are given up: rarely more than a few, at worst k. Ties go to the combination that
    appears first, between groups to the one that stood first, and between the nodes of a centroid to the first in
    the order of the hierarchy.
    """
    state = kernels.price.begin(records.tuples)
    labels: IntVector = kernels.price.carry_on(state, k, progress=progress)  # steps 1 to 3
    return labels[records.tuple_of]

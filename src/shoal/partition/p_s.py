"""P-S, pairwise-systematic microaggregation, and Multi-DSort, which sorts the records by their ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.partition.registry import EVERY, method
from shoal.values import FloatMatrix, FloatVector, IntMatrix, IntVector, Progress, Records, one_of

RANKS = ("kept", "anew")


def by_sums(records: Records) -> Any:
    """The records in the order of the sums of their values."""
    return _sorted(sum(_columns(records).T, start=np.zeros(records.count)))


def by_ranks(records: Records, *, anew: bool) -> Any:
    """The multi-dimensional sort: by the sums of the ranks in the columns, among all records or those left."""
    ranks = np.argsort(np.argsort(_columns(records), axis=0, kind="stable"), axis=0, kind="stable")
    return _sorted(ranks.sum(axis=1).astype(np.float64), ranks if anew else None)


def _columns(records: Records) -> FloatMatrix:
    """The scaled numbers, and the places of the categories in their order, from 0 to 1, weighted as they are."""
    space = records.space
    count = len(records.categories)
    places = space.matrix[:, space.numbers : space.numbers + count] / np.maximum(space.widths[:count] - 1, 1)
    weights = records.weights_of([column.name for column in records.categories]) / records.weights.max()
    return np.column_stack([space.matrix[:, : space.numbers], places * np.sqrt(weights)])


def _sorted(keys: FloatVector, ranks: IntMatrix | None = None) -> Any:
    edges = np.array([0, len(keys) - 1])
    none = np.empty((0, 0), dtype=np.int64)
    return kernels.passes.Sort(np.argsort(keys, kind="stable"), edges, keys, none if ranks is None else ranks)


def pairs(records: Records, sort: Any, k: int, *, least: int, progress: Progress) -> Any:
    """Step 2: groups around the first and the last record left, while at least ``least`` are left."""

    def step(state: Any, passes: int) -> None:
        kernels.passes.from_ends(state, sort, k, least, max(1, passes // (2 * k)))

    state = kernels.unassigned.begin(records.space)
    return kernels.unassigned.carry_on(state, step, least=least, progress=progress)


def _from_both_ends(records: Records, sort: Any, k: int, *, progress: Progress) -> IntVector:
    """Steps 2 to 4: pairs of groups, and what is made of the records left."""
    state = pairs(records, sort, k, least=3 * k, progress=progress)  # step 2
    if state.counts[kernels.unassigned.LEFT] >= 2 * k:
        first, _ = kernels.passes.ends(state, sort)
        kernels.passes.compact(state, first, k, state.counts[kernels.unassigned.GROUPS])  # step 3
    kernels.unassigned.one_group(state)  # steps 3 and 4
    labels: IntVector = state.labels
    return labels


@method(
    name="p-s",
    paper="Kabir, Wang and Zhang, IEEE International Conference on Data Mining, 2010",
    year=2010,
    cost="O(n²) time at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def p_s(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Two groups a pass, around the first and the last record of a sort by the sum of the values.

    M. E. Kabir, H. Wang and Y. Zhang, "A pairwise-systematic microaggregation for statistical disclosure
    control", 2010; as section 5.2 of the Multi-DSort paper tells it.

    Notes
    -----
    *Steps*

    1. Sort the records in ascending order.
    2. While at least 3k records are left: the first record left is a group, and the last one is; each in turn
       takes in, k - 1 times, the record left whose inclusion raises its SSE least.
    3. If 2k to 3k - 1 records are left: the first one makes a group in the same way, the rest is a group.
    4. If fewer than 2k are left, they are a group.

    *Departures from the paper*: what the records are sorted by was not to be learned from the works at hand;
    here it is the sum of their values on the base on which distances are measured, of all records at once. The
    last record leaves before the group of the first grows, so that it cannot lie in it.

    *Cost*: one search in a tree of boxes for each record, at worst over all records left. The record that raises
    the SSE least is the one nearest to the centroid of the group. Records with equal keys keep their order; other
    ties go to the lowest row.
    """
    return _from_both_ends(records, by_sums(records), k, progress=progress)  # by_sums is step 1


@method(
    name="multi-dsort",
    paper="Mahmood, Kabir and Mustafa, Security and Privacy in Communication Networks (SecureComm), 2012",
    year=2012,
    cost="O(n²) time at worst, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
)
def multi_dsort(records: Records, k: int, *, progress: Progress, ranks: str = "kept") -> IntVector:
    """P-S on a sort by the sum of the ranks that a record has in the columns.

    A. N. Mahmood, M. E. Kabir and A. K. Mustafa, "New multi-dimensional sorting based k-anonymity
    microaggregation for statistical disclosure control", 2012.

    Notes
    -----
    *Steps* (tables 4 and 5)

    1. Rank the values of every column. Sort the records by the sum of their ranks, in ascending order.
    2. The rest is steps 2 to 4 of ``p-s``.

    *Departures from the paper*: the text sorts the records left again in each pass. With ``ranks="anew"`` they are
    ranked again too; the printed losses come from the ranks among all records, so these are kept by default. Equal
    values are ranked in the order of the rows, as there; a constant column thus counts as the row number. The printed
    losses are those of raw columns (``standardize=False``), on which ``mdav`` loses less. Where 2k does not divide n
    they are of a partition that is not k-anonymous: pairs of groups are made while 2k records are left, and the rest
    is left out, or is a group of two; here the ends are those of the text. Those of EIA are of 13 columns (with
    UTILITYID, YEAR and MONTH), for k = 4 of 12.

    *Cost*: that of ``p-s``, and a sort of every column; with ranks anew every record left is compared with every one
    that leaves. Ties go to the first record at the one end and to the last at the other, as in a stable sort.
    """
    anew = one_of("ranks", ranks, RANKS) == "anew"
    return _from_both_ends(records, by_ranks(records, anew=anew), k, progress=progress)  # by_ranks is step 1

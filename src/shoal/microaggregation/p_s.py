"""P-S: pairwise-systematic microaggregation, and Multi-DSort, which sorts the records by ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.domain import FloatMatrix, FloatVector, IntMatrix, IntVector, Progress, Records, check_choice
from shoal.microaggregation.registry import mixed_method

RANKS = ("kept", "anew")


def sort_by_ranks(records: Records, *, rerank: bool) -> Any:
    """Sort the records by the sums of their ranks among all records; with ``rerank``, among the remaining records."""
    ranks = np.argsort(np.argsort(_columns(records), axis=0, kind="stable"), axis=0, kind="stable")
    return _sorted(ranks.sum(axis=1).astype(np.float64), ranks if rerank else None)


def _columns(records: Records) -> FloatMatrix:
    """Return the scaled numbers, and the positions of the categories from 0 to 1, weighted."""
    space = records.space
    n_categories = len(records.categories)
    positions = space.matrix[:, space.n_numeric : space.n_numeric + n_categories] / np.maximum(
        space.widths[:n_categories] - 1, 1
    )
    weights = records.weights_of([column.name for column in records.categories]) / records.weights.max()
    return np.column_stack([space.matrix[:, : space.n_numeric], positions * np.sqrt(weights)])


def _sorted(keys: FloatVector, ranks: IntMatrix | None = None) -> Any:
    edges = np.array([0, len(keys) - 1])
    no_ranks = np.empty((0, 0), dtype=np.int64)
    return kernels.sequential.passes.SortedRecords(
        np.argsort(keys, kind="stable"), edges, keys, no_ranks if ranks is None else ranks
    )


def group_pairs(records: Records, sort: Any, k: int, *, min_records: int, progress: Progress) -> Any:
    """Step 2: groups around the first and the last remaining record while at least ``min_records`` remain."""

    def step(state: Any, passes: int) -> None:
        kernels.sequential.passes.sorted_passes(state, sort, k, min_records, max(1, passes // (2 * k)))

    state = kernels.sequential.unassigned.init(records.space)
    return kernels.sequential.unassigned.run(state, step, min_left=min_records, progress=progress)


def _from_both_ends(records: Records, sort: Any, k: int, *, progress: Progress) -> IntVector:
    """Run steps 2 to 4."""
    state = group_pairs(records, sort, k, min_records=3 * k, progress=progress)  # step 2
    if state.counts[kernels.sequential.unassigned.LEFT] >= 2 * k:
        first, _ = kernels.sequential.passes.first_and_last(state, sort)
        kernels.sequential.passes.build_compact_group(
            state, first, k, state.counts[kernels.sequential.unassigned.GROUPS]
        )  # step 3
    kernels.sequential.unassigned.group_rest(state)  # steps 3 and 4
    return state.labels


@mixed_method(
    name="p-s",
    paper="Kabir, Wang and Zhang, IEEE International Conference on Data Mining, 2010",
    year=2010,
    cost="O(n²) time at worst, O(n) memory",
)
def p_s(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Form two groups per pass, around the first and the last record sorted by the sum of the values.

    M. E. Kabir, H. Wang and Y. Zhang, "A pairwise-systematic microaggregation for statistical disclosure
    control", 2010; as described in section 5.2 of the Multi-DSort paper.

    Notes
    -----
    *Steps*

    1. Sort the records in ascending order.
    2. While at least 3k records remain: the first and the last remaining record each start a group. One group after
       the other adds, k - 1 times, the remaining record that raises its SSE least.
    3. If 2k to 3k - 1 records remain: the first one forms a group in the same way, the rest is a group.
    4. If fewer than 2k remain, they form a group.

    *Departures from the paper*: the literature available to us does not specify the sort key; here it is the sum of the
    scaled and weighted values that define distances, computed once for all records. The last record is set aside before
    the group of the first one grows, so it cannot join that group.

    *Cost*: one search in a box tree per record, at worst over all remaining records. The record that raises the SSE
    least is the one nearest to the centroid of the group. Records with equal keys keep their order; other ties go to
    the lowest row.
    """
    sums = sum(_columns(records).T, start=np.zeros(records.count))  # step 1
    return _from_both_ends(records, _sorted(sums), k, progress=progress)


@mixed_method(
    name="multi-dsort",
    paper="Mahmood, Kabir and Mustafa, Security and Privacy in Communication Networks (SecureComm), 2012",
    year=2012,
    cost="O(n²) time at worst, O(n) memory",
)
def multi_dsort(records: Records, k: int, *, progress: Progress, ranks: str = "kept") -> IntVector:
    """Run P-S on records sorted by the sum of their ranks in the columns.

    A. N. Mahmood, M. E. Kabir and A. K. Mustafa, "New multi-dimensional sorting based k-anonymity
    microaggregation for statistical disclosure control", 2012.

    Notes
    -----
    *Steps* (tables 4 and 5)

    1. Rank the values of every column. Sort the records by the sum of their ranks, in ascending order.
    2. The rest is steps 2 to 4 of ``p-s``.

    *Departures from the paper*: the text sorts the remaining records again in each pass. With ``ranks="anew"`` they are
    also ranked again; the printed losses come from ranks among all records, which is the default. Equal values are
    ranked in row order, as there, so a constant column counts as the row number. The printed losses are those of raw
    columns (``standardize=False``), on which ``mdav`` loses less. If 2k does not divide n, they are of a partition that
    is not k-anonymous: pairs of groups are formed while 2k records remain, and the rest is dropped, or is a group of
    two. Here the end conditions are those of the text. The losses for EIA use 13 columns (with UTILITYID, YEAR and
    MONTH), for k = 4 only 12.

    *Cost*: that of ``p-s``, plus a sort of every column. With ``ranks="anew"`` every remaining record is compared with
    every grouped one. Ties go to the first record at one end and to the last at the other, as in a stable sort.
    """
    anew = check_choice("ranks", ranks, RANKS) == "anew"
    sort = sort_by_ranks(records, rerank=anew)  # step 1
    return _from_both_ends(records, sort, k, progress=progress)

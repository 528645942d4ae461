"""XMondrian: median cuts of numbers, one part per category; and its baseline with categories encoded as numbers."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.domain import FloatMatrix, IntMatrix, IntVector, Progress, Records
from shoal.microaggregation.mondrian import cut_at_median
from shoal.microaggregation.rank_grid import build_rank_grid, cut_grid, missing_indicators
from shoal.microaggregation.registry import mixed_method

_PAPER = "Padmaja and Santhi, Smart Intelligent Computing and Communication Technology, 2021"


@mixed_method(
    name="xmondrian",
    paper=_PAPER,
    year=2021,
    cost="O(m log m) time for each column and m different records, and the square of its categories for a cut",
    largest_group=None,
    supports_constraints=True,
)
def xmondrian(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Cut parts at the median of a numeric column, or into one part per frequent category.

    R. Padmaja and V. Santhi, "An extended Mondrian algorithm - XMondrian to protect identity disclosure", 2021;
    section 3.

    Notes
    -----
    *Steps*

    1. The dimension is the column with the largest normalized range.
    2. A column of numbers is cut at the median.
    3. A column of categories is cut into one part for each value.
    4. The parts are cut likewise, until they have fewer than 2k records.

    *Departures from the paper*: as printed, step 3 forms parts of any size. The paper's own example for k = 2 has
    classes of one record, so its average class size is 0.83 of k; a value below 1 means that k is violated. Here a
    value is a part only if it has k records; the remaining values together are one part. If these have fewer than k
    records, they join the nearest part, by the sum of the distances of their records in the hierarchy or between ranks.
    Ties, as always without a hierarchy, go to the smallest part, then to the first. A cut that leaves a single part is
    not a cut, and the next widest column is tried. A part in which every value is rare is not cut in that column, so
    groups can be large. With l-diversity or t-closeness, a value that violates it joins the rest, and a rest that
    violates it merges with one part after another. Numbers, ranges and weights are those of ``mondrian``.

    *Cost*: that of ``mondrian``, plus the square of the number of categories in a part for each cut of a categorical
    column. Ties between columns go to the first, numbers before categories.
    """
    grid, combination = build_rank_grid(records)
    ranges = kernels.splits.rank_cuts.init(grid)
    tables = [_distances(records, j) for j in range(len(records.categories))] + [1.0 - np.eye(2)] * len(
        missing_indicators(records)
    )
    state = kernels.splits.isolate_categories.init(grid, len(records.numeric), tables)
    split = kernels.splits.isolate_categories.split_categories
    return cut_grid(records, grid, split, ranges, state, k, progress=progress)[combination]  # steps 1 to 4


def _distances(records: Records, j: int) -> FloatMatrix:
    """Return the distances between the categories that occur, as multiples of 2**-32, so that sums are exact."""
    occurs = np.flatnonzero(np.bincount(records.codes[:, j]))
    return records.categories[j].exact_distance()[np.ix_(occurs, occurs)]


@mixed_method(
    name="mondrian-encoded",
    paper=_PAPER,
    year=2021,
    cost="O(m log m) time for each column and m different records, O(n) memory",
    largest_group=None,
    supports_constraints=True,
)
def mondrian_encoded(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Baseline of ``xmondrian``: Mondrian on categories encoded as numbers in alphabetical order.

    R. Padmaja and V. Santhi, "An extended Mondrian algorithm - XMondrian to protect identity disclosure", 2021;
    section 2.4.2.

    Notes
    -----
    *Steps*

    1. The values of a column of categories are numbered.
    2. Parts are cut as by ``mondrian``.

    *Departures from the paper*: it does not specify how values are numbered; here alphabetically, regardless of their
    hierarchy or ranks. Those of ``mondrian``.

    *Cost*: that of ``mondrian``.
    """
    return cut_at_median(records, k, codes=_encoded(records), progress=progress)  # step 2


def _encoded(records: Records) -> IntMatrix:
    """Renumber the codes in alphabetical order."""
    codes = np.empty_like(records.codes)
    for j, column in enumerate(records.categories):
        names = column.hierarchy.nodes
        position = np.empty(len(names), dtype=np.int64)
        position[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))  # step 1
        codes[:, j] = position[records.codes[:, j]]
    return codes

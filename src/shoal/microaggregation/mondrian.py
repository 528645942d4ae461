"""Mondrian: median cuts of the widest column, strict and relaxed."""

from __future__ import annotations

from shoal import kernels
from shoal.domain import IntMatrix, IntVector, Progress, Records
from shoal.microaggregation.rank_grid import build_rank_grid, cut_grid
from shoal.microaggregation.registry import mixed_method

_PAPER = "LeFevre, DeWitt and Ramakrishnan, 22nd International Conference on Data Engineering, 2006"


@mixed_method(
    name="mondrian",
    paper=_PAPER,
    year=2006,
    cost="O(m log m) time for each column and m different records, O(n) memory",
    largest_group=None,
    supports_constraints=True,
)
def mondrian(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Cut parts recursively at the median of the widest column; records with equal values stay together.

    K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Mondrian multidimensional k-anonymity", 2006; the algorithm
    Anonymize with strict partitioning.

    Notes
    -----
    *Steps*

    1. A part without an allowable cut, one with at least k records on both sides, is a group.
    2. Otherwise:
       a. The dimension is the column with the widest normalized range that has an allowable cut: the range in the part
          divided by the range in the table.
       b. The left side has the records up to the median, the right side the rest.
       c. Both sides are parts.

    *Departures from the paper*: if the cut above the median leaves fewer than k records on the right, the cut below it
    is tried, and then the next widest column. A column where both fail has no allowable cut at all, so no group can be
    cut further. The median of an even number of records is the lower of the two middle values. The paper recodes to
    ranges; here a method only forms the groups. A weight w multiplies the width of a column by √w. Categories are cut
    in the postorder of their hierarchy, otherwise in the order of their ranks or names; their range counts positions
    among the values that occur. The paper cuts along the nodes of a hierarchy. With l-diversity or t-closeness, a cut
    is allowable only if both sides satisfy it; only these two cuts of a column are tried.

    *Cost*: equal records are cut as one tuple with its count. Each level of cuts scans every cell a few times, and
    there are about log2(n/k) levels, more with many equal values. Medians come from counts; each column is sorted only
    once. Ties between columns go to the first, numbers before categories. Without equal values no group has more than
    2k - 1 records; a larger group cannot be cut between different values.
    """
    return cut_at_median(records, k, progress=progress)  # steps 1 and 2


@mixed_method(
    name="mondrian-relaxed",
    paper=_PAPER,
    year=2006,
    cost="O(n log n) time for each column, O(n) memory",
    supports_constraints=True,
)
def mondrian_relaxed(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Cut parts recursively in half in the widest column; records with equal values can be separated.

    K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Mondrian multidimensional k-anonymity", 2006; relaxed
    partitioning.

    Notes
    -----
    *Steps*

    1. A part of fewer than 2k records is a group.
    2. Otherwise:
       a. The dimension is the column with the widest normalized range, as in ``mondrian``.
       b. The left side has the half of the records with the smaller values, one fewer if their number is odd; records
          equal to the median are divided between the sides accordingly.
       c. Both sides are parts.

    *Departures from the paper*: those of ``mondrian`` about recoding, weights and categories. The paper does not
    specify which records equal to the median go left; here the first rows do. With l-diversity or t-closeness, if a
    side does not satisfy it, the next widest column is tried; a part where every column fails is a group of any size.

    *Cost*: each level of cuts scans every cell a few times, and there are at most log2(n/k) + 1 levels. Ties between
    columns go to the first, numbers before categories.
    """
    return cut_in_half(records, k, progress=progress)  # steps 1 and 2


def cut_at_median(records: Records, k: int, *, codes: IntMatrix | None = None, progress: Progress) -> IntVector:
    """Cut between different values; categories are in the order of their codes, or of the given ``codes``."""
    grid, combination = build_rank_grid(records, codes=codes)
    cuts = kernels.splits.rank_cuts
    return cut_grid(records, grid, cuts.split_strict, cuts.init(grid), k, progress=progress)[combination]


def cut_in_half(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Cut between records, including equal ones."""
    grid, _ = build_rank_grid(records, merge_equal=False)
    cuts = kernels.splits.rank_cuts
    return cut_grid(records, grid, cuts.split_relaxed, cuts.init(grid), k, progress=progress)

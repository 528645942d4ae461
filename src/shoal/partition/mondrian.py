"""Mondrian: cuts at the median of the widest column, strict and relaxed."""

from __future__ import annotations

from typing import Any

from shoal import kernels
from shoal.partition.grid import cut, lay
from shoal.partition.registry import EVERY, method
from shoal.values import IntMatrix, IntVector, Progress, Records

_PAPER = "LeFevre, DeWitt and Ramakrishnan, 22nd International Conference on Data Engineering, 2006"


@method(
    name="mondrian",
    paper=_PAPER,
    year=2006,
    cost="O(m log m) time for each column and m different records, O(n) memory",
    largest_group=None,
    kinds=EVERY,
    mixes=True,
    enforces=True,
)
def mondrian(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Parts cut at the median of the widest column; records with equal values stay together.

    K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Mondrian multidimensional k-anonymity", 2006; the algorithm
    Anonymize with strict partitioning.

    Notes
    -----
    *Steps*

    1. If no column of a part has an allowable cut, one with at least k records on both sides, it is a group.
    2. If not:
       a. The dimension is the column with the widest normalized range that has an allowable cut. The range is
          that in the part, divided by that in the whole table.
       b. The left side is the records up to the median, the right side the rest.
       c. Both sides are parts.

    *Departures from the paper*: where the cut above the median leaves fewer than k records on the right, the cut
    below it is tried, and then the next widest column. A column where both fail has no allowable cut at all, so
    that a group is never one that could have been cut. The median of an even number of records is the lower of
    the two in the middle. The paper recodes to ranges; here a method only makes the groups. A weight w makes a
    column count as √w times as wide. Categories are cut in the postorder of their hierarchy, or else in the order of
    their ranks or names, and their range is that of their places among the values that occur; the paper cuts along
    the nodes of a hierarchy. If l-diversity or t-closeness is asked for, a cut is allowable only if both sides have
    it; other cuts of a column than those two are not tried.

    *Cost*: equal records are cut as one, with their number. Every level of cuts looks a few times at each cell, and
    there are about log2(n/k) levels, more where many values are equal. Medians are counted, not sorted; only the values
    of each column are sorted, once. Of equally wide columns the first is taken, numbers before categories. Without
    equal values no group has more than 2k - 1 records; a group of more cannot be cut between different values.
    """
    return cut_at_median(records, k, progress=progress)  # steps 1 and 2


@method(
    name="mondrian-relaxed",
    paper=_PAPER,
    year=2006,
    cost="O(n log n) time for each column, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=EVERY,
    mixes=True,
    enforces=True,
)
def mondrian_relaxed(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Parts cut in the middle of the widest column; records with equal values may go either way.

    K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Mondrian multidimensional k-anonymity", 2006; relaxed
    partitioning.

    Notes
    -----
    *Steps*

    1. A part of fewer than 2k records is a group.
    2. If not:
       a. The dimension is the column with the widest normalized range, as in ``mondrian``.
       b. The left side is the half of the records with the smaller values, one less if their number is odd;
          records equal to the median are divided between the sides so that this comes out even.
       c. Both sides are parts.

    *Departures from the paper*: those of ``mondrian`` about recoding, weights and categories. Which of the records
    equal to the median go left is left open there; here the first rows do. If l-diversity or t-closeness is asked for
    and a side would not have it, the next widest column is tried; a part where every one fails is a group, of any size.

    *Cost*: every level of cuts looks a few times at each cell, and there are at most log2(n/k) + 1 levels. Of
    equally wide columns the first is taken, numbers before categories.
    """
    return cut_in_half(records, k, progress=progress)  # steps 1 and 2


def cut_at_median(records: Records, k: int, *, codes: IntMatrix | None = None, progress: Progress) -> IntVector:
    """Cut between different values, the categories in the order of their codes or of other ones."""
    grid, combination = lay(records, codes=codes)
    view = kernels.grid.begin(grid)

    def step(parts: Any, cells: int) -> None:
        kernels.median.strict(parts, grid, view, k, cells)

    return cut(records, grid, step, progress=progress)[combination]


def cut_in_half(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Cut between records, equal ones too."""
    grid, _ = lay(records, together=False)
    view = kernels.grid.begin(grid)

    def step(parts: Any, cells: int) -> None:
        kernels.median.relaxed(parts, grid, view, k, cells)

    return cut(records, grid, step, progress=progress)

"""Mondrian by extent: of all cuts the one after which the groups cover least, then moves between near groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.partition.grid import apart, column_weights, cut, lay
from shoal.partition.registry import EVERY, method
from shoal.partition.stages import stage
from shoal.schema.columns import Kind
from shoal.values import IntVector, Progress, Records


@method(
    name="mondrian-extent",
    paper="Shoal's own",
    year=2026,
    cost="O(m log m) time for each pair of columns and m different records, O(n) memory",
    largest_group=None,
    kinds=EVERY,
    mixes=True,
    enforces=True,
)
def mondrian_extent(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Parts cut where the groups will cover least of each column; then records move to groups near by.

    Shoal's own; it builds on ``mondrian`` and looks for what its groups will be generalized to: intervals, and sets of
    values.

    Notes
    -----
    *Steps*

    1. Equal records are one, with their frequency. The extent of some records in a column is, for numbers and dates,
       their range divided by that of the table; for ordinal values likewise, in places among the levels that occur;
       for nominal and hierarchical ones, their different values less 1, divided by those of the table less 1. Columns
       count by their weights.
    2. The cuts of a part are, in each column, all between two neighboring values, and for nominal and hierarchical
       columns also each value against all others.
    3. Of the cuts with k records on both sides, the one is taken that leaves the least sum of the extents of all
       records. On each side, records beyond a multiple of k count twice: they will make groups larger than need be.
    4. Both sides are parts. A part without an allowed cut is a group.
    5. Each combination moves, where its group keeps k records, to the group near by where the sum of the extents falls
       most, if it falls. Near are the 64 groups before and after its own, in the order in which they were cut; groups
       of more than 64 different records take no part. There are at most three rounds.

    *Departures from the paper*: there is no paper. From ``mondrian`` it departs in steps 2, 3 and 5. On Adult (eight
    columns, k = 5) a cell covers 2.1 percent of its column in the mean, against 3.5 for ``mondrian`` and 5.7 for
    ``xmondrian``; without step 5 it would be 2.25, and without the double count of step 3 as well, 2.4. Values of a
    hierarchical column only count as different or not, and are cut in postorder. Where a part has more than 256 values
    in a column, neighbors are cut as one. If l-diversity or t-closeness is asked for, cuts and moves that break it are
    passed over; cuts are tried in the order of step 3 until one is allowed.

    *Cost*: every level of cuts looks once at each pair of columns for each different record; there are about log2(n/k)
    levels, more where cuts are uneven. Ties go to the first column, then to cuts between values before those of one
    value, then to the lowest value; in step 5 to the group that was cut first.
    """
    grid, combination = lay(records)  # step 1
    ordered = [True] * len(records.numeric) + [column.kind is Kind.ORDINAL for column in records.categories]
    ordered += [False] * len(apart(records))
    shares = kernels.extent.shares(grid, np.array(ordered), column_weights(records))
    seen = kernels.extent.begin(grid)

    def step(parts: Any, cells: int) -> None:
        kernels.extent.least(parts, grid, shares, seen, k, cells)  # steps 2 to 4

    labels = cut(records, grid, step, stages=2, progress=progress)
    moved: IntVector = kernels.moves.carry_on(
        grid, shares, labels, k, progress=stage(progress, records, 1, 2)
    )  # step 5
    return moved[combination]

"""Mondrian by extent: cuts that minimize the extent of the groups, then moves between near groups."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.domain import IntVector, Progress, Records
from shoal.domain.columns import Kind
from shoal.microaggregation.rank_grid import build_rank_grid, cut_grid, grid_weights, missing_indicators
from shoal.microaggregation.registry import mixed_method
from shoal.microaggregation.stages import stage_progress


@mixed_method(
    name="mondrian-extent",
    paper="Shoal's own",
    year=2026,
    cost="O(m log m) time for each pair of columns and m different records, O(n) memory",
    largest_group=None,
    supports_constraints=True,
)
def mondrian_extent(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Cut parts where the groups cover least of each column; then move records to near groups.

    Shoal's own. It builds on ``mondrian`` and optimizes what its groups are generalized to: intervals and sets of
    values.

    Notes
    -----
    *Steps*

    1. Equal records form a tuple with its frequency. The extent of records in a column is, for numbers and dates, their
       range divided by that of the table; for ordinal values likewise, in positions among the levels that occur; for
       nominal and hierarchical values, the distinct values minus 1, divided by those of the table minus 1. Columns
       count by their weights.
    2. The candidate cuts of a part are, in each column, all cuts between two neighboring values, and for nominal and
       hierarchical columns also each value against all others.
    3. Of the cuts with k records on both sides, take the one with the smallest sum of extents over all records. On each
       side, records beyond a multiple of k count twice, because they make groups larger than necessary.
    4. Both sides are parts. A part without an allowed cut is a group.
    5. Each tuple moves to the near group where the sum of the extents falls most, if it falls and its group keeps k
       records. Near groups are the 64 before and after its own in the order of the cuts. Groups of more than 64 tuples
       are excluded. There are at most three rounds.

    *Departures from the paper*: there is no paper. Steps 2, 3 and 5 differ from ``mondrian``. On Adult (eight columns,
    k = 5) a cell covers 2.1 percent of its column on average, against 3.5 for ``mondrian`` and 5.7 for ``xmondrian``;
    2.25 without step 5, and 2.4 without the double count of step 3 as well. Values of a hierarchical column are only
    compared for equality, and are cut in postorder. If a part has more than 256 values in a column, neighbors are
    merged for the cut. With l-diversity or t-closeness, cuts and moves that violate it are skipped; cuts are tried in
    the order of step 3 until one is allowed.

    *Cost*: each level of cuts scans every pair of columns once per tuple. There are about log2(n/k) levels, more if
    cuts are uneven. Ties go to the first column, then to cuts between values before cuts of one value, then to the
    lowest value; in step 5 to the group that was cut first.
    """
    grid, combination = build_rank_grid(records)  # step 1
    ordered = [True] * len(records.numeric) + [column.kind is Kind.ORDINAL for column in records.categories]
    ordered += [False] * len(missing_indicators(records))
    cuts = kernels.splits.extent_cuts
    units = cuts.extent_units(grid, np.array(ordered), grid_weights(records))
    labels = cut_grid(
        records, grid, cuts.split_least_extent, units, cuts.init(grid), k, stages=2, progress=progress
    )  # steps 2 to 4
    second_progress = stage_progress(progress, records, 1, 2)
    return kernels.splits.extent_moves.run(grid, units, labels, k, progress=second_progress)[combination]  # step 5

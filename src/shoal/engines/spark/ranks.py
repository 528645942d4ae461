"""Ranks: which record of a leaf is the n-th of it, found by counts and without a look at all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from shoal.engines.plan import ROW
from shoal.engines.spark.chores import LEAF
from shoal.engines.spark.jobs import run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_STRETCHES = 50_000
"""Stretches of the table, for all leaves together, whose records are counted."""
_STRETCH = "stretch"


def first_rows(rows: DataFrame, ranks: Sequence[tuple[int, int]], *, records: int) -> dict[tuple[int, int], int]:
    """The numbers of the records of these ranks, counted from 0, in their leaves.

    First the records of each stretch of the table are counted, then only those that a rank falls into are sorted.
    """
    session = rows.sparkSession
    width = max(4_096, records * len({leaf for leaf, _ in ranks}) // _STRETCHES)
    kept = rows.selectExpr(ROW, LEAF, f"{ROW} div {width} as {_STRETCH}")
    counts = kept.groupBy(LEAF, _STRETCH).count().orderBy(LEAF, _STRETCH)
    asked = []
    for leaf, found in groupby(run(session, "slice", counts.collect), key=lambda row: row[LEAF]):
        stretches = list(found)
        ends = np.cumsum([row["count"] for row in stretches])
        for rank in (rank for of, rank in ranks if of == leaf):
            at = int(np.searchsorted(ends, rank, side="right"))
            before = int(ends[at - 1]) if at else 0
            asked.append((leaf, stretches[at][_STRETCH], rank, rank - before))
    wanted = session.createDataFrame(asked, f"{LEAF} long, {_STRETCH} long, rank long, place int")
    some = kept.join(wanted.select(LEAF, _STRETCH).distinct(), [LEAF, _STRETCH])
    lists = some.groupBy(LEAF, _STRETCH).agg({ROW: "collect_list"}).toDF(LEAF, _STRETCH, "rows")
    numbers = lists.join(wanted, [LEAF, _STRETCH]).selectExpr(LEAF, "rank", f"sort_array(rows)[place] as {ROW}")
    return {(row[LEAF], row["rank"]): row[ROW] for row in run(session, "slice", numbers.collect)}

"""Row numbers of the records at given ranks of a leaf, without sorting the whole leaf."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from shoal.engines.plan import ROW
from shoal.engines.spark.run_jobs import run_job
from shoal.engines.spark.tasks import LEAF

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_RANGES = 50_000
"""Number of row ranges, over all leaves, whose records are counted."""
_STRETCH = "stretch"


def first_rows(rows: DataFrame, ranks: Sequence[tuple[int, int]], *, records: int) -> dict[tuple[int, int], int]:
    """Return the row numbers of the records at these ranks (from 0) in their leaves.

    The records of each row range are counted first; only ranges that contain a rank are sorted.
    """
    session = rows.sparkSession
    width = max(4_096, records * len({leaf for leaf, _ in ranks}) // _RANGES)
    ranged = rows.selectExpr(ROW, LEAF, f"{ROW} div {width} as {_STRETCH}")
    counts = ranged.groupBy(LEAF, _STRETCH).count().orderBy(LEAF, _STRETCH)
    targets = []
    for leaf, found in groupby(run_job(session, "slice", counts.collect), key=lambda row: row[LEAF]):
        stretches = list(found)
        ends = np.cumsum([row["count"] for row in stretches])
        for rank in (rank for of, rank in ranks if of == leaf):
            at = int(np.searchsorted(ends, rank, side="right"))
            before = int(ends[at - 1]) if at else 0
            targets.append((leaf, stretches[at][_STRETCH], rank, rank - before))
    wanted = session.createDataFrame(targets, f"{LEAF} long, {_STRETCH} long, rank long, place int")
    candidates = ranged.join(wanted.select(LEAF, _STRETCH).distinct(), [LEAF, _STRETCH])
    lists = candidates.groupBy(LEAF, _STRETCH).agg({ROW: "collect_list"}).toDF(LEAF, _STRETCH, "rows")
    numbers = lists.join(wanted, [LEAF, _STRETCH]).selectExpr(LEAF, "rank", f"sort_array(rows)[place] as {ROW}")
    return {(row[LEAF], row["rank"]): row[ROW] for row in run_job(session, "slice", numbers.collect)}

"""HM: optimal microaggregation of one column."""

from __future__ import annotations

import numpy as np

from shoal.domain import IntVector, Progress, Records
from shoal.domain.columns import Kind
from shoal.microaggregation.registry import method
from shoal.microaggregation.stages import best_cut


@method(
    name="hm",
    paper="Hansen and Mukherjee, IEEE Transactions on Knowledge and Data Engineering 15(4), 2003",
    year=2003,
    cost="O(n log n + kn) time, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
    kinds=(Kind.NUMERIC, Kind.DATE),
    max_columns=1,
)
def hm(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Find an optimal partition of one column by a shortest path over the sorted records.

    S. L. Hansen and S. Mukherjee, "A polynomial algorithm for optimal univariate microaggregation", 2003.

    Notes
    -----
    *Steps*

    1. Sort the records. In an optimal partition, every group is a run of k to 2k - 1 neighbors in this order.
    2. Node i lies after the first i records. An arc from i to j is the group of the records between them; its length
       is their SSE. The shortest path from 0 to n is an optimal partition.

    *Departures from the paper*: the SSE of an arc is updated record by record as the arc grows. A difference of prefix
    sums of squares would lose all digits far from zero.

    *Cost*: O(n log n) to sort, 2k - 1 steps per node, memory for two numbers per node. Equal records keep their order.
    Of two paths of equal length to a node, the one with the smaller last group wins.
    """
    order = np.argsort(records.matrix[:, 0], kind="stable")  # step 1
    return best_cut(records, order, k, progress=progress)  # step 2

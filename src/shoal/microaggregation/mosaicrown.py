"""MOSAICrOWN Mondrian: median cuts on numbers and categories together."""

from __future__ import annotations

from shoal.domain import IntVector, Progress, Records, check_bool
from shoal.microaggregation.mondrian import cut_at_median, cut_in_half
from shoal.microaggregation.registry import mixed_method


@mixed_method(
    name="mosaicrown",
    paper="Böhler, MOSAICrOWN Deliverable D5.5, 2021",
    year=2021,
    cost="O(m log m) time for each column and m different records, O(n) memory",
    largest_group=None,
    supports_constraints=True,
)
def mosaicrown(records: Records, k: int, *, relaxed: bool = False, progress: Progress) -> IntVector:
    """Mondrian on numbers and categories together; categories are in the leaf order of their hierarchy.

    J. Böhler, "Report on Data Sanitisation and Computation", MOSAICrOWN Deliverable D5.5, 2021; as described in
    A. Veltmann, "Implementation and Evaluation of Microaggregation Algorithms for Categorical Data", 2022,
    section 2.2.5.

    Notes
    -----
    *Steps*

    1. Categories are replaced by their positions in the leaf order of their hierarchy.
    2. Parts are cut as by ``mondrian``: at the median of the column with the widest normalized range that leaves k
       records on both sides. The range of categories counts positions.

    *Departures from the paper*: an inner node comes after all nodes below it; the paper does not specify this. Only
    values that occur have a position; values of a column without a hierarchy are in the order of their ranks, otherwise
    of their names. Equal values stay together, as in the project's published program. Veltmann infers from a figure
    that both sides have equally many records: ``relaxed=True``. The paper releases the least common subsumer of a
    group: ``recode="lcs"``. Cuts and weights are those of ``mondrian``, so the groups are the same.

    *Cost*: that of ``mondrian``. Ties between columns go to the first, numbers before categories.
    """
    partition = cut_in_half if check_bool("relaxed", relaxed) else cut_at_median
    return partition(records, k, progress=progress)  # steps 1 and 2

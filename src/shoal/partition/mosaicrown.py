"""Mondrian of the MOSAICrOWN project: median cuts on numbers and categories together."""

from __future__ import annotations

from shoal.partition.mondrian import cut_at_median, cut_in_half
from shoal.partition.registry import EVERY, method
from shoal.values import IntVector, Progress, Records, true_or_false


@method(
    name="mosaicrown",
    paper="Böhler, MOSAICrOWN Deliverable D5.5, 2021",
    year=2021,
    cost="O(m log m) time for each column and m different records, O(n) memory",
    largest_group=None,
    kinds=EVERY,
    mixes=True,
    enforces=True,
)
def mosaicrown(records: Records, k: int, *, relaxed: bool = False, progress: Progress) -> IntVector:
    """Mondrian on numbers and categories together; categories in the order of their hierarchy's leaves.

    J. Böhler, "Report on Data Sanitisation and Computation", MOSAICrOWN Deliverable D5.5, 2021; as it is described
    in A. Veltmann, "Implementation and Evaluation of Microaggregation Algorithms for Categorical Data", 2022,
    section 2.2.5.

    Notes
    -----
    *Steps*

    1. Categories are replaced by their places in the order of the leaves of their hierarchy.
    2. Parts are cut as by ``mondrian``: at the median of the column with the widest normalized range that leaves k
       records on both sides. The range of categories is that of their places.

    *Departures from the paper*: a value that is no leaf comes after all that is below it; the paper does not say
    where. Only values that occur have a place, and those of a column without a hierarchy are in the order of their
    ranks, or else of their names. Equal values stay together, as in the project's published program; Veltmann takes
    from an illustration that both sides have equally many records, and that is ``relaxed=True``. The paper releases
    the least common subsumer of a group: ``recode="lcs"`` does. Cuts and weights are those of ``mondrian``, and so
    the groups are the same.

    *Cost*: that of ``mondrian``. Of equally wide columns the first is taken, numbers before categories.
    """
    way = cut_in_half if true_or_false("relaxed", relaxed) else cut_at_median
    return way(records, k, progress=progress)  # steps 1 and 2

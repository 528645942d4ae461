"""Mondrian of the MOSAICrOWN project: median cuts on numbers and categories together."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.partition.registry import method
from shoal.schema.columns import Kind
from shoal.values import FloatMatrix, IntVector, Progress, Records, true_or_false


@method(
    name="mosaicrown",
    paper="Böhler, MOSAICrOWN Deliverable D5.5, 2021",
    year=2021,
    cost="O(n log n) time for each column, O(n) memory",
    largest_group=None,
    kinds=(Kind.NUMERIC, Kind.ORDINAL, Kind.NOMINAL, Kind.HIERARCHICAL),
    mixes=True,
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
    the least common subsumer of a group: ``recode="lcs"`` does. Cuts and weights are those of ``mondrian``.

    *Cost*: that of ``mondrian``. Of equally wide columns the first is taken, numbers before categories.
    """
    columns = np.column_stack([records.matrix, _places(records)]) if records.numeric else _places(records)  # step 1
    weights = records.weights_of([*records.numeric, *(column.name for column in records.categories)])
    spans = np.ptp(columns, axis=0) / np.sqrt(weights / weights.max())
    cut = kernels.median.relaxed if true_or_false("relaxed", relaxed) else kernels.median.strict

    def step(parts: Any, cells: int) -> None:
        cut(parts, k, spans, cells)  # step 2

    labels: IntVector = kernels.parts.carry_on(kernels.parts.begin(columns), step, progress=progress)
    return labels


def _places(records: Records) -> FloatMatrix:
    """For each category its place among those of its column that occur."""
    places = np.empty((records.count, len(records.categories)))
    for j in range(len(records.categories)):
        occurs = np.bincount(records.codes[:, j]) > 0
        places[:, j] = (np.cumsum(occurs) - 1)[records.codes[:, j]]
    return places

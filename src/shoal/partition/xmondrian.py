"""XMondrian: numbers cut at the median, categories one by one; and the baseline that encodes categories as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.partition.grid import apart, cut, lay
from shoal.partition.mondrian import cut_at_median
from shoal.partition.registry import EVERY, method
from shoal.values import FloatMatrix, IntMatrix, IntVector, Progress, Records

_PAPER = "Padmaja and Santhi, Smart Intelligent Computing and Communication Technology, 2021"


@method(
    name="xmondrian",
    paper=_PAPER,
    year=2021,
    cost="O(m log m) time for each column and m different records, and the square of its categories for a cut",
    largest_group=None,
    kinds=EVERY,
    mixes=True,
    enforces=True,
)
def xmondrian(records: Records, k: int, *, progress: Progress) -> IntVector:
    """Parts cut at the median of a column of numbers, or into one part for every frequent category.

    R. Padmaja and V. Santhi, "An extended Mondrian algorithm - XMondrian to protect identity disclosure", 2021;
    section 3.

    Notes
    -----
    *Steps*

    1. The dimension is the column with the largest normalized range.
    2. A column of numbers is cut at the median.
    3. A column of categories is cut into one part for each value.
    4. The parts are cut likewise, until they have fewer than 2k records.

    *Departures from the paper*: as printed, step 3 makes parts of any size. The paper's own example for k = 2 has
    classes of one record, so that its average class size is 0.83 of k; a figure below 1 says that k is broken. Here a
    value is a part only if it has k records, and the others together are one. If those have fewer than k, they join the
    nearest of the parts, by the sum of the distances of their records in the hierarchy or between ranks; of equally
    near ones, as all are without a hierarchy, the smallest, then the first. A cut that leaves one part is none, and the
    next widest column is tried; a part in which every value is rare is not cut there, so that groups can be large. If
    l-diversity or t-closeness is asked for, a value without it goes to the rest, and a rest without it takes in one
    part after another. Numbers, ranges and weights are those of ``mondrian``.

    *Cost*: that of ``mondrian``, and for each cut of a column of categories the square of those in the part. Of equally
    wide columns the first is taken, numbers before categories.
    """
    grid, combination = lay(records)
    view = kernels.grid.begin(grid)
    tables = [_between(records, j) for j in range(len(records.categories))] + [1.0 - np.eye(2)] * len(apart(records))
    state = kernels.apart.begin(grid, len(records.numeric), tables)

    def step(parts: Any, cells: int) -> None:
        kernels.apart.apart(parts, grid, view, state, k, cells)  # steps 1 to 4

    return cut(records, grid, step, progress=progress)[combination]


def _between(records: Records, j: int) -> FloatMatrix:
    """The distances between the categories of a column that occur, as multiples of 2**-32: their sums are exact."""
    occurs = np.flatnonzero(np.bincount(records.codes[:, j]))
    return records.categories[j].rounded()[np.ix_(occurs, occurs)]


@method(
    name="mondrian-encoded",
    paper=_PAPER,
    year=2021,
    cost="O(m log m) time for each column and m different records, O(n) memory",
    largest_group=None,
    kinds=EVERY,
    mixes=True,
    enforces=True,
)
def mondrian_encoded(records: Records, k: int, *, progress: Progress) -> IntVector:
    """The baseline of ``xmondrian``: Mondrian on categories that are encoded as numbers in the order of their words.

    R. Padmaja and V. Santhi, "An extended Mondrian algorithm - XMondrian to protect identity disclosure", 2021;
    section 2.4.2.

    Notes
    -----
    *Steps*

    1. The values of a column of categories are numbered.
    2. Parts are cut as by ``mondrian``.

    *Departures from the paper*: it does not say how values are numbered; here as usual, in the order of their words,
    whatever their hierarchy or ranks. Those of ``mondrian``.

    *Cost*: that of ``mondrian``.
    """
    return cut_at_median(records, k, codes=_encoded(records), progress=progress)  # step 2


def _encoded(records: Records) -> IntMatrix:
    """The codes numbered anew by the order of their words."""
    codes = np.empty_like(records.codes)
    for j, column in enumerate(records.categories):
        words = column.hierarchy.nodes
        place = np.empty(len(words), dtype=np.int64)
        place[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))  # step 1
        codes[:, j] = place[records.codes[:, j]]
    return codes

"""Mondrian: cuts at the median of the widest column, strict and relaxed."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal import kernels
from shoal.partition.registry import method
from shoal.values import FloatVector, IntVector, Progress, Records


def _spans(records: Records) -> FloatVector:
    """The range of each column over all records; larger where a column has less weight."""
    spans: FloatVector = np.ptp(records.matrix, axis=0) / np.sqrt(records.weights / records.weights.max())
    return spans


@method(
    name="mondrian",
    paper="LeFevre, DeWitt and Ramakrishnan, 22nd International Conference on Data Engineering, 2006",
    year=2006,
    cost="O(n log n) time for each column, O(n) memory",
    largest_group=None,
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
    column count as √w times as wide.

    *Cost*: every level of cuts looks a few times at each cell, and there are about log2(n/k) levels, more where
    many values are equal. Of equally wide columns the first is taken. Without equal values no group has more than
    2k - 1 records; a group of more cannot be cut between different values.
    """
    spans = _spans(records)

    def step(parts: Any, cells: int) -> None:
        kernels.median.strict(parts, k, spans, cells)  # steps 1 and 2

    return _labels(records, step, progress=progress)


@method(
    name="mondrian-relaxed",
    paper="LeFevre, DeWitt and Ramakrishnan, 22nd International Conference on Data Engineering, 2006",
    year=2006,
    cost="O(n log n) time for each column, O(n) memory",
    largest_group=lambda k: 2 * k - 1,
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

    *Departures from the paper*: those of ``mondrian`` about recoding and weights. Which of the records equal to
    the median go left is left open there; here the first rows do.

    *Cost*: every level of cuts looks a few times at each cell, and there are at most log2(n/k) + 1 levels. Of
    equally wide columns the first is taken.
    """
    spans = _spans(records)

    def step(parts: Any, cells: int) -> None:
        kernels.median.relaxed(parts, k, spans, cells)  # steps 1 and 2

    return _labels(records, step, progress=progress)


def _labels(records: Records, step: Any, *, progress: Progress) -> IntVector:
    """Cut the whole table as the step does it."""
    labels: IntVector = kernels.parts.carry_on(kernels.parts.begin(records.matrix), step, progress=progress)
    return labels

"""Demands: what every group must have besides k records, as arrays for the kernels."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from shoal.values.arrays import FloatVector, IntMatrix, IntVector

DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, HIERARCHICAL = range(6)
"""The rules: l different values, entropy of at least log l, recursive (c, l); t-closeness by three distances."""
TOLERANCE = 1e-12
"""What rounding may cost. An l is met if less than this share of it lacks, a t if it is exceeded by no more than this.

The recursive rule asks for less, and not for at most: there equal is not met, and what is nearer than this is equal.
"""


class Demands(NamedTuple):
    """Rules about the sensitive columns; none of them where ``rule`` is empty.

    A group is told by its tally: how many of its records have each value, column after column; those of sensitive
    column s begin at ``first[s]`` and end before ``first[s + 1]``. ``codes`` has a row for each record and a column
    for each sensitive column, its values numbered from 0 in their order. Rule d is about column ``column[d]``, with
    ``least[d]`` (l or t) and ``factor[d]`` (c). ``shares`` is the tally of the whole table, as shares of 1.
    For hierarchical distances ``above`` leads from each node of a column to the one above it, the values of the column
    first and then the inner nodes, children before parents; the root leads to itself. The nodes of column s begin at
    ``nodes[s]``, are numbered from there, and end before ``nodes[s + 1]``; a column without a hierarchy has none.
    ``height`` is the height of each node as a share of that of the root, 0 for values.
    """

    codes: IntMatrix
    first: IntVector
    column: IntVector
    rule: IntVector
    least: FloatVector
    factor: FloatVector
    shares: FloatVector
    nodes: IntVector
    above: IntVector
    height: FloatVector

    @classmethod
    def none(cls, records: int) -> Self:
        """Nothing is asked but k."""
        whole, real = np.zeros(0, dtype=np.int64), np.zeros(0)
        start = np.zeros(1, dtype=np.int64)
        return cls(np.zeros((records, 0), dtype=np.int64), start, whole, whole, real, real, real, start, whole, real)

    def some(self, rows: IntVector) -> Self:
        """The same demands on these records alone."""
        return self._replace(codes=np.ascontiguousarray(self.codes[rows]))

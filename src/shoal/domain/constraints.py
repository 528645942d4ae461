"""Privacy model constraints on groups, as arrays for the kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from shoal.domain.arrays import FloatVector, IntMatrix, IntVector

DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, HIERARCHICAL = range(6)
"""Rules: distinct l, entropy l, recursive (c, l), and t-closeness by three distances."""
TOLERANCE = 1e-12
"""Relative tolerance for rounding: an l is met if the shortfall is below it, a t if the excess is at most it.

The recursive rule is a strict inequality: values closer than the tolerance are equal, and equality violates it.
"""


class ModelConstraints(NamedTuple):
    """Constraints on the sensitive columns; none if ``rule`` is empty.

    A group is represented by its value counts: the number of its records with each value, column after column; those of
    sensitive column s are at ``value_offsets[s]`` to ``value_offsets[s + 1]``. ``codes`` has a row per record and a
    column per sensitive column, with values numbered from 0 in order. Constraint d applies to column ``column[d]``,
    with ``threshold[d]`` (l or t) and ``factor[d]`` (c). ``frequencies`` are the relative frequencies in the whole
    table.

    For hierarchical distances ``parent`` is the parent of each node of a column: first its values, then the inner
    nodes, children before parents; the root is its own parent. The nodes of column s are at ``node_offsets[s]`` to
    ``node_offsets[s + 1]`` and numbered from there; a column without a hierarchy has none. ``height`` is the height of
    each node as a fraction of that of the root, 0 for values.
    """

    codes: IntMatrix
    value_offsets: IntVector
    column: IntVector
    rule: IntVector
    threshold: FloatVector
    factor: FloatVector
    frequencies: FloatVector
    node_offsets: IntVector
    parent: IntVector
    height: FloatVector

    @classmethod
    def none(cls, records: int) -> Self:
        integers, floats = np.zeros(0, dtype=np.int64), np.zeros(0)
        codes, start = np.zeros((records, 0), dtype=np.int64), np.zeros(1, dtype=np.int64)
        return cls(codes, start, integers, integers, floats, floats, floats, start, integers, floats)

    def take(self, rows: IntVector) -> Self:
        return self._replace(codes=np.ascontiguousarray(self.codes[rows]))


@dataclass(frozen=True, eq=False, repr=False)
class SensitiveColumn:
    """One sensitive column: its values as codes in order, missing being the last."""

    name: str
    codes: IntVector
    n_values: int
    """The number of distinct values, including missing."""
    ordered: bool
    """Whether the order of the codes is meaningful and there is no hierarchy."""
    parent: IntVector
    """The parents of the nodes, as in `ModelConstraints`; empty without a hierarchy."""
    height: FloatVector
    numbers: FloatVector | None = None
    """The values as numbers or days, NaN if missing; None if not numeric."""

    def take(self, rows: slice) -> Self:
        return replace(self, codes=self.codes[rows], numbers=None if self.numbers is None else self.numbers[rows])

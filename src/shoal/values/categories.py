"""Columns that are not measured in numbers: what stands behind their codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.hierarchy import Hierarchy
from shoal.schema.columns import Kind
from shoal.values.arrays import FloatMatrix

_EXACT = 2.0**32


@dataclass(frozen=True, eq=False, repr=False)
class Categories:
    """What stands behind the codes of a column that is not measured in numbers.

    A code is the number of a node in the column's hierarchy: places in postorder, so that neighbors in code are near
    in meaning and the root is the last. A column without a hierarchy has one all the same: its values, in the order of
    their ranks if they have ranks, under ``*``.
    """

    name: str
    kind: Kind
    hierarchy: Hierarchy
    """The values of the column and the nodes above them; nothing else."""
    distance: FloatMatrix
    """Between any two nodes, from 0 to 1: semantic, by rank, or 1 between all that differ."""
    steps: int | None = None
    """How many steps make a distance of 1, where distances are counted in steps, as between ranks."""
    gap: int | None = None
    """The code of the node that stands for a missing value; None where no node does."""

    def rounded(self, share: float = 1.0) -> FloatMatrix:
        """The distances times the column's share, as multiples of 2**-32; two steps are twice as far as one."""
        if self.steps is None:
            return np.asarray(np.rint(self.distance * share * _EXACT) / _EXACT)
        step = np.rint(share / self.steps * _EXACT) / _EXACT
        return np.asarray(np.rint(self.distance * self.steps) * step)

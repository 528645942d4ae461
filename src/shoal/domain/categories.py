"""Categorical columns: hierarchy and distances behind their codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.domain.arrays import FloatMatrix
from shoal.domain.columns import Kind
from shoal.hierarchy import Hierarchy

_EXACT = 2.0**32


@dataclass(frozen=True, eq=False, repr=False)
class CategoricalColumn:
    """The hierarchy and the distances behind the codes of a categorical column.

    A code is the postorder number of a node in the hierarchy, so nodes with near codes are semantically close and the
    root is last. A column without a hierarchy has a flat one: its values, ordered by rank if they have ranks, under
    ``*``.
    """

    name: str
    kind: Kind
    hierarchy: Hierarchy
    """The values of the column and their ancestors only."""
    distance: FloatMatrix
    """The distance between any two nodes, from 0 to 1: semantic, by rank, or 1 between distinct values."""
    n_steps: int | None = None
    """The number of steps in a distance of 1, if distances are counted in steps, as between ranks."""
    missing_code: int | None = None
    """The code of the node for missing values; None if there is none."""

    def exact_distance(self, fraction: float = 1.0) -> FloatMatrix:
        """The distances times a fraction, as multiples of 2**-32; two steps are exactly twice as far as one."""
        if self.n_steps is None:
            return np.asarray(np.rint(self.distance * fraction * _EXACT) / _EXACT)
        step = np.rint(fraction / self.n_steps * _EXACT) / _EXACT
        return np.asarray(np.rint(self.distance * self.n_steps) * step)

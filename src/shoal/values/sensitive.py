"""Sensitive columns as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from shoal.values.arrays import FloatVector, IntVector


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
        """Select records."""
        return replace(self, codes=self.codes[rows], numbers=None if self.numbers is None else self.numbers[rows])

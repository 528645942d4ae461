"""Sensitive columns as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from shoal.values.arrays import FloatVector, IntVector


@dataclass(frozen=True, eq=False, repr=False)
class Sensitive:
    """One sensitive column: its values as codes in their order, missing as the last of them."""

    name: str
    codes: IntVector
    count: int
    """The different values, missing among them."""
    ordered: bool
    """Whether the order of the codes means something, and no hierarchy says more."""
    above: IntVector
    """The tree above the codes, as in `Demands`; empty without a hierarchy."""
    height: FloatVector
    numbers: FloatVector | None = None
    """The values as numbers, or as days, NaN where one is missing; None where they are none."""

    def some(self, rows: slice) -> Self:
        """These records alone."""
        return replace(self, codes=self.codes[rows], numbers=None if self.numbers is None else self.numbers[rows])

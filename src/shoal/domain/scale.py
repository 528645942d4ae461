"""The scale on which distances and losses are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.domain.arrays import FloatMatrix, FloatVector

_LARGEST_POWER = 1000
"""Powers of two up to this exponent, positive or negative, are exact floats."""


def times_power_of_two(values: FloatMatrix, exponent: Any) -> FloatMatrix:
    """Multiply by powers of two like `np.ldexp`, to the last bit; multiplication is several times faster."""
    if np.abs(exponent).max(initial=0) > _LARGEST_POWER:
        return np.asarray(np.ldexp(values, exponent))
    return np.asarray(values * np.ldexp(1.0, exponent))


def stable_mean(values: FloatVector) -> float:
    """The mean of some numbers, 0 if there are none; within their range, and exact for equal numbers."""
    if not len(values):
        return 0.0
    low, high = float(values.min()), float(values.max())
    exponent = int(np.frexp(max(abs(low), abs(high)))[1])
    return min(max(float(np.ldexp(times_power_of_two(values, -exponent).mean(), exponent)), low), high)


@dataclass(frozen=True, eq=False)
class Scale:
    """Scaling of raw numbers for distances and losses.

    ``z = (x / 2**exponent - center) / spread``. The power of two is exact and keeps the squares of huge and tiny
    columns within the range of a float.
    """

    name: str
    exponent: NDArray[np.int64]
    center: FloatVector
    spread: FloatVector

    @classmethod
    def standardized(cls, values: FloatMatrix) -> Scale:
        """Mean 0 and standard deviation 1 (with n - 1) in every column; constant columns become 0."""
        exponent = np.frexp(np.abs(values).max(axis=0, initial=0.0))[1].astype(np.int64)
        small = times_power_of_two(values, -exponent)
        center = small.mean(axis=0)
        small -= center
        small *= small
        spread = np.sqrt(small.sum(axis=0) / max(len(values) - 1, 1))
        constant = values.min(axis=0) == values.max(axis=0)
        return cls(
            "standardized",
            exponent=np.where(constant, 0, exponent),
            center=np.where(constant, values[0], center),
            spread=np.where(constant, 1.0, spread),
        )

    @classmethod
    def raw(cls, values: FloatMatrix) -> Scale:
        """The columns unchanged, except for a common power of two."""
        columns = values.shape[1]
        exponent = np.full(columns, np.frexp(np.abs(values).max(initial=0.0))[1], dtype=np.int64)
        return cls("raw", exponent, np.zeros(columns), np.ones(columns))

    def apply(self, values: FloatMatrix) -> FloatMatrix:
        base: FloatMatrix = times_power_of_two(values, -self.exponent)
        base -= self.center
        base /= self.spread
        return base

    def column(self, j: int) -> Scale:
        """The scale of one column."""
        one = slice(j, j + 1)
        return Scale(self.name, self.exponent[one], self.center[one], self.spread[one])

    @property
    def squared_unit(self) -> float:
        """One squared scaled unit, in squared units of the reported values."""
        if self.name == "standardized":
            return 1.0
        with np.errstate(over="ignore", under="ignore"):
            return float(np.ldexp(1.0, 2 * self.exponent[0])) if len(self.exponent) else 1.0

"""Exact sums of numbers and of their squares, independent of the order of the records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.domain import FloatVector, IntVector

_UNIT = 1074
"""Every float is a multiple of 2**-1074."""
_DIGIT = 13
_BLOCK = 1 << 14
"""Rows per block. With digits of 13 bits, sums of digit x digit x count over 2**14 rows stay below 2**53 and are exact.
"""


@dataclass(frozen=True)
class ExactMoments:
    """Count, range, sum and sum of squares of some numbers."""

    count: int = 0
    low: float = math.inf
    high: float = -math.inf
    sum: int = 0
    """In units of 2**-1074."""
    squares: int = 0
    """In units of 2**-2148."""

    @classmethod
    def of(cls, values: FloatVector, counts: IntVector) -> ExactMoments:
        """Compute the moments of finite numbers, each with its count."""
        if not len(values):
            return cls()
        sums = [_sums(values[at : at + _BLOCK], counts[at : at + _BLOCK]) for at in range(0, len(values), _BLOCK)]
        return cls(
            int(counts.sum()),
            float(values.min()) + 0.0,
            float(values.max()) + 0.0,
            sum(one for one, _ in sums),
            sum(two for _, two in sums),
        )

    def __add__(self, other: ExactMoments) -> ExactMoments:
        return ExactMoments(
            self.count + other.count,
            min(self.low, other.low),
            max(self.high, other.high),
            self.sum + other.sum,
            self.squares + other.squares,
        )

    @property
    def mean(self) -> float:
        """Mean of the numbers; 0 if there are none."""
        return float(Fraction(self.sum, self.count << _UNIT)) if self.count else 0.0

    @property
    def exponent(self) -> int:
        """Exponent of the power of two that scales all numbers below 1."""
        return math.frexp(max(abs(self.low), abs(self.high)))[1] if self.count else 0

    @property
    def constant(self) -> bool:
        return not self.count or self.low == self.high

    def standardized(self) -> tuple[int, float, float]:
        """Return the exponent, center and spread that standardize the numbers to mean 0 and standard deviation 1."""
        if self.constant:
            return 0, self.low if self.count else 0.0, 1.0
        n, shift = self.count, _UNIT + self.exponent
        spread = Fraction(self.squares * n - self.sum**2, (n * (n - 1)) << (2 * shift))
        return self.exponent, float(Fraction(self.sum, n << shift)), math.sqrt(spread)


def _sums(values: FloatVector, counts: IntVector) -> tuple[int, int]:
    """Return the sum in units of 2**-1074 and the sum of squares in units of 2**-2148, digit by digit."""
    grids, columns, rest = [], [], values
    grid = math.frexp(float(np.abs(values).max()))[1]
    while rest.any():
        grid = max(grid - _DIGIT, -_UNIT)
        digit = np.trunc(np.ldexp(rest, -grid))
        rest = rest - np.ldexp(digit, grid)
        columns.append(digit)
        grids.append(grid + _UNIT)
    if not columns:
        return 0, 0
    digits, total, squares, shift = np.column_stack(columns), 0, 0, 0
    while counts.any():
        weighted = digits * (counts % (1 << _DIGIT))[:, None]
        total += sum(int(s) << g for s, g in zip(weighted.sum(axis=0), grids, strict=True)) << shift
        products = weighted.T @ digits
        squares += (
            sum(int(products[i, j]) << (a + b) for i, a in enumerate(grids) for j, b in enumerate(grids)) << shift
        )
        counts, shift = counts >> _DIGIT, shift + _DIGIT
    return total, squares

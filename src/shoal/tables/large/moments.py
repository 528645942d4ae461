"""Sums of numbers and of their squares without rounding, so that nothing depends on the order in which they came."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.values import FloatVector, IntVector

_UNIT = 1074
"""Every float is a multiple of 2**-1074."""
_DIGIT = 13
_BLOCK = 1 << 14
"""Digits of 13 bits: the products of two and 13 bits of a count, over 2**14 rows, stay below 2**53 and are exact."""


@dataclass(frozen=True)
class Moments:
    """How many numbers there are, the least and the greatest, their sum and that of their squares."""

    count: int = 0
    low: float = math.inf
    high: float = -math.inf
    sum: int = 0
    """In units of 2**-1074."""
    squares: int = 0
    """In units of 2**-2148."""

    @classmethod
    def of(cls, values: FloatVector, counts: IntVector) -> Moments:
        """Of finite numbers, each so many times."""
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

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.count + other.count,
            min(self.low, other.low),
            max(self.high, other.high),
            self.sum + other.sum,
            self.squares + other.squares,
        )

    @property
    def middle(self) -> float:
        """The mean, 0 of none."""
        return float(Fraction(self.sum, self.count << _UNIT)) if self.count else 0.0

    @property
    def exponent(self) -> int:
        """The power of two that brings all numbers below 1."""
        return math.frexp(max(abs(self.low), abs(self.high)))[1] if self.count else 0

    @property
    def constant(self) -> bool:
        return not self.count or self.low == self.high

    def standardized(self) -> tuple[int, float, float]:
        """The exponent, the center and the spread by which these numbers get a mean of 0 and a deviation of 1."""
        if self.constant:
            return 0, self.low if self.count else 0.0, 1.0
        n, shift = self.count, _UNIT + self.exponent
        spread = Fraction(self.squares * n - self.sum**2, (n * (n - 1)) << (2 * shift))
        return self.exponent, float(Fraction(self.sum, n << shift)), math.sqrt(spread)


def _sums(values: FloatVector, counts: IntVector) -> tuple[int, int]:
    """The sum in units of 2**-1074 and that of squares in units of 2**-2148, by the digits of all numbers at once."""
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
    digits, one, two, shift = np.column_stack(columns), 0, 0, 0
    while counts.any():
        weighted = digits * (counts % (1 << _DIGIT))[:, None]
        one += sum(int(s) << g for s, g in zip(weighted.sum(axis=0), grids, strict=True)) << shift
        products = weighted.T @ digits
        two += sum(int(products[i, j]) << (a + b) for i, a in enumerate(grids) for j, b in enumerate(grids)) << shift
        counts, shift = counts >> _DIGIT, shift + _DIGIT
    return one, two

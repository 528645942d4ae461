"""What happened to the distribution of each quasi-identifier.

Records in which a column was missing before do not count, and after the release only those count that show something.
An interval counts for its middle, a node of an ordinal column for the middle of its levels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.measure.pair import Facts, Pair
from shoal.measure.registry import change
from shoal.measure.tallies import ranks, tallies, told
from shoal.values import BoolVector, FloatMatrix, FloatVector

Spread = tuple[float, float]
"""A mean and a standard deviation."""
_TINY = 1e-12
_REFERENCE = "Templ (2017), Statistical disclosure control for microdata, Springer, chapter 5"


class Moments(NamedTuple):
    """For each column, numbers before categories, the number, the sum and the squares of what is known and shown."""

    before: FloatMatrix
    after: FloatMatrix


def moments(block: Pair) -> Moments | None:
    """Of a block: numbers on the base about their means, ordinal categories by rank, others not at all."""
    found = []
    for j, center in enumerate(block.facts.center if block.numeric else ()):
        known = ~block.gone(j)
        shown = known & ~block.empty(j)
        found.append((_powers(block.was[:, j] - center, known), _powers(block.now[:, j] - center, shown)))
    for j, column in enumerate(block.categories):
        rank, codes, nodes = ranks(column), block.codes[:, j], block.nodes[:, j]
        if rank is None:
            found.append((np.zeros(3), np.zeros(3)))
            continue
        known = ~block.lacked(j) & told(column, codes)
        found.append((_powers(rank[codes], known), _powers(rank[nodes], known & told(column, nodes))))
    return Moments(*(np.array(part) for part in zip(*found, strict=True))) if found else None


def _powers(numbers: FloatVector, some: BoolVector) -> FloatVector:
    chosen = numbers[some]
    return np.array([len(chosen), chosen.sum(), (chosen**2).sum()])


def mean_spread(sums: FloatVector) -> Spread:
    """The mean and the standard deviation (with n − 1) of a column; NaN where it has none."""
    n, total, squares = sums
    if n < 2:
        return (float(total) if n else math.nan), math.nan
    rest = squares - total * (total / n)
    return float(total / n), float(np.sqrt(rest / (n - 1))) if rest > _TINY * squares else 0.0


def _of_each(sums: Moments, facts: Facts, figure: Callable[[Spread, Spread], float]) -> dict[str, float | None]:
    """A figure of each column that varied; None where there is nothing to compare."""
    found: dict[str, float | None] = {}
    for j, name in enumerate(facts.measured):
        before, after = mean_spread(sums.before[j]), mean_spread(sums.after[j])
        constant = before[1] == 0 or (j < len(facts.numeric) and facts.high[j] == facts.low[j])
        value = math.nan if constant else figure(before, after)
        found[name] = None if math.isnan(value) else value
    return found


@change(
    name="mean_shift",
    label="shift of the mean",
    formula="(mean′ − mean) / sd",
    range="any number",
    good="near 0",
    reference=_REFERENCE,
    sentence="The mean of {column} moved by {figure} standard deviations.",
    part=moments,
)
def mean_shift(sums: Moments, facts: Facts) -> dict[str, float | None]:
    """How far the mean of each number or ordinal category moved, in standard deviations of the original."""
    return _of_each(sums, facts, lambda before, after: (after[0] - before[0]) / before[1])


@change(
    name="spread_kept",
    label="spread kept",
    unit="%",
    formula="100 · sd′ / sd",
    range="0 percent and up",
    good="near 100",
    reference=_REFERENCE,
    sentence="{column} keeps {figure} % of its standard deviation.",
    part=moments,
)
def spread_kept(sums: Moments, facts: Facts) -> dict[str, float | None]:
    """The standard deviation that is left of each number or ordinal category, in percent."""
    return _of_each(sums, facts, lambda before, after: 100.0 * after[1] / before[1])


@change(
    name="distribution",
    label="distance of the distributions",
    formula="max |F − F′| for numbers and ordinal categories; ½ Σ |p − p′| for others",
    range="0 to 1",
    good="near 0",
    reference=_REFERENCE,
    sentence="The distribution of {column} moved by {figure}, where 1 is as far as can be.",
)
def distribution(pair: Pair) -> dict[str, float | None]:
    """The Kolmogorov-Smirnov distance of what has an order, the total variation distance of all else."""
    return {name: one.apart for name, one in zip(pair.facts.measured, tallies(pair), strict=True)}


@change(
    name="values_kept",
    label="different values left",
    unit="%",
    formula="100 · different values after / before",
    range="0 percent and up",
    good="near 100",
    reference=_REFERENCE,
    sentence="{column} has {figure} % as many different values as before.",
)
def values_kept(pair: Pair) -> dict[str, float | None]:
    """How many different values each column shows, in percent of those before; a cell that shows nothing has none."""
    found = zip(pair.facts.measured, tallies(pair), strict=True)
    return {name: 100.0 * one.after / one.before if one.before else None for name, one in found}

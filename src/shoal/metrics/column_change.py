"""Change of the distribution of each quasi-identifier.

Records in which a column was missing before do not count; after the release, only records with a value count. An
interval counts as its midpoint, a node of an ordinal column as the midpoint of its levels.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from shoal.domain import BoolVector, FloatVector
from shoal.metrics.column_frequencies import column_metric, is_informative, level_ranks
from shoal.metrics.inputs import MetricInputs, TableFacts
from shoal.metrics.partial_sums import BeforeAfter
from shoal.metrics.registry import change

MeanAndStd = tuple[float, float]
_TINY = 1e-12
_REFERENCE = "Templ (2017), Statistical disclosure control for microdata, Springer, chapter 5"


def column_moments(block: MetricInputs) -> BeforeAfter | None:
    """Count, sum and sum of squares of each column in a block, numeric before categorical.

    Numbers are scaled and about their means; ordinal categories count by rank, others as zeros.
    """
    powers = []
    for j, center in enumerate(block.facts.means if block.numeric else ()):
        known = ~block.is_original_missing(j)
        present = known & ~block.is_released_missing(j)
        powers.append((_powers(block.original[:, j] - center, known), _powers(block.released[:, j] - center, present)))
    for j, column in enumerate(block.categories):
        rank, codes, nodes = level_ranks(column), block.original_codes[:, j], block.released_codes[:, j]
        if rank is None:
            powers.append((np.zeros(3), np.zeros(3)))
            continue
        known = ~block.is_original_code_missing(j) & is_informative(column, codes)
        powers.append((_powers(rank[codes], known), _powers(rank[nodes], known & is_informative(column, nodes))))
    return BeforeAfter(*(np.array(rows) for rows in zip(*powers, strict=True))) if powers else None


def _powers(numbers: FloatVector, mask: BoolVector) -> FloatVector:
    selected = numbers[mask]
    return np.array([len(selected), selected.sum(), (selected**2).sum()])


def mean_and_std(sums: FloatVector) -> MeanAndStd:
    """The mean and the standard deviation (with n − 1) of a column; NaN if undefined."""
    n, total, squares = sums
    if n < 2:
        return (float(total) if n else math.nan), math.nan
    rest = squares - total * (total / n)
    return float(total / n), float(np.sqrt(rest / (n - 1))) if rest > _TINY * squares else 0.0


def _by_column(
    sums: BeforeAfter, facts: TableFacts, figure: Callable[[MeanAndStd, MeanAndStd], float]
) -> dict[str, float | None]:
    """Compute a metric for each column that varies; None where there is nothing to compare."""
    values: dict[str, float | None] = {}
    for j, name in enumerate(facts.compared_columns):
        before, after = mean_and_std(sums.before[j]), mean_and_std(sums.after[j])
        constant = before[1] == 0 or (j < len(facts.numeric) and facts.maxima[j] == facts.minima[j])
        value = math.nan if constant else figure(before, after)
        values[name] = None if math.isnan(value) else value
    return values


@change(
    name="mean_shift",
    label="shift of the mean",
    formula="(mean′ − mean) / sd",
    range="any number",
    good="near 0",
    reference=_REFERENCE,
    sentence="The mean of {column} moved by {figure} standard deviations.",
    partial=column_moments,
)
def mean_shift(sums: BeforeAfter, facts: TableFacts) -> dict[str, float | None]:
    """Shift of the mean of each numeric or ordinal column, in standard deviations of the original."""
    return _by_column(sums, facts, lambda before, after: (after[0] - before[0]) / before[1])


@change(
    name="spread_kept",
    label="spread kept",
    unit="%",
    formula="100 · sd′ / sd",
    range="0 percent and up",
    good="near 100",
    reference=_REFERENCE,
    sentence="{column} keeps {figure} % of its standard deviation.",
    partial=column_moments,
)
def spread_kept(sums: BeforeAfter, facts: TableFacts) -> dict[str, float | None]:
    """Standard deviation after the release of each numeric or ordinal column, in percent of the original."""
    return _by_column(sums, facts, lambda before, after: 100.0 * after[1] / before[1])


@change(
    name="distribution",
    label="distance of the distributions",
    formula="max |F − F′| for numbers and ordinal categories; ½ Σ |p − p′| for others",
    range="0 to 1",
    good="near 0",
    reference=_REFERENCE,
    sentence="The distribution of {column} moved by {figure}, where 1 is as far as can be.",
)
def distribution(inputs: MetricInputs) -> dict[str, float | None]:
    """Kolmogorov-Smirnov distance for numeric and ordinal columns, total variation distance for others."""
    return column_metric(inputs, lambda counts: counts.distance)


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
def values_kept(inputs: MetricInputs) -> dict[str, float | None]:
    """Number of distinct released values of each column, in percent of the original number."""
    return column_metric(
        inputs,
        lambda counts: 100.0 * counts.n_distinct_after / counts.n_distinct_before if counts.n_distinct_before else None,
    )

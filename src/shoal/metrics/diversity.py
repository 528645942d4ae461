"""Diversity: the variety of sensitive values in each class."""

from __future__ import annotations

import numpy as np

from shoal.metrics.inputs import TableFacts
from shoal.metrics.registry import disclosure
from shoal.metrics.sensitive_counts import ClassDistribution, SensitiveCounts, count_values, metric_by_column

_REFERENCE = (
    "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), l-diversity: privacy beyond k-anonymity, ACM TKDD"
    " 1(1)"
)


@disclosure(
    name="distinct_l",
    label="distinct l",
    formula="min over classes of the number of different values",
    range="1 to the values of the column",
    good="high",
    reference=_REFERENCE,
    sentence="Different values of {column} in the least diverse class: {figure}.",
    partial=count_values,
)
def distinct_l(sums: SensitiveCounts, facts: TableFacts) -> dict[str, float | None]:
    """Smallest number of distinct values in a class."""
    return metric_by_column(sums, facts, lambda cells: int(np.bincount(cells.classes.group).min()))


@disclosure(
    name="entropy_l",
    label="entropy l",
    formula="min over classes of exp(−Σ p · ln p)",
    range="1 to the values of the column",
    good="high",
    reference=_REFERENCE,
    sentence="In every class {column} is at least as hard to guess as a choice among {figure}.",
    partial=count_values,
)
def entropy_l(sums: SensitiveCounts, facts: TableFacts) -> dict[str, float | None]:
    """Smallest effective number of values in a class: the exponential of the entropy."""
    return metric_by_column(sums, facts, _entropy)


def _entropy(cells: ClassDistribution) -> float:
    share = cells.classes.proportion
    return float(np.exp(-cells.classes.sum_by_class(share * np.log(share))).min())

"""Diversity and homogeneity of the sensitive values in each class: attribute disclosure without re-identification."""

from __future__ import annotations

import numpy as np

from shoal.data.model_checks import entropy_diversity
from shoal.domain import BoolVector
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
    return metric_by_column(sums, facts, lambda cells: float(entropy_diversity(cells.classes).min()))


def _one_value(cells: ClassDistribution) -> BoolVector:
    """Mask of the classes in which all records have the same value."""
    same: BoolVector = cells.most_frequent == cells.classes.sizes
    return same


@disclosure(
    name="homogeneous_records",
    label="records in classes of one value",
    unit="%",
    formula="100 · records in classes with one value / n",
    range="0 to 100 percent",
    good="0",
    reference=_REFERENCE,
    sentence="For {figure} of 100 records, everybody who knows the quasi-identifiers learns {column}.",
    headline=True,
    partial=count_values,
)
def homogeneous_records(sums: SensitiveCounts, facts: TableFacts) -> dict[str, float | None]:
    """Percentage of the records in classes with a single value."""
    return metric_by_column(
        sums, facts, lambda cells: 100.0 * float(cells.classes.sizes[_one_value(cells)].sum()) / facts.records
    )


@disclosure(
    name="homogeneous_classes",
    label="classes of one value",
    unit="classes",
    formula="classes with one value",
    range="0 to the number of classes",
    good="0",
    reference=_REFERENCE,
    sentence="Classes in which all records share one value of {column}: {figure}.",
    partial=count_values,
)
def homogeneous_classes(sums: SensitiveCounts, facts: TableFacts) -> dict[str, float | None]:
    """Number of classes with a single value."""
    return metric_by_column(sums, facts, lambda cells: int(_one_value(cells).sum()))


@disclosure(
    name="guessed",
    label="values guessed right by class",
    unit="%",
    formula="100 · Σ over classes of the records with its most frequent value / n",
    range="the share guessed by the table to 100 percent",
    good="near the share guessed by the table",
    reference=_REFERENCE,
    sentence="Who guesses the most frequent value of the class is right about {column} for {figure} of 100 records.",
    partial=count_values,
)
def guessed(sums: SensitiveCounts, facts: TableFacts) -> dict[str, float | None]:
    """Percentage of the records that have the most frequent value of their class."""
    return metric_by_column(sums, facts, lambda cells: 100.0 * float(cells.most_frequent.sum()) / facts.records)


@disclosure(
    name="guessed_before",
    label="values guessed right by table",
    unit="%",
    formula="100 · records with the most frequent value of the table / n",
    range="0 to 100 percent",
    good="what the classes are to be compared with",
    reference=_REFERENCE,
    sentence="Who guesses the most frequent value of the table is right about {column} for {figure} of 100 records.",
    partial=count_values,
)
def guessed_before(sums: SensitiveCounts, facts: TableFacts) -> dict[str, float | None]:
    """Percentage of the records that have the most frequent value of the table."""
    return metric_by_column(sums, facts, lambda cells: 100.0 * float(cells.frequencies.max()))

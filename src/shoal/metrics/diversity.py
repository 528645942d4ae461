"""Diversity and homogeneity of the sensitive values in each class: attribute disclosure without re-identification."""

from __future__ import annotations

from shoal.metrics.disclosure_sums import DisclosureSums, disclosure_sums
from shoal.metrics.registry import disclosure

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
    partial=disclosure_sums,
)
def distinct_l(sums: DisclosureSums) -> float:
    """Smallest number of distinct values in a class."""
    return int(sums.min_distinct)


@disclosure(
    name="entropy_l",
    label="entropy l",
    formula="min over classes of exp(−Σ p · ln p)",
    range="1 to the values of the column",
    good="high",
    reference=_REFERENCE,
    sentence="In every class {column} is at least as hard to guess as a choice among {figure}.",
    partial=disclosure_sums,
)
def entropy_l(sums: DisclosureSums) -> float:
    """Smallest effective number of values in a class: the exponential of the entropy."""
    return float(sums.min_entropy)


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
    partial=disclosure_sums,
)
def homogeneous_records(sums: DisclosureSums) -> float:
    """Percentage of the records in classes with a single value."""
    return 100.0 * sums.homogeneous_records / sums.records


@disclosure(
    name="homogeneous_classes",
    label="classes of one value",
    unit="classes",
    formula="classes with one value",
    range="0 to the number of classes",
    good="0",
    reference=_REFERENCE,
    sentence="Classes in which all records share one value of {column}: {figure}.",
    partial=disclosure_sums,
)
def homogeneous_classes(sums: DisclosureSums) -> float:
    """Number of classes with a single value."""
    return sums.homogeneous_classes


@disclosure(
    name="guessed",
    label="values guessed right by class",
    unit="%",
    formula="100 · Σ over classes of the records with its most frequent value / n",
    range="the share guessed by the table to 100 percent",
    good="near the share guessed by the table",
    reference=_REFERENCE,
    sentence="Who guesses the most frequent value of the class is right about {column} for {figure} of 100 records.",
    partial=disclosure_sums,
)
def guessed(sums: DisclosureSums) -> float:
    """Percentage of the records that have the most frequent value of their class."""
    return 100.0 * sums.most_frequent / sums.records


@disclosure(
    name="guessed_before",
    label="values guessed right by table",
    unit="%",
    formula="100 · records with the most frequent value of the table / n",
    range="0 to 100 percent",
    good="what the classes are to be compared with",
    reference=_REFERENCE,
    sentence="Who guesses the most frequent value of the table is right about {column} for {figure} of 100 records.",
    partial=disclosure_sums,
)
def guessed_before(sums: DisclosureSums) -> float:
    """Percentage of the records that have the most frequent value of the table."""
    return 100.0 * float(sums.max_frequency)

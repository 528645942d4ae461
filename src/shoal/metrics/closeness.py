"""Closeness: the distance between the distribution of a sensitive column in a class and in the table."""

from __future__ import annotations

from shoal.metrics.disclosure_sums import DisclosureSums, disclosure_sums
from shoal.metrics.registry import disclosure


@disclosure(
    name="closeness",
    label="closeness (t)",
    formula="max over classes of the earth mover's distance to the table: by hierarchy, order or equality",
    range="0 to 1",
    good="low",
    reference="Li, Li and Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and l-diversity, ICDE",
    sentence="The shares of {column} in a class are at most {figure} away from those in the table.",
    headline=True,
    partial=disclosure_sums,
)
def closeness(sums: DisclosureSums) -> float:
    """Largest distance between the distribution in a class and in the table, as the column is measured."""
    return float(sums.max_distance)


@disclosure(
    name="beta",
    label="largest relative gain (β)",
    formula="max over classes and values of (p − q)/q; p is the share in the class, q in the table",
    range="0 and up",
    good="low",
    reference="Cao and Karras (2012), Publishing microdata with a robust privacy guarantee, PVLDB 5(11)",
    sentence="Knowing the class adds to the chance of a value of {column} at most this multiple of it: {figure}.",
    partial=disclosure_sums,
)
def beta(sums: DisclosureSums) -> float:
    """Largest relative increase of the frequency of a value in a class over that in the table."""
    return max(sums.max_ratio - 1.0, 0.0)


@disclosure(
    name="delta",
    label="δ-disclosure",
    formula="max over classes and their values of |ln(p/q)|; p is the share in the class, q in the table",
    range="0 and up",
    good="low",
    reference="Brickell and Shmatikov (2008), The cost of privacy: destruction of data-mining utility, KDD",
    sentence="The logarithm of the chance of a value of {column} changes by at most {figure} in a class that has it.",
    partial=disclosure_sums,
)
def delta(sums: DisclosureSums) -> float:
    """Largest absolute log ratio of the frequency of a value in a class that has it and in the table."""
    return float(sums.max_log_ratio)

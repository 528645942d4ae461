"""Closeness: the distance between the distribution of a sensitive column in a class and in the table."""

from __future__ import annotations

import numpy as np

from shoal.data.model_checks import equal_closeness, hierarchical_closeness, ordered_closeness
from shoal.domain import FloatVector
from shoal.metrics.inputs import TableFacts
from shoal.metrics.registry import disclosure
from shoal.metrics.sensitive_counts import ClassDistribution, SensitiveCounts, count_values, metric_by_column


@disclosure(
    name="closeness",
    label="closeness (t)",
    formula="max over classes of the earth mover's distance to the table: by hierarchy, order or equality",
    range="0 to 1",
    good="low",
    reference="Li, Li and Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and l-diversity, ICDE",
    sentence="The shares of {column} in a class are at most {figure} away from those in the table.",
    headline=True,
    partial=count_values,
)
def closeness(sums: SensitiveCounts, facts: TableFacts) -> dict[str, float | None]:
    """Largest distance between the distribution in a class and in the table, as the column is measured."""
    return metric_by_column(sums, facts, lambda cells: float(_distance(cells).max()))


def _distance(cells: ClassDistribution) -> FloatVector:
    """The distance of each class, computed as by the privacy models."""
    column = cells.column
    if column.ordered:
        return ordered_closeness(cells.classes, cells.frequencies)
    if len(column.parent):
        return hierarchical_closeness(cells.classes, cells.frequencies, column.parent, column.height)
    return equal_closeness(cells.classes, cells.frequencies)


@disclosure(
    name="beta",
    label="largest relative gain (β)",
    formula="max over classes and values of (p − q)/q; p is the share in the class, q in the table",
    range="0 and up",
    good="low",
    reference="Cao and Karras (2012), Publishing microdata with a robust privacy guarantee, PVLDB 5(11)",
    sentence="Knowing the class adds to the chance of a value of {column} at most this multiple of it: {figure}.",
    partial=count_values,
)
def beta(sums: SensitiveCounts, facts: TableFacts) -> dict[str, float | None]:
    """Largest relative increase of the frequency of a value in a class over that in the table."""
    return metric_by_column(sums, facts, lambda cells: float(max((_ratio(cells) - 1.0).max(), 0.0)))


@disclosure(
    name="delta",
    label="δ-disclosure",
    formula="max over classes and their values of |ln(p/q)|; p is the share in the class, q in the table",
    range="0 and up",
    good="low",
    reference="Brickell and Shmatikov (2008), The cost of privacy: destruction of data-mining utility, KDD",
    sentence="The logarithm of the chance of a value of {column} changes by at most {figure} in a class that has it.",
    partial=count_values,
)
def delta(sums: SensitiveCounts, facts: TableFacts) -> dict[str, float | None]:
    """Largest absolute log ratio of the frequency of a value in a class that has it and in the table."""
    return metric_by_column(sums, facts, lambda cells: float(np.abs(np.log(_ratio(cells))).max()))


def _ratio(cells: ClassDistribution) -> FloatVector:
    ratio: FloatVector = cells.classes.proportion / cells.frequencies[cells.classes.value]
    return ratio

"""Closeness: how far the sensitive values of a class are from those of the table."""

from __future__ import annotations

import numpy as np

from shoal.measure.occurrences import Cells, Values, by_column, values
from shoal.measure.pair import Facts
from shoal.measure.registry import disclosure
from shoal.tables.diversity import equal_closeness, hierarchical_closeness, ordered_closeness
from shoal.values import FloatVector


@disclosure(
    name="closeness",
    label="closeness (t)",
    formula="max over classes of the earth mover's distance to the table: by hierarchy, order or equality",
    range="0 to 1",
    good="low",
    reference="Li, Li and Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and l-diversity, ICDE",
    sentence="The shares of {column} in a class are at most {figure} away from those in the table.",
    headline=True,
    part=values,
)
def closeness(sums: Values, facts: Facts) -> dict[str, float | None]:
    """How far the values of a class are from those of the table, at most, by the distance that fits the column."""
    return by_column(sums, facts, lambda cells: float(_distance(cells).max()))


def _distance(cells: Cells) -> FloatVector:
    """Of each class, the same as the privacy models measure it."""
    column = cells.column
    if column.ordered:
        return ordered_closeness(cells.classes, cells.shares)
    if len(column.above):
        return hierarchical_closeness(cells.classes, cells.shares, column.above, column.height)
    return equal_closeness(cells.classes, cells.shares)


@disclosure(
    name="beta",
    label="largest relative gain (β)",
    formula="max over classes and values of (p − q)/q; p is the share in the class, q in the table",
    range="0 and up",
    good="low",
    reference="Cao and Karras (2012), Publishing microdata with a robust privacy guarantee, PVLDB 5(11)",
    sentence="Knowing the class adds to the chance of a value of {column} at most this multiple of it: {figure}.",
    part=values,
)
def beta(sums: Values, facts: Facts) -> dict[str, float | None]:
    """By how much more often a value occurs in a class than in the table, at most, as a multiple of the latter."""
    return by_column(sums, facts, lambda cells: float(max((_ratio(cells) - 1.0).max(), 0.0)))


@disclosure(
    name="delta",
    label="δ-disclosure",
    formula="max over classes and their values of |ln(p/q)|; p is the share in the class, q in the table",
    range="0 and up",
    good="low",
    reference="Brickell and Shmatikov (2008), The cost of privacy: destruction of data-mining utility, KDD",
    sentence="The logarithm of the chance of a value of {column} changes by at most {figure} in a class that has it.",
    part=values,
)
def delta(sums: Values, facts: Facts) -> dict[str, float | None]:
    """How much the share of a value differs between a class that has it and the table, as a logarithm."""
    return by_column(sums, facts, lambda cells: float(np.abs(np.log(_ratio(cells))).max()))


def _ratio(cells: Cells) -> FloatVector:
    """The share of each value in its class, divided by that in the table."""
    ratio: FloatVector = cells.classes.share / cells.shares[cells.classes.value]
    return ratio

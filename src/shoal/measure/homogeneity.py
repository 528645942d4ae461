"""Homogeneity: classes whose sensitive value can be told, or guessed, without finding the record."""

from __future__ import annotations

from shoal.measure.occurrences import Cells, Values, by_column, values
from shoal.measure.pair import Facts
from shoal.measure.registry import disclosure
from shoal.values import BoolVector

_REFERENCE = (
    "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), l-diversity: privacy beyond k-anonymity, ACM TKDD"
    " 1(1)"
)


def _one_value(cells: Cells) -> BoolVector:
    """The classes whose records all have the same value."""
    same: BoolVector = cells.most == cells.classes.sizes
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
    part=values,
)
def homogeneous_records(sums: Values, facts: Facts) -> dict[str, float | None]:
    """The share of the records in classes that all share one value, in percent."""
    return by_column(
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
    part=values,
)
def homogeneous_classes(sums: Values, facts: Facts) -> dict[str, float | None]:
    """The classes whose records all share one value."""
    return by_column(sums, facts, lambda cells: int(_one_value(cells).sum()))


@disclosure(
    name="guessed",
    label="values guessed right by class",
    unit="%",
    formula="100 · Σ over classes of the records with its most frequent value / n",
    range="the share guessed by the table to 100 percent",
    good="near the share guessed by the table",
    reference=_REFERENCE,
    sentence="Who guesses the most frequent value of the class is right about {column} for {figure} of 100 records.",
    part=values,
)
def guessed(sums: Values, facts: Facts) -> dict[str, float | None]:
    """How often the most frequent value of its class is that of a record, in percent."""
    return by_column(sums, facts, lambda cells: 100.0 * float(cells.most.sum()) / facts.records)


@disclosure(
    name="guessed_before",
    label="values guessed right by table",
    unit="%",
    formula="100 · records with the most frequent value of the table / n",
    range="0 to 100 percent",
    good="what the classes are to be compared with",
    reference=_REFERENCE,
    sentence="Who guesses the most frequent value of the table is right about {column} for {figure} of 100 records.",
    part=values,
)
def guessed_before(sums: Values, facts: Facts) -> dict[str, float | None]:
    """How often the most frequent value of the table is that of a record, in percent."""
    return by_column(sums, facts, lambda cells: 100.0 * float(cells.shares.max()))

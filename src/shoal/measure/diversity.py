"""Diversity: how many sensitive values a class leaves open."""

from __future__ import annotations

import numpy as np

from shoal.measure.occurrences import Cells, Values, by_column, values
from shoal.measure.pair import Facts
from shoal.measure.registry import disclosure

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
    part=values,
)
def distinct_l(sums: Values, facts: Facts) -> dict[str, float | None]:
    """The fewest different values that a class has."""
    return by_column(sums, facts, lambda cells: int(np.bincount(cells.classes.group).min()))


@disclosure(
    name="entropy_l",
    label="entropy l",
    formula="min over classes of exp(−Σ p · ln p)",
    range="1 to the values of the column",
    good="high",
    reference=_REFERENCE,
    sentence="In every class {column} is at least as hard to guess as a choice among {figure}.",
    part=values,
)
def entropy_l(sums: Values, facts: Facts) -> dict[str, float | None]:
    """How many equally frequent values are as hard to guess as those of the least diverse class."""
    return by_column(sums, facts, _entropy)


def _entropy(cells: Cells) -> float:
    share = cells.classes.share
    return float(np.exp(-cells.classes.summed(share * np.log(share))).min())

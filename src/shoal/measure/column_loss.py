"""What each quasi-identifier lost by itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.measure.pair import Facts, Pair
from shoal.measure.registry import change
from shoal.measure.squared_error import percent
from shoal.values import FloatVector


class Squares(NamedTuple):
    """For each column, numbers before categories, the squared distance to what is released, and to the center."""

    error: FloatVector
    total: FloatVector


def squares(block: Pair) -> Squares:
    """Of a block: numbers on the base, categories by their distances."""
    facts, middle = block.facts, block.facts.centroid
    error, total = list(((block.was - block.now) ** 2).sum(axis=0)), list(((block.was - facts.center) ** 2).sum(axis=0))
    for j, column in enumerate(block.categories):
        error.append((column.distance[block.codes[:, j], block.nodes[:, j]] ** 2).sum())
        total.append((column.distance[block.codes[:, j], middle[j]] ** 2).sum())
    return Squares(np.array(error, dtype=np.float64), np.array(total, dtype=np.float64))


def by_name(figures: FloatVector, facts: Facts) -> dict[str, float]:
    """Figures of numbers and then of categories by the names of their columns."""
    return dict(zip(facts.measured, figures.tolist(), strict=True))


@change(
    name="loss",
    label="loss",
    unit="%",
    formula="100·SSE/SST of the column: by its numbers, or by the distances of its categories",
    range="0 percent and up; 100 is as bad as one value for all",
    good="low",
    reference="Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, IEEE TKDE 14(1)",
    sentence="{column} lost {figure} % of its variation.",
    headline=True,
    part=squares,
)
def loss(sums: Squares, facts: Facts) -> dict[str, float]:
    """The share of its own variation that each column lost, in percent."""
    both = zip(sums.error.tolist(), sums.total.tolist(), strict=True)
    return by_name(np.array([percent(error, total) for error, total in both]), facts)

"""Squared error: what replacing records by their group's centre costs."""

from __future__ import annotations

import math
from typing import NamedTuple

from shoal.measure.pair import Facts, Pair
from shoal.measure.registry import loss
from shoal.values import FloatMatrix, FloatVector

_REFERENCE = "Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, IEEE TKDE 14(1)"


class Squares(NamedTuple):
    """For each numeric column the squared differences to the released values, and to the mean of the table."""

    error: FloatVector
    total: FloatVector


def squares(block: Pair) -> Squares | None:
    """Of a block, on the base."""
    if not block.numeric:
        return None
    return Squares(((block.was - block.now) ** 2).sum(axis=0), ((block.was - block.facts.center) ** 2).sum(axis=0))


def _reported(squared: float, unit: float) -> float:
    """A sum in the unit of the figures; nothing is nothing, be the unit beyond the range of a float."""
    return squared * unit if squared else 0.0


@loss(
    name="sse",
    label="squared error (SSE)",
    formula="Σ over records and columns of (z − z′)²",
    range="0 and up",
    good="low",
    reference=_REFERENCE,
    sentence="The squared distances of the numbers to the released ones sum up to {figure}.",
    part=squares,
)
def sse(sums: Squares, facts: Facts) -> float | None:
    """The squared distance between the original and the released records."""
    return _reported(float(sums.error.sum()), facts.unit)


@loss(
    name="sst",
    label="of all variation (SST)",
    formula="Σ over records and columns of (z − mean)²; (n − 1)·p on standardized columns",
    range="0 and up",
    good="the yardstick of the squared error",
    reference=_REFERENCE,
    sentence="The squared distances of the numbers to their means sum up to {figure}: what one for all would lose.",
    part=squares,
)
def sst(sums: Squares, facts: Facts) -> float | None:
    """The squared distance between the original records and the centre of the whole table."""
    return _reported(float(sums.total.sum()), facts.unit)


@loss(
    name="information_loss",
    label="information loss",
    unit="%",
    formula="100·SSE/SST",
    range="0 to 100 percent for group means",
    good="low",
    reference=_REFERENCE,
    sentence="{figure} % of the variation of the numbers is lost.",
    headline=True,
    part=squares,
)
def lost(sums: Squares, _: Facts) -> float | None:
    """The share of the variation between records that the release lost, in percent."""
    return percent(float(sums.error.sum()), float(sums.total.sum()))


def percent(error: float, total: float) -> float:
    """100 · error / total; where nothing could be lost, 0 or infinite."""
    if total == 0:
        return math.inf if error > 0 else 0.0
    return 100.0 * error / total


def variation(matrix: FloatMatrix) -> float:
    """The squared distance between the rows of a matrix and the centre of all of them."""
    return float(((matrix - matrix.mean(axis=0)) ** 2).sum())


def information_loss(original: FloatMatrix, released: FloatMatrix) -> float:
    """100·SSE/SST of two matrices on the same base; where all original records are equal, 0 or infinite."""
    return percent(float(((original - released) ** 2).sum()), variation(original))

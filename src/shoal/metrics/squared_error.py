"""Squared error: information loss of numeric columns."""

from __future__ import annotations

import math
from typing import NamedTuple

from shoal.domain import FloatMatrix, FloatVector
from shoal.metrics.inputs import MetricInputs, TableFacts
from shoal.metrics.registry import loss

_REFERENCE = "Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, IEEE TKDE 14(1)"


class SquaredErrors(NamedTuple):
    """For each numeric column, the squared error and the total sum of squares."""

    error: FloatVector
    total: FloatVector


def squared_errors(block: MetricInputs) -> SquaredErrors | None:
    """Partial sums of a block, on scaled numbers."""
    if not block.numeric:
        return None
    return SquaredErrors(
        ((block.original - block.released) ** 2).sum(axis=0), ((block.original - block.facts.means) ** 2).sum(axis=0)
    )


def _reported(squared: float, unit: float) -> float:
    """A sum in reported units; 0 stays 0 even if the unit overflows."""
    return squared * unit if squared else 0.0


@loss(
    name="sse",
    label="squared error (SSE)",
    formula="Σ over records and columns of (z − z′)²",
    range="0 and up",
    good="low",
    reference=_REFERENCE,
    sentence="The squared distances of the numbers to the released ones sum up to {figure}.",
    partial=squared_errors,
)
def sse(sums: SquaredErrors, facts: TableFacts) -> float | None:
    """Squared distance between the original and the released records."""
    return _reported(float(sums.error.sum()), facts.squared_unit)


@loss(
    name="sst",
    label="of all variation (SST)",
    formula="Σ over records and columns of (z − mean)²; (n − 1)·p on standardized columns",
    range="0 and up",
    good="the yardstick of the squared error",
    reference=_REFERENCE,
    sentence="The squared distances of the numbers to their means sum up to {figure}: what one for all would lose.",
    partial=squared_errors,
)
def sst(sums: SquaredErrors, facts: TableFacts) -> float | None:
    """Squared distance between the original records and the mean of the table."""
    return _reported(float(sums.total.sum()), facts.squared_unit)


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
    partial=squared_errors,
)
def information_loss_percent(sums: SquaredErrors, _: TableFacts) -> float | None:
    """Loss of the variation between records, in percent."""
    return percent(float(sums.error.sum()), float(sums.total.sum()))


def percent(error: float, total: float) -> float:
    """100 · error / total; 0 or infinite if the total is 0."""
    if total == 0:
        return math.inf if error > 0 else 0.0
    return 100.0 * error / total


def total_sum_of_squares(matrix: FloatMatrix) -> float:
    """The sum of squared distances between the rows of a matrix and their mean."""
    return float(((matrix - matrix.mean(axis=0)) ** 2).sum())


def information_loss(original: FloatMatrix, released: FloatMatrix) -> float:
    """100·SSE/SST of two matrices on the same scale; 0 or infinite if all original records are equal."""
    return percent(float(((original - released) ** 2).sum()), total_sum_of_squares(original))

"""Squared error: information loss of the numeric columns, of each column, and of all columns together."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.domain import FloatMatrix, FloatVector
from shoal.metrics.inputs import MetricInputs, TableFacts
from shoal.metrics.registry import change, loss

_REFERENCE = "Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, IEEE TKDE 14(1)"


class SquaredErrors(NamedTuple):
    """For each column, numeric before categorical, the squared error and the total sum of squares."""

    error: FloatVector
    total: FloatVector


def squared_errors(block: MetricInputs) -> SquaredErrors:
    """Partial sums of a block: scaled numbers, distances of categories."""
    error = list(((block.original - block.released) ** 2).sum(axis=0))
    total = list(((block.original - block.facts.means) ** 2).sum(axis=0))
    for j, (column, center) in enumerate(zip(block.categories, block.facts.centroid_codes, strict=True)):
        error.append((column.distance[block.original_codes[:, j], block.released_codes[:, j]] ** 2).sum())
        total.append((column.distance[block.original_codes[:, j], center] ** 2).sum())
    return SquaredErrors(np.array(error, dtype=np.float64), np.array(total, dtype=np.float64))


def _sum_of_numbers(squares: FloatVector, facts: TableFacts, *, unit: float = 1.0) -> float:
    """Sum over the numeric columns; 0 stays 0 even if the unit overflows."""
    total = float(squares[: len(facts.numeric)].sum())
    return total * unit if total else 0.0


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
    return _sum_of_numbers(sums.error, facts, unit=facts.squared_unit) if facts.numeric else None


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
    return _sum_of_numbers(sums.total, facts, unit=facts.squared_unit) if facts.numeric else None


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
def information_loss_percent(sums: SquaredErrors, facts: TableFacts) -> float | None:
    """Loss of the variation between records, in percent."""
    if not facts.numeric:
        return None
    return percent(_sum_of_numbers(sums.error, facts), _sum_of_numbers(sums.total, facts))


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


def map_columns(values: FloatVector, facts: TableFacts) -> dict[str, float]:
    """Map column names to values, numeric columns before categorical ones."""
    return dict(zip(facts.compared_columns, values.tolist(), strict=True))


@change(
    name="loss",
    label="loss",
    unit="%",
    formula="100·SSE/SST of the column: by its numbers, or by the distances of its categories",
    range="0 percent and up; 100 is as bad as one value for all",
    good="low",
    reference=_REFERENCE,
    sentence="{column} lost {figure} % of its variation.",
    headline=True,
    partial=squared_errors,
)
def column_loss(sums: SquaredErrors, facts: TableFacts) -> dict[str, float]:
    """Loss of each column's own variation, in percent."""
    both = zip(sums.error.tolist(), sums.total.tolist(), strict=True)
    return map_columns(np.array([percent(error, total) for error, total in both]), facts)


@loss(
    name="mixed_loss",
    label="mixed loss",
    unit="%",
    formula="100 · Σ over columns of weight·d² to the released value / the same to the centroid of the table",
    range="0 percent and up; 100 is as bad as one record for all",
    good="low",
    reference="Domingo-Ferrer and Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through"
    " microaggregation, DMKD 11(2)",
    sentence="Numbers and categories together lose {figure} %, where 100 % is what one record for all would lose.",
    headline=True,
    partial=squared_errors,
)
def mixed_loss(sums: SquaredErrors, facts: TableFacts) -> float | None:
    """Loss of the variation of all columns, in percent: the loss for comparing methods."""
    if not facts.compared_columns:
        return None
    weights = np.array([facts.weight_of(name) for name in facts.compared_columns])
    return percent(float((weights * sums.error).sum()), float((weights * sums.total).sum()))

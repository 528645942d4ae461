"""Information loss per quasi-identifier."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatVector
from shoal.metrics.inputs import MetricInputs, TableFacts
from shoal.metrics.registry import change
from shoal.metrics.squared_error import percent


class ColumnSquaredErrors(NamedTuple):
    """For each column, numeric before categorical, the squared error and the total sum of squares."""

    error: FloatVector
    total: FloatVector


def column_squared_errors(block: MetricInputs) -> ColumnSquaredErrors:
    """Partial sums of a block: scaled numbers, distances of categories."""
    facts, middle = block.facts, block.facts.centroid_codes
    error, total = (
        list(((block.original - block.released) ** 2).sum(axis=0)),
        list(((block.original - facts.means) ** 2).sum(axis=0)),
    )
    for j, column in enumerate(block.categories):
        error.append((column.distance[block.original_codes[:, j], block.released_codes[:, j]] ** 2).sum())
        total.append((column.distance[block.original_codes[:, j], middle[j]] ** 2).sum())
    return ColumnSquaredErrors(np.array(error, dtype=np.float64), np.array(total, dtype=np.float64))


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
    reference="Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, IEEE TKDE 14(1)",
    sentence="{column} lost {figure} % of its variation.",
    headline=True,
    partial=column_squared_errors,
)
def column_loss(sums: ColumnSquaredErrors, facts: TableFacts) -> dict[str, float]:
    """Loss of each column's own variation, in percent."""
    both = zip(sums.error.tolist(), sums.total.tolist(), strict=True)
    return map_columns(np.array([percent(error, total) for error, total in both]), facts)

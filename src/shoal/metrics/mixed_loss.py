"""Mixed loss: information loss of numeric and categorical columns together."""

from __future__ import annotations

import numpy as np

from shoal.metrics.column_loss import ColumnSquaredErrors, column_squared_errors
from shoal.metrics.inputs import TableFacts
from shoal.metrics.registry import loss
from shoal.metrics.squared_error import percent


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
    partial=column_squared_errors,
)
def mixed_loss(sums: ColumnSquaredErrors, facts: TableFacts) -> float | None:
    """Loss of the variation of all columns, in percent: the loss for comparing methods."""
    if not facts.compared_columns:
        return None
    weights = np.array([facts.weight_of(name) for name in facts.compared_columns])
    return percent(float((weights * sums.error).sum()), float((weights * sums.total).sum()))

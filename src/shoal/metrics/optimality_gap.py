"""Optimality gap: the largest possible saving of a better partition."""

from __future__ import annotations

import numpy as np

from shoal import search
from shoal.domain import Bound, FloatVector, Space
from shoal.metrics.inputs import MetricInputs
from shoal.metrics.registry import loss
from shoal.metrics.released_points import compares_all_columns
from shoal.metrics.squared_error import squared_errors

MAX_SEARCHED_RECORDS = 20_000
"""Largest number of records for the neighbor search, which would otherwise dominate the evaluation."""


@loss(
    name="optimality_gap",
    label="optimality gap",
    unit="%",
    formula="100 · (SSE − B) / SSE, B a proven lower bound of the SSE of all partitions into groups of k and more: the"
    " sum over records of the least share that one can have in it, Σ of its s − 1 smallest squared distances / 2s,"
    " least over s = k .. 2k − 1; or a higher bound that was found with the release",
    range="0 to 100 percent",
    good="low; a high one may be due to the bound",
    reference="Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, IEEE TKDE 14(1): in the"
    " best partition groups have k to 2k − 1 records",
    sentence="No partition with this k could have saved more than {figure} % of the squared error.",
    headline=True,
)
def optimality_gap(inputs: MetricInputs) -> float | None:
    """Largest part of the squared error that a better partition could save, in percent.

    Defined for tables without missing values whose release has no suppressed record and at least k records per class;
    above 20,000 records only if the release computed a lower bound.
    """
    k = inputs.released_classes.k
    missing = (
        *(inputs.original_missing, inputs.released_missing, inputs.suppressed),
        *(inputs.original_codes_missing, inputs.released_codes_missing),
    )
    incomplete = any(mask is not None and bool(mask.any()) for mask in missing)
    if (
        k is None
        or incomplete
        or not compares_all_columns(inputs)
        or inputs.released_classes.sizes.min() < k
        or (inputs.lower_bound is None and inputs.records > MAX_SEARCHED_RECORDS)
    ):
        return None
    weights = np.array([inputs.facts.weight_of(name) for name in inputs.facts.compared_columns])
    weights = weights / weights.max()
    error = sum(float((weights * squared_errors(block).error).sum()) for block in inputs.blocks())
    if error == 0 or inputs.records < k:
        return 0.0
    return Bound(max(_elementary_bound(inputs, weights, k), inputs.lower_bound or 0.0), "", 0.0, "").gap(error)


def _elementary_bound(inputs: MetricInputs, weights: FloatVector, k: int) -> float:
    """The elementary bound from nearest neighbors, on the same squared distances as the error."""
    if inputs.records > MAX_SEARCHED_RECORDS:
        return 0.0
    numbers = len(inputs.numeric)
    matrix = inputs.original * np.sqrt(weights[:numbers])
    codes = inputs.original_codes if inputs.categories else np.empty((inputs.records, 0), dtype=np.int64)
    space = Space.of(matrix, codes, [column.distance for column in inputs.categories], weights[numbers:])
    points = search.embed(space)
    exact = search.exact_bound(points, k)  # the optimum, if it is cheap to compute
    return max(search.elementary_bound(points, k).value, 0.0 if exact is None else exact.value)

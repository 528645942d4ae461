"""The optimality gap: what a better partition could save at most of the loss."""

from __future__ import annotations

import numpy as np

from shoal import refine
from shoal.measure.column_loss import squares
from shoal.measure.pair import Pair
from shoal.measure.points import complete
from shoal.measure.registry import loss
from shoal.values import BoolMatrix, BoolVector, Bound, FloatMatrix, FloatVector, Space

MOST = 20_000
"""Records for whose neighbors is searched: beyond that it takes longer than all other measures."""


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
def optimality_gap(pair: Pair) -> float | None:
    """The share of the squared error that a better partition could save at most, in percent.

    For tables without missing values whose release suppresses nothing and has k records in every class; of more than
    20,000 records only where a bound was found with the release.
    """
    k = pair.after.k
    whole = complete(pair) and not _any(pair.gaps, pair.blank, pair.absent, pair.untold, pair.suppressed)
    if k is None or not whole or pair.after.sizes.min() < k or (pair.least is None and pair.records > MOST):
        return None
    weights = np.array([pair.facts.weight_of(name) for name in pair.facts.measured])
    weights = weights / weights.max()
    error = sum(float((weights * squares(block).error).sum()) for block in pair.blocks())
    if error == 0 or pair.records < k:
        return 0.0
    return Bound(max(_elementary(pair, weights, k), pair.least or 0.0), "", 0.0, "").gap(error)


def _elementary(pair: Pair, weights: FloatVector, k: int) -> float:
    """The bound from near neighbors, on the same squared distances as the error."""
    if pair.records > MOST:
        return 0.0
    numbers = len(pair.numeric)
    matrix = pair.was * np.sqrt(weights[:numbers])
    codes = pair.codes if pair.categories else np.empty((pair.records, 0), dtype=np.int64)
    space = Space.of(matrix, codes, [column.distance for column in pair.categories], weights[numbers:])
    points = refine.embedded(space)
    return max(refine.elementary_bound(points, k).value, _known(points, k))


def _known(points: FloatMatrix, k: int) -> float:
    """The best partition itself, where that is known at once."""
    found = refine.exact_bound(points, k)
    return 0.0 if found is None else found.value


def _any(*masks: BoolMatrix | BoolVector | None) -> bool:
    return any(mask is not None and bool(mask.any()) for mask in masks)

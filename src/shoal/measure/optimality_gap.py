"""The optimality gap: what a better partition could save at most of the loss."""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.measure.pair import Pair
from shoal.measure.registry import loss
from shoal.values import Space, silent

MOST = 20_000
"""Records for whose neighbors is searched: beyond that it takes minutes."""


@loss(
    name="optimality_gap",
    label="optimality gap",
    unit="%",
    formula="100 · (SSE − B) / SSE, B the sum over records of the least share that one can have in the SSE of any"
    " partition into groups of k and more: Σ of its s − 1 smallest squared distances / 2s, least over s = k .. 2k − 1",
    range="0 to 100 percent",
    good="low; a high one may be due to the bound",
    reference="Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, IEEE TKDE 14(1): in the"
    " best partition groups have k to 2k − 1 records",
    sentence="No release with this k could have saved more than {figure} % of the squared error.",
    searching=True,
)
def optimality_gap(pair: Pair) -> float | None:
    """The share of the squared error of numbers that a better partition could save at most, in percent.

    For tables of complete numbers alone, of at most 20,000 records, whose release has k records in every class.
    """
    k = pair.after.k
    numbers_alone = bool(pair.numeric) and len(pair.numeric) == len(pair.names)
    complete = pair.gaps is None and pair.blank is None
    if k is None or not numbers_alone or not complete or pair.records > MOST or pair.after.sizes.min() < k:
        return None
    base = np.ascontiguousarray(pair.was)
    error = float(((base - pair.now) ** 2).sum())
    if error == 0:
        return 0.0
    bound = float(kernels.bound.shares(Space.of_numbers(base), k, progress=silent).sum())
    return max(100.0 * (error - bound) / error, 0.0)

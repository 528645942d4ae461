"""Squared error: what replacing records by their group's centre costs."""

from __future__ import annotations

import math

from shoal.measure.registry import Comparison, loss
from shoal.values import FloatMatrix

_REFERENCE = "Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, IEEE TKDE 14(1)"


@loss(
    name="sse",
    formula="Σ over records and columns of (z − z′)²",
    range="0 and up",
    good="low",
    reference=_REFERENCE,
)
def sse(comparison: Comparison) -> float | None:
    """The squared distance between the original and the released records."""
    if comparison.original is None or comparison.released is None:
        return None
    return float(((comparison.original - comparison.released) ** 2).sum() * comparison.unit)


@loss(
    name="sst",
    formula="Σ over records and columns of (z − mean)²; (n − 1)·p on standardized columns",
    range="0 and up",
    good="the yardstick of sse",
    reference=_REFERENCE,
)
def sst(comparison: Comparison) -> float | None:
    """The squared distance between the original records and the centre of the whole table."""
    if comparison.original is None:
        return None
    return variation(comparison.original) * comparison.unit


def variation(matrix: FloatMatrix) -> float:
    """The squared distance between the rows of a matrix and the centre of all of them."""
    return float(((matrix - matrix.mean(axis=0)) ** 2).sum())


def information_loss(original: FloatMatrix, released: FloatMatrix) -> float:
    """100·SSE/SST of two matrices on the same base; where all original records are equal, 0 or infinite."""
    error = float(((original - released) ** 2).sum())
    total = variation(original)
    if total == 0:
        return math.inf if error > 0 else 0.0
    return 100.0 * error / total


@loss(
    name="information_loss",
    formula="100·SSE/SST",
    range="0 to 100 percent for group means",
    good="low",
    reference=_REFERENCE,
)
def lost(comparison: Comparison) -> float | None:
    """The share of the variation between records that the release lost, in percent."""
    if comparison.original is None or comparison.released is None:
        return None
    return information_loss(comparison.original, comparison.released)

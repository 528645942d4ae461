"""Semantic loss: how far the released categories are from the original ones."""

from __future__ import annotations

import math

import numpy as np

from shoal.measure.registry import Comparison, Meaning, loss
from shoal.values import FloatVector

_REFERENCE = "Martínez, Sánchez and Valls (2012), Semantic adaptive microaggregation, Computers & Security 31(5)"


def distance(meaning: Meaning) -> FloatVector:
    """For each record the mean over columns of the distance between its original and its released category."""
    total = np.zeros(len(meaning.original))
    for j, column in enumerate(meaning.categories):
        total += column.distance[meaning.original[:, j], meaning.released[:, j]]
    mean: FloatVector = total / len(meaning.categories)
    return mean


def to_centroid(meaning: Meaning) -> Meaning:
    """The same records, all released as the semantic centroid of the whole table."""
    released = np.empty_like(meaning.released)
    for j, column in enumerate(meaning.categories):
        counts = np.bincount(meaning.original[:, j], minlength=len(column.distance))
        released[:, j] = int(np.argmin(counts @ column.rounded()))  # exact sums: on every machine the same
    return Meaning(meaning.categories, meaning.original, released)


def semantic_loss(meaning: Meaning) -> float:
    """100·SSE/SST; where all original records are equal, 0 or infinite."""
    error, total = _squared(meaning), _squared(to_centroid(meaning))
    if total == 0:
        return math.inf if error > 0 else 0.0
    return 100.0 * error / total


def _squared(meaning: Meaning) -> float:
    return float((distance(meaning) ** 2).sum())


@loss(
    name="semantic_sse",
    formula="Σ over records of (mean over columns of the distance to the released category)²",
    range="0 to n",
    good="low",
    reference=_REFERENCE,
)
def semantic_sse(comparison: Comparison) -> float | None:
    """The squared semantic distance between the original and the released records."""
    return None if comparison.meaning is None else _squared(comparison.meaning)


@loss(
    name="semantic_sst",
    formula="the same to the semantic centroid of the whole table",
    range="0 to n",
    good="the yardstick of semantic_sse",
    reference=_REFERENCE,
)
def semantic_sst(comparison: Comparison) -> float | None:
    """The squared semantic distance between the original records and the centroid of the whole table."""
    return None if comparison.meaning is None else _squared(to_centroid(comparison.meaning))


@loss(
    name="semantic_loss",
    formula="100·SSE/SST on semantic distances",
    range="0 percent and up; 100 is as bad as one value for all",
    good="low",
    reference=_REFERENCE,
)
def lost(comparison: Comparison) -> float | None:
    """The share of the meaning of the categories that the release lost, in percent."""
    return None if comparison.meaning is None else semantic_loss(comparison.meaning)

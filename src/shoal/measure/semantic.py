"""Semantic loss: how far the released categories are from the original ones."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from shoal.measure.pair import Facts, Meaning, Pair
from shoal.measure.registry import loss
from shoal.measure.squared_error import percent
from shoal.threads import share
from shoal.values import FloatVector, IntMatrix

_REFERENCE = "Martínez, Sánchez and Valls (2012), Semantic adaptive microaggregation, Computers & Security 31(5)"


class Distances(NamedTuple):
    """The squared distances of records to what is released of them, and to the centroid of the table."""

    error: float
    total: float


def distance(meaning: Meaning, nodes: IntMatrix) -> FloatVector:
    """For each record the mean over columns of the distance between its original category and these nodes."""
    total = np.zeros(len(meaning.original))
    for j, column in enumerate(meaning.categories):
        total += column.distance[meaning.original[:, j], nodes[:, j]]
    mean: FloatVector = total / len(meaning.categories)
    return mean


def distances(block: Pair) -> Distances | None:
    """Of a block."""
    meaning = block.meaning
    if meaning is None:
        return None
    middle = np.broadcast_to(block.facts.centroid, meaning.original.shape)
    return Distances(
        float((distance(meaning, meaning.released) ** 2).sum()), float((distance(meaning, middle) ** 2).sum())
    )


def semantic_loss(meaning: Meaning) -> float:
    """100·SSE/SST; where all original records are equal, 0 or infinite."""
    middle = np.empty(len(meaning.categories), dtype=np.int64)
    for j, column in enumerate(meaning.categories):
        counts = np.bincount(meaning.original[:, j], minlength=len(column.distance))
        middle[j] = int(np.argmin(counts @ column.rounded()))
    everybody = np.broadcast_to(middle, meaning.original.shape)
    error, total = share(partial(distance, meaning), (meaning.released, everybody), records=len(everybody))
    return percent(float((error**2).sum()), float((total**2).sum()))


@loss(
    name="semantic_sse",
    label="squared semantic distance (SSE)",
    formula="Σ over records of (mean over columns of the distance to the released category)²",
    range="0 to n",
    good="low",
    reference=_REFERENCE,
    sentence="The squared distances of the categories to the released ones sum up to {figure}.",
    part=distances,
)
def semantic_sse(sums: Distances, _: Facts) -> float | None:
    """The squared semantic distance between the original and the released records."""
    return sums.error


@loss(
    name="semantic_sst",
    label="of that to the centroid (SST)",
    formula="the same to the semantic centroid of the whole table",
    range="0 to n",
    good="the yardstick of the squared semantic distance",
    reference=_REFERENCE,
    sentence="The squared distances of the categories to those of the centroid sum up to {figure}.",
    part=distances,
)
def semantic_sst(sums: Distances, _: Facts) -> float | None:
    """The squared semantic distance between the original records and the centroid of the whole table."""
    return sums.total


@loss(
    name="semantic_loss",
    label="semantic loss",
    unit="%",
    formula="100·SSE/SST on semantic distances",
    range="0 percent and up; 100 is as bad as one value for all",
    good="low",
    reference=_REFERENCE,
    sentence="The categories lose {figure} %, where 100 % is what one value for all would lose.",
    headline=True,
    part=distances,
)
def lost(sums: Distances, _: Facts) -> float | None:
    """The share of the meaning of the categories that the release lost, in percent."""
    return percent(sums.error, sums.total)

"""Semantic loss: the distance between original and released categories."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from shoal.domain import FloatVector, IntMatrix
from shoal.metrics.inputs import CategoryCodes, MetricInputs, TableFacts
from shoal.metrics.registry import loss
from shoal.metrics.squared_error import percent
from shoal.system.threads import parallel_map

_REFERENCE = "Martínez, Sánchez and Valls (2012), Semantic adaptive microaggregation, Computers & Security 31(5)"


class SemanticDistances(NamedTuple):
    """The squared distances between original and released records, and to the centroid of the table."""

    error: float
    total: float


def mean_distance(codes: CategoryCodes, nodes: IntMatrix) -> FloatVector:
    """The mean distance over columns between the original category of each record and these nodes."""
    total = np.zeros(len(codes.original))
    for j, column in enumerate(codes.categories):
        total += column.distance[codes.original[:, j], nodes[:, j]]
    mean: FloatVector = total / len(codes.categories)
    return mean


def semantic_distances(block: MetricInputs) -> SemanticDistances | None:
    """Partial sums of a block."""
    codes = block.category_codes
    if codes is None:
        return None
    centroid = np.broadcast_to(block.facts.centroid_codes, codes.original.shape)
    return SemanticDistances(
        float((mean_distance(codes, codes.released) ** 2).sum()), float((mean_distance(codes, centroid) ** 2).sum())
    )


def semantic_loss(codes: CategoryCodes) -> float:
    """100·SSE/SST; 0 or infinite if all original records are equal."""
    centroid = np.empty(len(codes.categories), dtype=np.int64)
    for j, column in enumerate(codes.categories):
        counts = np.bincount(codes.original[:, j], minlength=len(column.distance))
        centroid[j] = int(np.argmin(counts @ column.exact_distance()))
    constant = np.broadcast_to(centroid, codes.original.shape)
    error, total = parallel_map(partial(mean_distance, codes), (codes.released, constant), records=len(constant))
    return percent(float((error**2).sum()), float((total**2).sum()))


@loss(
    name="semantic_sse",
    label="squared semantic distance (SSE)",
    formula="Σ over records of (mean over columns of the distance to the released category)²",
    range="0 to n",
    good="low",
    reference=_REFERENCE,
    sentence="The squared distances of the categories to the released ones sum up to {figure}.",
    partial=semantic_distances,
)
def semantic_sse(sums: SemanticDistances, _: TableFacts) -> float | None:
    """Squared semantic distance between the original and the released records."""
    return sums.error


@loss(
    name="semantic_sst",
    label="of that to the centroid (SST)",
    formula="the same to the semantic centroid of the whole table",
    range="0 to n",
    good="the yardstick of the squared semantic distance",
    reference=_REFERENCE,
    sentence="The squared distances of the categories to those of the centroid sum up to {figure}.",
    partial=semantic_distances,
)
def semantic_sst(sums: SemanticDistances, _: TableFacts) -> float | None:
    """Squared semantic distance between the original records and the centroid of the table."""
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
    partial=semantic_distances,
)
def semantic_loss_percent(sums: SemanticDistances, _: TableFacts) -> float | None:
    """Loss of semantic variation in the categorical columns, in percent."""
    return percent(sums.error, sums.total)

"""IL1s: how far the released numbers are from the original ones, in standard deviations."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.measure.pair import Facts, Pair
from shoal.measure.registry import change, loss
from shoal.values import FloatVector

_REFERENCE = (
    "Mateo-Sanz, Sebé and Domingo-Ferrer (2004), Outlier protection in continuous microdata masking, PSD;"
    " a sum as in sdcMicro since 5.2"
)


class Distances(NamedTuple):
    """For each numeric column the absolute differences to the released values, and the cells that were not missing."""

    apart: FloatVector
    cells: FloatVector


def distances(block: Pair) -> Distances | None:
    """Of a block, on the base."""
    if not block.numeric:
        return None
    known = [block.records - int(block.gone(j).sum()) for j in range(len(block.numeric))]
    return Distances(np.abs(block.was - block.now).sum(axis=0), np.array(known, dtype=np.float64))


def scaled(sums: Distances, facts: Facts) -> FloatVector:
    """The sum of each column in units of √2 standard deviations; a column of one value adds nothing."""
    varied = (facts.high > facts.low) & (facts.spread > 0)
    return np.where(varied, sums.apart / (math.sqrt(2) * np.where(varied, facts.spread, 1.0)), 0.0)


@loss(
    name="il1s",
    label="scaled absolute error (IL1s)",
    formula="Σ over records and numeric columns of |x − x′| / (√2·sd), sd with n − 1",
    range="0 and up",
    good="low",
    reference=_REFERENCE,
    sentence="The numbers moved by {figure} × √2 standard deviations in all.",
    part=distances,
)
def il1s(sums: Distances, facts: Facts) -> float | None:
    """The absolute differences between original and released numbers, in standard deviations, summed."""
    return float(scaled(sums, facts).sum())


@loss(
    name="il1s_mean",
    label="mean scaled absolute error",
    formula="IL1s / number of numeric cells that were not missing",
    range="0 and up",
    good="low",
    reference=_REFERENCE,
    sentence="A number moved by {figure} × √2 standard deviations on average.",
    part=distances,
)
def il1s_mean(sums: Distances, facts: Facts) -> float | None:
    """IL1s on average over the numeric cells."""
    return float(scaled(sums, facts).sum() / max(sums.cells.sum(), 1.0))


@change(
    name="absolute_change",
    label="scaled absolute error",
    formula="mean over the cells of the column of |x − x′| / (√2·sd)",
    range="0 and up",
    good="low",
    reference=_REFERENCE,
    sentence="A number of {column} moved by {figure} × √2 standard deviations on average.",
    part=distances,
)
def absolute_change(sums: Distances, facts: Facts) -> dict[str, float]:
    """The mean absolute difference of each numeric column, in standard deviations."""
    figures = scaled(sums, facts) / np.maximum(sums.cells, 1.0)
    return dict(zip(facts.numeric, figures.tolist(), strict=True))

"""IL1s: the absolute error of the released numbers in standard deviations."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.domain import FloatVector
from shoal.metrics.inputs import MetricInputs, TableFacts
from shoal.metrics.registry import change, loss

_REFERENCE = (
    "Mateo-Sanz, Sebé and Domingo-Ferrer (2004), Outlier protection in continuous microdata masking, PSD;"
    " a sum as in sdcMicro since 5.2"
)


class AbsoluteErrors(NamedTuple):
    """For each numeric column, the sum of the absolute errors and the number of cells that were not missing."""

    total: FloatVector
    cells: FloatVector


def absolute_errors(block: MetricInputs) -> AbsoluteErrors | None:
    """Partial sums of a block, on scaled numbers."""
    if not block.numeric:
        return None
    known = [block.records - int(block.is_original_missing(j).sum()) for j in range(len(block.numeric))]
    return AbsoluteErrors(np.abs(block.original - block.released).sum(axis=0), np.array(known, dtype=np.float64))


def standardized_errors(sums: AbsoluteErrors, facts: TableFacts) -> FloatVector:
    """The sum of each column in units of √2 standard deviations; 0 for a constant column."""
    varied = (facts.maxima > facts.minima) & (facts.stds > 0)
    return np.where(varied, sums.total / (math.sqrt(2) * np.where(varied, facts.stds, 1.0)), 0.0)


@loss(
    name="il1s",
    label="scaled absolute error (IL1s)",
    formula="Σ over records and numeric columns of |x − x′| / (√2·sd), sd with n − 1",
    range="0 and up",
    good="low",
    reference=_REFERENCE,
    sentence="The numbers moved by {figure} × √2 standard deviations in all.",
    partial=absolute_errors,
)
def il1s(sums: AbsoluteErrors, facts: TableFacts) -> float | None:
    """Sum of the absolute errors of the released numbers, in standard deviations."""
    return float(standardized_errors(sums, facts).sum())


@loss(
    name="il1s_mean",
    label="mean scaled absolute error",
    formula="IL1s / number of numeric cells that were not missing",
    range="0 and up",
    good="low",
    reference=_REFERENCE,
    sentence="A number moved by {figure} × √2 standard deviations on average.",
    partial=absolute_errors,
)
def il1s_mean(sums: AbsoluteErrors, facts: TableFacts) -> float | None:
    """Mean of IL1s over the numeric cells."""
    return float(standardized_errors(sums, facts).sum() / max(sums.cells.sum(), 1.0))


@change(
    name="absolute_change",
    label="scaled absolute error",
    formula="mean over the cells of the column of |x − x′| / (√2·sd)",
    range="0 and up",
    good="low",
    reference=_REFERENCE,
    sentence="A number of {column} moved by {figure} × √2 standard deviations on average.",
    partial=absolute_errors,
)
def absolute_change(sums: AbsoluteErrors, facts: TableFacts) -> dict[str, float]:
    """Mean absolute error of each numeric column, in standard deviations."""
    figures = standardized_errors(sums, facts) / np.maximum(sums.cells, 1.0)
    return dict(zip(facts.numeric, figures.tolist(), strict=True))

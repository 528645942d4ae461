"""Record linkage: link each original record to the nearest released record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal import kernels
from shoal.domain import FloatMatrix, IntVector
from shoal.metrics.inputs import MetricInputs
from shoal.metrics.registry import attack
from shoal.metrics.released_points import ReleasedPoints, compares_all_columns, released_points

if TYPE_CHECKING:
    from shoal.kernels.nearest_record import RowDistance

MAX_COMPARISONS = 4e9
"""Largest number of cells to compare, a few seconds: most comparisons stop after one or two cells. Larger tables are
sampled.
"""
_REFERENCE = "Pagliuca and Seri (1999), Some results of individual ranking method on the system of enterprise accounts"


@attack(
    name="record_linkage",
    label="records linked to their own",
    unit="%",
    formula="100 · mean over records tried of 1/(released records at the least distance) where its own is among them,"
    " else 0; distance² = Σ weight · d² over columns",
    range="0 to 100 percent",
    good="at most 100/k",
    reference=_REFERENCE,
    sentence="Who takes the nearest released record finds the right one for {figure} of 100 records.",
    headline=True,
    searching=True,
)
def record_linkage(inputs: MetricInputs) -> float | None:
    """Percentage of the records that are correctly linked to the nearest released record.

    Numbers are compared on the same scale, categories by their distances. An interval counts as its midpoint; a missing
    released value as the mean, or as the root of its hierarchy; a number that was missing is ignored. Distances with a
    relative difference below 1e-9 are ties. Large tables are sampled at regular intervals; `record_linkage_tried` is
    the sample size.
    """
    if not compares_all_columns(inputs):
        return None
    points = released_points(inputs)
    rows, sizes = _sampled_rows(inputs, points), np.bincount(points.labels).astype(np.float64)
    squares, originals, released = _distance_inputs(inputs, points, rows)
    step, fractions = max(1, kernels.jit.SLICE // (points.n_points * len(inputs.quasi_identifiers))), []
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        fractions.append(
            kernels.nearest_record.linkage_credit(
                squares, originals[block], released, sizes, points.labels[rows[block]]
            )
        )
    return 100.0 * float(np.concatenate(fractions).mean())


@attack(
    name="record_linkage_tried",
    label="records tried to link",
    unit="records",
    formula="n, or evenly spaced records as far as the work allows",
    range="1 to n",
    good="n",
    reference=_REFERENCE,
    sentence="Records for which the nearest released one was looked for: {figure}.",
    searching=True,
)
def record_linkage_tried(inputs: MetricInputs) -> float | None:
    """Number of records for which the nearest released record was searched."""
    return len(_sampled_rows(inputs, released_points(inputs))) if compares_all_columns(inputs) else None


def _sampled_rows(inputs: MetricInputs, points: ReleasedPoints) -> IntVector:
    """All records, or as many equidistant ones as the budget allows."""
    n = inputs.records
    number = min(n, max(1, int(MAX_COMPARISONS / (points.n_points * len(inputs.quasi_identifiers)))))
    return np.arange(number, dtype=np.int64) * n // number


def _distance_inputs(
    inputs: MetricInputs, points: ReleasedPoints, rows: IntVector
) -> tuple[RowDistance, FloatMatrix, FloatMatrix]:
    """The distance tables, and these records and all points as rows: weighted numbers (NaN if missing), then codes."""
    facts = inputs.facts
    weights = np.sqrt([facts.weight_of(name) for name in inputs.numeric])
    original = [
        np.where(inputs.is_original_missing(j)[rows], np.nan, inputs.original[rows, j] * weights[j])
        for j in range(len(inputs.numeric))
    ]
    released = [inputs.released[points.source_rows[:, j], j] * weights[j] for j in range(len(inputs.numeric))]
    tables = [column.distance**2 * facts.weight_of(column.name) for column in inputs.categories]
    widths = np.array([len(table) for table in tables], dtype=np.int64)
    square = np.concatenate([np.empty(0), *(table.ravel() for table in tables)])
    codes = inputs.original_codes[rows].T if inputs.categories else ()
    return (
        kernels.nearest_record.RowDistance(len(inputs.numeric), square, np.cumsum(widths**2) - widths**2, widths),
        np.column_stack([*original, *codes]).astype(np.float64),
        np.column_stack([*released, points.codes]).astype(np.float64),
    )

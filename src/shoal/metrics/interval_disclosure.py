"""Interval disclosure: original numbers that are close to the released ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatVector
from shoal.metrics.inputs import MetricInputs, TableFacts
from shoal.metrics.registry import attack, change

DISCLOSURE_WINDOW = 0.05
"""Largest distance that counts as disclosure, in standard deviations of the released column."""
_REFERENCE = "Mateo-Sanz, Sebé and Domingo-Ferrer (2004), Outlier protection in continuous microdata masking, PSD"
_FORMULA = (
    f"the original number is at most {DISCLOSURE_WINDOW} standard deviations of the released column "
    "from the released one"
)


class IntervalDisclosures(NamedTuple):
    """The number of disclosed records; for each column the number of close values and of known values."""

    disclosed: int
    near: FloatVector
    known: FloatVector
    records: int


def interval_disclosures(block: MetricInputs) -> IntervalDisclosures | None:
    """Partial sums of a block; an interval counts as its midpoint, a missing value is close to nothing."""
    if not block.numeric or not len(block.facts.released_stds):  # unknown if the table is processed in parts
        return None
    inside = np.abs(block.original - block.released) <= DISCLOSURE_WINDOW * block.facts.released_stds
    known = np.column_stack([~block.is_original_missing(j) for j in range(len(block.numeric))])
    present = np.column_stack([~block.is_released_missing(j) for j in range(len(block.numeric))])
    inside &= known & present
    disclosed = inside.any(axis=1) & ((known & ~inside).sum(axis=1) <= 1)
    return IntervalDisclosures(int(disclosed.sum()), inside.sum(axis=0) * 1.0, known.sum(axis=0) * 1.0, block.records)


@attack(
    name="d_risk",
    label="records told by their numbers (dRisk)",
    unit="%",
    formula=f"100 · records / n for which {_FORMULA}: in all numeric columns but at most one, and in one at least",
    range="0 to 100 percent",
    good="low",
    reference=_REFERENCE,
    sentence="For {figure} of 100 records the released numbers tell the original ones, but for at most one of them.",
    partial=interval_disclosures,
)
def d_risk(sums: IntervalDisclosures, _: TableFacts) -> float | None:
    """Percentage of the records whose numbers are all close to the released ones, except for at most one.

    This is dRisk of sdcMicro for two or more columns without missing values; with a single column, or with missing
    released values, sdcMicro counts more records as disclosed.
    """
    return 100.0 * sums.disclosed / sums.records


@change(
    name="interval_disclosure",
    label="interval disclosure",
    unit="%",
    formula=f"100 · records / records with a number for which {_FORMULA}",
    range="0 to 100 percent",
    good="low",
    reference=_REFERENCE,
    sentence="For {figure} of 100 records the release tells {column} to within a twentieth of its standard deviation.",
    partial=interval_disclosures,
)
def interval_disclosure(sums: IntervalDisclosures, facts: TableFacts) -> dict[str, float | None]:
    """Percentage of the numbers of each column that are close to the released ones."""
    percentages = 100.0 * sums.near / np.maximum(sums.known, 1.0)
    known = zip(facts.numeric, percentages.tolist(), sums.known.tolist(), strict=True)
    return {name: percentage if count else None for name, percentage, count in known}

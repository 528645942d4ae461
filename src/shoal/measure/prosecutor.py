"""Prosecutor model: an intruder who looks for one person and knows that the person is in the table."""

from __future__ import annotations

from shoal.measure.class_sizes import ClassSizeSums, class_size_sums
from shoal.measure.registry import risk

RISK_THRESHOLD = 0.2
"""Records with a risk above this, in classes of fewer than five, are at risk."""
REFERENCE = "El Emam (2013), Guide to the de-identification of personal health information, CRC Press"


@risk(
    name="prosecutor_highest",
    label="highest prosecutor risk",
    formula="1 / min f",
    range="1/n to 1",
    good="at most 1/k",
    reference=REFERENCE,
    sentence="Who knows that a person is in the table finds the record in at most 1 of {one_in} tries.",
    partial=class_size_sums,
)
def prosecutor_highest(sums: ClassSizeSums, _: int | None) -> float | None:
    """Risk of the records in the smallest class, for an intruder who knows that a person is in the table."""
    return 1.0 / float(sums.counts.keys[0])


@risk(
    name="prosecutor_average",
    label="average prosecutor risk",
    formula="number of classes / n; with wildcards the mean of 1/f",
    range="1/n to 1",
    good="at most 1/k",
    reference=REFERENCE,
    sentence="Who knows that a person is in the table finds the record in 1 of {one_in} tries on average.",
    partial=class_size_sums,
)
def prosecutor_average(sums: ClassSizeSums, _: int | None) -> float | None:
    """Mean risk of all records, for an intruder who knows that a person is in the table."""
    return sums.reciprocal_sum / sums.records


@risk(
    name="prosecutor_at_risk",
    label="records at prosecutor risk",
    unit="%",
    formula=f"100 · records with 1/f above {RISK_THRESHOLD} / n",
    range="0 to 100 percent",
    good="0",
    reference=REFERENCE,
    sentence="{figure} of 100 records hide among fewer than five in the table.",
    partial=class_size_sums,
)
def prosecutor_at_risk(sums: ClassSizeSums, _: int | None) -> float | None:
    """Percentage of the records with a risk above 0.2."""
    return 100.0 * sums.records_below(1.0 / RISK_THRESHOLD) / sums.records

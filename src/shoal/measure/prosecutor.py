"""Prosecutor: somebody who looks for one person and knows that the person is in the table."""

from __future__ import annotations

from shoal.measure.class_sizes import Sizes, sizes
from shoal.measure.registry import risk

THRESHOLD = 0.2
"""A record is at risk where somebody finds it more often than this: in a class of fewer than five."""
REFERENCE = "El Emam (2013), Guide to the de-identification of personal health information, CRC Press"


@risk(
    name="prosecutor_highest",
    label="highest prosecutor risk",
    formula="1 / min f",
    range="1/n to 1",
    good="at most 1/k",
    reference=REFERENCE,
    sentence="Who knows that a person is in the table finds the record in at most 1 of {one_in} tries.",
    part=sizes,
)
def prosecutor_highest(sums: Sizes, _: int | None) -> float | None:
    """The risk of the records in the smallest class, for who knows that a person is in the table."""
    return 1.0 / float(sums.tally.keys[0])


@risk(
    name="prosecutor_average",
    label="average prosecutor risk",
    formula="number of classes / n; with wildcards the mean of 1/f",
    range="1/n to 1",
    good="at most 1/k",
    reference=REFERENCE,
    sentence="Who knows that a person is in the table finds the record in 1 of {one_in} tries on average.",
    part=sizes,
)
def prosecutor_average(sums: Sizes, _: int | None) -> float | None:
    """The mean risk of all records, for who knows that a person is in the table."""
    return sums.shares / sums.records


@risk(
    name="prosecutor_at_risk",
    label="records at prosecutor risk",
    unit="%",
    formula=f"100 · records with 1/f above {THRESHOLD} / n",
    range="0 to 100 percent",
    good="0",
    reference=REFERENCE,
    sentence="{figure} of 100 records hide among fewer than five in the table.",
    part=sizes,
)
def prosecutor_at_risk(sums: Sizes, _: int | None) -> float | None:
    """The share of the records whose risk is above 0.2, in percent."""
    return 100.0 * sums.below(1.0 / THRESHOLD) / sums.records

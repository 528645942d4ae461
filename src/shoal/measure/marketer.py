"""Marketer model: an intruder who looks up every record in the population."""

from __future__ import annotations

from shoal.measure.journalist import PopulationSums, population_sums
from shoal.measure.prosecutor import REFERENCE
from shoal.measure.registry import risk


@risk(
    name="marketer",
    label="marketer risk",
    formula="1/n · Σ f/F over classes",
    range="0 to 1",
    good="low",
    reference=REFERENCE,
    sentence="Who looks up every record in the population is right about 1 of {one_in}.",
    partial=population_sums,
)
def marketer(sums: PopulationSums, _: int | None) -> float | None:
    """Expected fraction of the records that is re-identified if every record is looked up in the population."""
    return sums.mean_risk

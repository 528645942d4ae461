"""Marketer: somebody who looks up every record in the population, and is content with many."""

from __future__ import annotations

from shoal.measure.journalist import Persons, persons
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
    part=persons,
)
def marketer(sums: Persons, _: int | None) -> float | None:
    """The share of the records that is found by looking up every one of them in the population."""
    return sums.average

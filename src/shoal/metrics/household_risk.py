"""Household risk: re-identifying one member of a household re-identifies all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.metrics.inputs import EquivalenceClasses
from shoal.metrics.partial_sums import KeyedCounts
from shoal.metrics.registry import risk


class HouseholdSums(NamedTuple):
    """For each household, its number of members and the log probability that none of them is re-identified."""

    members: KeyedCounts
    log_survival: KeyedCounts


def household_sums(block: EquivalenceClasses) -> HouseholdSums | None:
    """Partial sums of the members in a block."""
    if block.households is None:
        return None
    with np.errstate(divide="ignore"):
        log_survival = np.log1p(-block.risk)
    return HouseholdSums(KeyedCounts.of(block.households), KeyedCounts.of(block.households, log_survival))


@risk(
    name="household_risk",
    label="household risk",
    unit="%",
    formula="100 · mean over records of 1 − Π(1 − r) over the members of its household",
    range="the global risk to 100 percent",
    good="low",
    reference="Templ, Kowarik and Meindl (2015), Statistical disclosure control with sdcMicro, JSS 67(4)",
    sentence="Some member of a person's household is found in {figure} of 100 tries.",
    headline=True,
    partial=household_sums,
)
def household_risk(sums: HouseholdSums, _: int | None) -> float | None:
    """Mean probability that some member of a record's household is re-identified, in percent."""
    members = sums.members.counts
    return 100.0 * float((members * -np.expm1(sums.log_survival.counts)).sum() / members.sum())

"""Household risk: who finds one member of a household knows the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.measure.pair import Classes
from shoal.measure.registry import risk
from shoal.measure.sums import Tally


class Missed(NamedTuple):
    """For each household its members, and the logarithm of the chance that none of them is found."""

    members: Tally
    missed: Tally


def missed(block: Classes) -> Missed | None:
    """Of the members in a block."""
    if block.households is None:
        return None
    with np.errstate(divide="ignore"):
        chance = np.log1p(-block.risk)
    return Missed(Tally.of(block.households), Tally.of(block.households, chance))


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
    part=missed,
)
def household_risk(sums: Missed, _: int | None) -> float | None:
    """How often some member of a record's household is found, in percent; who finds one knows the others."""
    members = sums.members.counts
    return 100.0 * float((members * -np.expm1(sums.missed.counts)).sum() / members.sum())

"""Global risk: the expected number of re-identified records; household risk, where one member re-identifies all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import to_builtin
from shoal.metrics.class_size import ClassSizeSums, class_size_sums
from shoal.metrics.inputs import EquivalenceClasses
from shoal.metrics.partial_sums import KeyedCounts
from shoal.metrics.registry import risk

_REFERENCE = "Templ, Kowarik and Meindl (2015), Statistical disclosure control with sdcMicro, JSS 67(4)"


@risk(
    name="expected_reidentifications",
    label="expected re-identifications",
    unit="records",
    formula="Σ over records of r; r = 1/f without sampling weights",
    range="0 to n",
    good="low",
    reference=_REFERENCE,
    sentence="Records that somebody who knows all quasi-identifiers is expected to find: {figure}.",
    partial=class_size_sums,
)
def expected_reidentifications(sums: ClassSizeSums, _: int | None) -> float | None:
    """Expected number of correctly re-identified records; one per class without sampling weights."""
    return to_builtin(sums.expected_hits)


@risk(
    name="global_risk",
    label="global risk",
    unit="%",
    formula="100 · Σ over records of r / n; r = 1/f without sampling weights",
    range="0 to 100 percent; 100/n and up without sampling weights",
    good="at most 100/k",
    reference=_REFERENCE,
    sentence="On average 1 of {one_in} records can be found by somebody who knows all quasi-identifiers.",
    headline=True,
    partial=class_size_sums,
)
def global_risk(sums: ClassSizeSums, _: int | None) -> float | None:
    """Expected percentage of records that are correctly re-identified."""
    return 100.0 * sums.expected_hits / sums.records


@risk(
    name="highest_risk",
    label="highest individual risk",
    formula="max r; r = 1/f without sampling weights",
    range="0 to 1",
    good="at most 1/k",
    reference=_REFERENCE,
    sentence="The record at most risk is found in 1 of {one_in} tries.",
    partial=class_size_sums,
)
def highest_risk(sums: ClassSizeSums, _: int | None) -> float | None:
    """Largest individual risk of a record."""
    return float(sums.max_risk)


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
    reference=_REFERENCE,
    sentence="Some member of a person's household is found in {figure} of 100 tries.",
    headline=True,
    partial=household_sums,
)
def household_risk(sums: HouseholdSums, _: int | None) -> float | None:
    """Mean probability that some member of a record's household is re-identified, in percent."""
    members = sums.members.counts
    return 100.0 * float((members * -np.expm1(sums.log_survival.counts)).sum() / members.sum())

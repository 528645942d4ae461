"""Global risk: how many records somebody who knows all quasi-identifiers would find."""

from __future__ import annotations

from shoal.measure.class_sizes import Sizes, sizes
from shoal.measure.registry import risk
from shoal.values import plain

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
    part=sizes,
)
def expected_reidentifications(sums: Sizes, _: int | None) -> float | None:
    """The number of records found by guessing inside each class: one a class, without sampling weights."""
    return plain(sums.found)


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
    part=sizes,
)
def global_risk(sums: Sizes, _: int | None) -> float | None:
    """The share of the records found by guessing inside each class, in percent."""
    return 100.0 * sums.found / sums.records


@risk(
    name="highest_risk",
    label="highest individual risk",
    formula="max r; r = 1/f without sampling weights",
    range="0 to 1",
    good="at most 1/k",
    reference=_REFERENCE,
    sentence="The record at most risk is found in 1 of {one_in} tries.",
    part=sizes,
)
def highest_risk(sums: Sizes, _: int | None) -> float | None:
    """The risk of the record that is found most easily."""
    return float(sums.highest)

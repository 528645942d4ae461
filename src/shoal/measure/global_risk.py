"""Global risk: how many records somebody who knows all quasi-identifiers would find."""

from __future__ import annotations

from shoal.measure.registry import Classes, risk

_REFERENCE = "Templ, Kowarik and Meindl (2015), Statistical disclosure control with sdcMicro, JSS 67(4)"


@risk(
    name="expected_reidentifications",
    formula="Σ over records of 1/f",
    range="1 to n",
    good="low",
    reference=_REFERENCE,
)
def expected_reidentifications(classes: Classes) -> float | None:
    """The number of records found by guessing inside each class: one a class, without sampling weights."""
    return classes.count


@risk(
    name="global_risk",
    formula="100 · Σ over records of 1/f / n",
    range="100/n to 100 percent",
    good="at most 100/k",
    reference=_REFERENCE,
)
def global_risk(classes: Classes) -> float | None:
    """The share of the records found by guessing inside each class, in percent."""
    return 100.0 * classes.count / classes.records

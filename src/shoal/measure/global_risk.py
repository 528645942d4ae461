"""Global risk: how many records somebody who knows all quasi-identifiers would find."""

from __future__ import annotations

from shoal.measure.individual import household_risk
from shoal.measure.registry import Classes, risk
from shoal.values import plain

_REFERENCE = "Templ, Kowarik and Meindl (2015), Statistical disclosure control with sdcMicro, JSS 67(4)"


@risk(
    name="expected_reidentifications",
    formula="Σ over records of r; r = 1/f without sampling weights",
    range="0 to n",
    good="low",
    reference=_REFERENCE,
)
def expected_reidentifications(classes: Classes) -> float | None:
    """The number of records found by guessing inside each class: one a class, without sampling weights."""
    return plain(classes.found)


@risk(
    name="global_risk",
    formula="100 · Σ over records of r / n; r = 1/f without sampling weights",
    range="0 to 100 percent; 100/n and up without sampling weights",
    good="at most 100/k",
    reference=_REFERENCE,
)
def global_risk(classes: Classes) -> float | None:
    """The share of the records found by guessing inside each class, in percent."""
    return 100.0 * classes.found / classes.records


@risk(
    name="highest_risk",
    formula="max r; r = 1/f without sampling weights",
    range="0 to 1",
    good="at most 1/k",
    reference=_REFERENCE,
)
def highest_risk(classes: Classes) -> float | None:
    """The risk of the record that is found most easily."""
    return float(classes.risk.max())


@risk(
    name="household_risk",
    formula="100 · mean over records of 1 − Π(1 − r) over the members of its household",
    range="the global risk to 100 percent",
    good="low",
    reference=_REFERENCE,
)
def of_households(classes: Classes) -> float | None:
    """How often some member of a record's household is found, in percent; who finds one knows the others."""
    if classes.households is None:
        return None
    return 100.0 * float(household_risk(classes.risk, classes.households).mean())

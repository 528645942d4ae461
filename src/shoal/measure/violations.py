"""Risks by count: the classes, the smallest of them, and the records that k does not cover."""

from __future__ import annotations

from shoal.measure.registry import Classes, risk
from shoal.values import plain

_REFERENCE = "Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13(6)"


@risk(
    name="classes",
    formula="number of distinct combinations of the quasi-identifiers",
    range="1 to n",
    good="as few as k needs, as many as utility wants",
    reference=_REFERENCE,
)
def count(classes: Classes) -> float | None:
    """The number of classes."""
    return classes.count


@risk(name="min_class", formula="min f", range="1 to n", good="at least k", reference=_REFERENCE)
def min_class(classes: Classes) -> float | None:
    """The size of the smallest class."""
    return plain(classes.sizes.min())


@risk(name="unique_records", formula="records with f < 2", range="0 to n", good="0", reference=_REFERENCE)
def unique_records(classes: Classes) -> float | None:
    """The records that no other record looks like."""
    return int((classes.sizes < 2).sum())


@risk(name="k_violations", formula="records with f < k", range="0 to n", good="0", reference=_REFERENCE)
def k_violations(classes: Classes) -> float | None:
    """The records in classes below k."""
    return None if classes.k is None else int((classes.sizes < classes.k).sum())


@risk(
    name="k_violations_percent",
    formula="100 · records with f < k / n",
    range="0 to 100 percent",
    good="0",
    reference=_REFERENCE,
)
def k_violations_percent(classes: Classes) -> float | None:
    """The share of the records in classes below k, in percent."""
    below = k_violations(classes)
    return None if below is None else 100.0 * below / classes.records

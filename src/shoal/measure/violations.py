"""Risks by count: the classes, the smallest of them, and the records that k does not cover."""

from __future__ import annotations

from shoal.measure.class_sizes import Sizes, sizes
from shoal.measure.registry import risk
from shoal.values import plain

_REFERENCE = "Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13(6)"


@risk(
    name="classes",
    label="classes of alike records",
    formula="number of distinct combinations of the quasi-identifiers",
    range="1 to n",
    good="as few as k needs, as many as utility wants",
    reference=_REFERENCE,
    sentence="Classes of alike records: {figure}.",
    headline=True,
    part=sizes,
)
def classes(sums: Sizes, _: int | None) -> float | None:
    """The number of classes."""
    return sums.number


@risk(
    name="min_class",
    label="smallest class",
    unit="records",
    formula="min f",
    range="1 to n",
    good="at least k",
    reference=_REFERENCE,
    sentence="Records in the smallest class: {figure}.",
    headline=True,
    part=sizes,
)
def min_class(sums: Sizes, _: int | None) -> float | None:
    """The size of the smallest class."""
    return plain(sums.tally.keys[0])


@risk(
    name="unique_records",
    label="unique records",
    unit="records",
    formula="records with f < 2",
    range="0 to n",
    good="0",
    reference=_REFERENCE,
    sentence="Records that stand alone with their quasi-identifiers: {figure}.",
    headline=True,
    part=sizes,
)
def unique_records(sums: Sizes, _: int | None) -> float | None:
    """The records that no other record looks like."""
    return sums.below(2)


@risk(
    name="k_violations",
    label="records in classes below k",
    unit="records",
    formula="records with f < k",
    range="0 to n",
    good="0",
    reference=_REFERENCE,
    sentence="Records that hide among fewer than k: {figure}.",
    headline=True,
    part=sizes,
)
def k_violations(sums: Sizes, k: int | None) -> float | None:
    """The records in classes below k."""
    return None if k is None else sums.below(k)


@risk(
    name="k_violations_percent",
    label="records in classes below k",
    unit="%",
    formula="100 · records with f < k / n",
    range="0 to 100 percent",
    good="0",
    reference=_REFERENCE,
    sentence="{figure} of 100 records hide among fewer than k.",
    part=sizes,
)
def k_violations_percent(sums: Sizes, k: int | None) -> float | None:
    """The share of the records in classes below k, in percent."""
    return None if k is None else 100.0 * sums.below(k) / sums.records

"""Class counts: number of classes, smallest class, and records that violate k-anonymity."""

from __future__ import annotations

from shoal.domain import to_builtin
from shoal.metrics.class_size import ClassSizeSums, class_size_sums
from shoal.metrics.registry import risk

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
    partial=class_size_sums,
)
def classes(sums: ClassSizeSums, _: int | None) -> float | None:
    """Number of equivalence classes."""
    return sums.n_classes


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
    partial=class_size_sums,
)
def min_class(sums: ClassSizeSums, _: int | None) -> float | None:
    """Size of the smallest class."""
    return to_builtin(sums.counts.keys[0])


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
    partial=class_size_sums,
)
def unique_records(sums: ClassSizeSums, _: int | None) -> float | None:
    """Number of records that are unique by their quasi-identifiers."""
    return sums.records_below(2)


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
    partial=class_size_sums,
)
def k_violations(sums: ClassSizeSums, k: int | None) -> float | None:
    """Number of records in classes below k."""
    return None if k is None else sums.records_below(k)


@risk(
    name="k_violations_percent",
    label="records in classes below k",
    unit="%",
    formula="100 · records with f < k / n",
    range="0 to 100 percent",
    good="0",
    reference=_REFERENCE,
    sentence="{figure} of 100 records hide among fewer than k.",
    partial=class_size_sums,
)
def k_violations_percent(sums: ClassSizeSums, k: int | None) -> float | None:
    """Percentage of the records in classes below k."""
    return None if k is None else 100.0 * sums.records_below(k) / sums.records

"""Class size counts that several risks and losses share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import to_builtin
from shoal.metrics.inputs import EquivalenceClasses, MetricInputs, TableFacts
from shoal.metrics.partial_sums import KeyedCounts, MergeByMax
from shoal.metrics.registry import loss, risk


class ClassSizeSums(NamedTuple):
    """The number of records by class size, and their individual risks."""

    counts: KeyedCounts
    total_risk: float
    max_risk: MergeByMax
    records: int
    known_classes: MergeByMax
    """The number of classes if the sizes do not determine it, else -1."""
    weighted: MergeByMax

    @property
    def reciprocal_sum(self) -> float:
        """Σ 1/f over records: the number of classes, unless wildcards make sizes overlap."""
        return float((self.counts.counts / self.counts.keys).sum())

    @property
    def n_classes(self) -> int:
        return round(self.reciprocal_sum) if self.known_classes < 0 else int(self.known_classes)

    @property
    def expected_hits(self) -> float:
        return self.total_risk if self.weighted else self.reciprocal_sum

    def records_below(self, size: float) -> int:
        """The number of records in classes smaller than this."""
        return int(self.counts.counts[self.counts.keys < size].sum())


def class_size_sums(block: EquivalenceClasses) -> ClassSizeSums:
    """Partial sums of a block, by class size in the whole table."""
    return ClassSizeSums(
        counts=KeyedCounts.of(block.sizes),
        total_risk=float(block.risk.sum()),
        max_risk=MergeByMax(block.risk.max()),
        records=block.records,
        known_classes=MergeByMax(-1 if block.n_classes is None else block.n_classes),
        weighted=MergeByMax(block.weighted_sizes is not None),
    )


def released_class_size_sums(block: MetricInputs) -> ClassSizeSums:
    """Partial sums of the released classes of a block, for losses."""
    return class_size_sums(block.released_classes)


@loss(
    name="c_avg",
    label="mean class size / k",
    formula="n / (number of classes · k)",
    range="1 and up for a release that keeps its promise",
    good="near 1",
    reference="LeFevre, DeWitt and Ramakrishnan (2006), Mondrian multidimensional k-anonymity, ICDE",
    sentence="The mean class size as a multiple of k: {figure}.",
    headline=True,
    partial=released_class_size_sums,
)
def c_avg(sums: ClassSizeSums, facts: TableFacts) -> float | None:
    """Mean class size as a multiple of k."""
    # with wildcards there are no disjoint classes
    return None if facts.k is None or sums.known_classes >= 0 else sums.records / (sums.n_classes * facts.k)


class DiscernibilitySums(NamedTuple):
    """The sum of the class sizes over records, and the number of suppressed records."""

    sizes: float
    suppressed: int


def discernibility_sums(block: MetricInputs) -> DiscernibilitySums:
    """Partial sums of a block."""
    suppressed = np.zeros(block.records, dtype=np.bool_) if block.suppressed is None else block.suppressed
    return DiscernibilitySums(float(block.released_classes.sizes[~suppressed].sum()), int(suppressed.sum()))


@loss(
    name="discernibility",
    label="discernibility",
    formula="Σ over classes of size², and n for every suppressed record",
    range="n to n²",
    good="low",
    reference="Bayardo and Agrawal (2005), Data privacy through optimal k-anonymization, ICDE",
    sentence="The records that each record cannot be told from add up to {figure}.",
    partial=discernibility_sums,
)
def discernibility(sums: DiscernibilitySums, facts: TableFacts) -> float | None:
    """Sum over records of the number of records that it is indistinguishable from."""
    return to_builtin(sums.sizes + sums.suppressed * facts.records)


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

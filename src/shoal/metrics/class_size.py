"""Class size counts that several risks and losses share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import to_builtin
from shoal.metrics.inputs import EquivalenceClasses, MetricInputs, TableFacts
from shoal.metrics.partial_sums import KeyedCounts, MergeByMax
from shoal.metrics.registry import loss


class ClassSizeSums(NamedTuple):
    """The number of records by class size, and their individual risks."""

    counts: KeyedCounts
    total_risk: float
    max_risk: MergeByMax
    records: int
    known_classes: MergeByMax
    """The number of classes if the sizes do not determine it, else -1."""
    weighted: MergeByMax
    """Whether the records have sampling weights."""

    @property
    def reciprocal_sum(self) -> float:
        """Σ 1/f over records: the number of classes, unless wildcards make sizes overlap."""
        return float((self.counts.counts / self.counts.keys).sum())

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return round(self.reciprocal_sum) if self.known_classes < 0 else int(self.known_classes)

    @property
    def expected_hits(self) -> float:
        """The sum of the individual risks."""
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

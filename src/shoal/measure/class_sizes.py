"""Class size counts that several risks and losses share."""

from __future__ import annotations

from typing import NamedTuple

from shoal.measure.pair import EquivalenceClasses, MetricInputs
from shoal.measure.sums import KeyedCounts, MergeByMax


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

"""Interface of the engines that run a release out of core.

The pipeline in `shoal.release.out_of_core` calls the methods in their order. Each step can be retried after a fault, and an engine
may reuse finished work: the same table, options and seed always give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from shoal.data import BrokenDependency
from shoal.data.chunked import Encoder, Occurrence, TableStatistics
from shoal.domain import Progress, Verification
from shoal.engines.plan import ReleasePlan
from shoal.metrics.combine_parts import ClassSizeCounts, PartialSums
from shoal.metrics.partial_sums import KeyedCounts

LOCAL, SPARK = "local", "spark"
ENGINES = (LOCAL, SPARK)
P = TypeVar("P", contravariant=True)
"""Where an engine writes a release before the commit: a file, or a folder of a cluster."""


class PartTotals(NamedTuple):
    """Totals over all parts."""

    n_parts: int
    largest_part: int
    """Records of the largest part."""
    original_class_sizes: KeyedCounts
    """Number of classes of the original table of each size."""
    group_sizes: KeyedCounts
    """Number of groups of each size."""
    n_suppressed: int
    """Number of suppressed records."""
    notes: tuple[str, ...]
    """Notes of methods that choose their own settings."""
    squared_errors: tuple[float, float] | None
    """Squared error before and after local search; None without local search."""


class Engine(Protocol[P]):
    """Runs the steps of a release pipeline."""

    formulas: Mapping[str, int]
    """Number of cells of each column of the written release that a spreadsheet would evaluate; empty before `write`."""
    broken_dependencies: Sequence[BrokenDependency]
    """Functional dependencies between columns that the written release breaks; empty before `write`."""

    def profile(self, *, progress: Progress) -> TableStatistics:
        """Compute the statistics of the table in one pass."""

    def out_of_bounds(
        self, statistics: TableStatistics, encoder: Encoder, name: str, *, bounds: tuple[float, float]
    ) -> Occurrence:
        """Locate the numbers of a column outside its bounds."""

    def partition(self, plan: ReleasePlan, *, progress: Progress) -> None:
        """Partition the records into parts."""

    def process(self, plan: ReleasePlan, *, progress: Progress) -> PartTotals:
        """Group and recode the records of every part."""

    def write(self, plan: ReleasePlan, destination: P, *, progress: Progress) -> Sequence[PartialSums]:
        """Write the release, in table order unless it is shuffled; return the partial sums of the metrics."""

    def verify(self, plan: ReleasePlan, destination: P, *, progress: Progress) -> tuple[Verification, ClassSizeCounts]:
        """Read the written release back and count its classes; shares no code with the methods."""

"""Interface of the engines that run a release out of core.

The pipeline in `shoal.release.out_of_core` calls the methods in their order. Each step can be retried after a fault,
and an engine may reuse finished work: the same table, options and seed always give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from shoal.data import BrokenDependency, Encoder
from shoal.data.chunked import Occurrence, TableStatistics
from shoal.domain import IntVector, Progress, Verification
from shoal.engines.plan import PartResult, ReleasePlan
from shoal.errors import PromiseError
from shoal.metrics.evaluate import ClassSizeCounts, PartialSums
from shoal.metrics.partial_sums import KeyedCounts, merge_partials

LOCAL, SPARK = "local", "spark"
ENGINES = (LOCAL, SPARK)
P = TypeVar("P", contravariant=True)
"""Where an engine writes a release before the commit: a file, or a folder of a cluster."""
PartSummary = dict[str, Any]
"""Summary of a processed part, serializable as JSON."""


class PartTotals(NamedTuple):
    """Totals over all parts."""

    n_parts: int
    largest_part: int
    original_class_sizes: KeyedCounts
    """Number of classes of the original table of each size."""
    group_sizes: KeyedCounts
    """Number of groups of each size."""
    n_suppressed: int
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
        self, statistics: TableStatistics, encoder: Encoder, name: str, bounds: tuple[float, float]
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


def summarize_part(result: PartResult) -> PartSummary:
    """Summarize a part."""
    return {
        "records": result.records,
        "original_class_sizes": _to_json(result.original_class_sizes),
        "group_sizes": _to_json(result.group_sizes),
        "n_suppressed": result.n_suppressed,
        "notes": list(result.notes),
        "squared_errors": None if result.search is None else [result.search.before, result.search.after],
    }


def merge_summaries(summaries: Sequence[PartSummary]) -> PartTotals:
    """Merge the summaries of all parts, given in order."""
    errors = [part["squared_errors"] for part in summaries if part["squared_errors"] is not None]
    return PartTotals(
        n_parts=len(summaries),
        largest_part=max(part["records"] for part in summaries),
        original_class_sizes=_merge_counts([part["original_class_sizes"] for part in summaries]),
        group_sizes=_merge_counts([part["group_sizes"] for part in summaries]),
        n_suppressed=sum(part["n_suppressed"] for part in summaries),
        notes=tuple(dict.fromkeys(note for part in summaries for note in part["notes"])),
        squared_errors=(sum(before for before, _ in errors), sum(after for _, after in errors)) if errors else None,
    )


def _to_json(sizes: IntVector) -> dict[str, list[int]]:
    counts = KeyedCounts.of(sizes)
    return {"sizes": counts.keys.tolist(), "counts": counts.counts.tolist()}


def _merge_counts(parts: Sequence[dict[str, list[int]]]) -> KeyedCounts:
    return merge_partials([KeyedCounts(np.array(part["sizes"]), np.array(part["counts"])) for part in parts])


def check_count(records: int, expected: int) -> None:
    """Raise if records were lost or duplicated."""
    if records != expected:
        raise PromiseError.unexpected_content(f"{records:,} records instead of {expected:,}")

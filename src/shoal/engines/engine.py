"""Interface of the engines that run a release: in memory, out of core on this machine, or on Spark.

The pipeline in `shoal.release.pipeline` calls the methods in their order. Out of core, each step can be retried after a
fault, and an engine may reuse finished work: the same table, options and seed always give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from shoal.data import BrokenDependency, Table
from shoal.domain import ColumnProfile, Evaluation, Kind, Policy, Progress, Search, Verification
from shoal.engines.plan import ReleasePlan
from shoal.metrics.partial_sums import KeyedCounts

LOCAL, SPARK = "local", "spark"
ENGINES = (LOCAL, SPARK)


class TableProfile(Protocol):
    """What a policy and a plan need to know about a table."""

    @property
    def records(self) -> int:
        """Number of records."""

    @property
    def sample(self) -> Table:
        """Some records, or the whole table."""

    def kinds(self) -> tuple[tuple[str, Kind], ...]:
        """Return the kinds of the columns."""

    def column_profiles(self) -> tuple[ColumnProfile, ...]:
        """Return the profiles of the columns."""


@dataclass(frozen=True, kw_only=True)
class ProcessTotals:
    """Totals over all processed records."""

    group_sizes: KeyedCounts
    """Number of groups of each size."""
    n_suppressed: int
    notes: tuple[str, ...]
    """Notes of methods that choose their own settings."""
    search: Search | None
    """Local search; None if the groups of the method are final."""


@dataclass(frozen=True, kw_only=True)
class WrittenTable:
    """What is known of a release that is written and not yet verified."""

    formulas: Mapping[str, int] = field(default_factory=dict)
    """Number of cells of each column that a spreadsheet would evaluate."""
    broken_dependencies: Sequence[BrokenDependency] = ()
    """Functional dependencies between columns that the release breaks."""
    has_informative_index: bool = False
    in_order: bool = True
    """Whether the rows are in the order of the table, unless they are shuffled."""


S = TypeVar("S", bound=TableProfile)
R = TypeVar("R", bound=ReleasePlan)
P = TypeVar("P", contravariant=True)
"""Where an engine writes a release before the commit: a file, a folder of a cluster, or None in memory."""


class Engine(Protocol[S, R, P]):
    """Runs the steps of a release pipeline."""

    supports_wildcards: bool
    """Whether missing values may be wildcards; the pipeline refuses them otherwise."""
    stages: Mapping[str, float]
    """Fraction of the progress per step."""

    def profile(self, *, progress: Progress) -> S:
        """Compute the profile of the table in one pass."""

    def plan(self, profile: S, policy: Policy) -> R:
        """Derive the plan from the profile and the policy; raise if the table cannot be released so."""

    def partition(self, plan: R, *, progress: Progress) -> None:
        """Partition the records into parts."""

    def process(self, plan: R, *, progress: Progress) -> ProcessTotals:
        """Group and recode the records of every part."""

    def write(self, plan: R, destination: P, *, progress: Progress) -> WrittenTable:
        """Write the release, in table order unless it is shuffled."""

    def verify(self, plan: R, destination: P, *, progress: Progress) -> Verification:
        """Read the written release back and count its classes; shares no code with the methods."""

    def evaluate(self, plan: R, proof: Verification) -> Evaluation:
        """Evaluate information loss and disclosure risk of the verified release."""

"""Release in files, made out of core."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shoal.data import ReadOptions
from shoal.domain import Evaluation, Policy, Progress, Search, Verification
from shoal.engines.part_totals import PartTotals
from shoal.engines.parts_plan import PartsPlan
from shoal.errors.deprecation import deprecated_property
from shoal.errors.messages import pluralize
from shoal.metrics.evaluate import ClassSizeCounts
from shoal.metrics.partial_sums import KeyedCounts
from shoal.release.base_release import BaseRelease
from shoal.release.pipeline import PipelineResult
from shoal.release.save import ExtraFiles

if TYPE_CHECKING:
    from shoal.engines.local import LocalEngine
    from shoal.engines.spark.engine import SparkEngine


@dataclass(frozen=True, eq=False)
class FileRelease(BaseRelease):
    """Release in files, as returned by `shoal.anonymize_file`, verified on the written files."""

    path: Path | str
    """The released file, or the address of a folder written by Spark."""
    verification: Verification
    evaluation: Evaluation
    policy: Policy
    parts: PartTotals
    released_class_sizes: KeyedCounts
    """Number of classes of each size."""
    missing: Mapping[str, int]
    """Number of missing values of each quasi-identifier."""
    warnings: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on how the groups were made, beyond the name of the method."""
        several = f"{pluralize(self.parts.n_parts, 'piece')} of at most {pluralize(self.parts.largest_part, 'record')}"
        return (f"The table was worked on in {several}.", *self.parts.notes)

    @property
    def search(self) -> Search | None:
        """Local search in all parts together."""
        return self.parts.search

    @property
    def group_sizes(self) -> KeyedCounts:
        """Number of groups of each size."""
        return self.parts.group_sizes

    @property
    def n_suppressed(self) -> int:
        """Number of suppressed records."""
        return self.parts.n_suppressed

    @property
    def missing_counts(self) -> Mapping[str, int]:
        """Number of missing values of each quasi-identifier."""
        return self.missing

    @property
    def records_by_class_size(self) -> tuple[KeyedCounts, KeyedCounts]:
        """Number of records in classes of each size, before and after."""
        before, after = (
            KeyedCounts(sizes.keys, sizes.keys * sizes.counts)
            for sizes in (self.parts.original_class_sizes, self.released_class_sizes)
        )
        return before, after

    account = deprecated_property("account", "notes")

    def __repr__(self) -> str:
        proof = self.verification
        return (
            f"FileRelease(path={str(self.path)!r}, k={proof.k}, method={self.policy.method!r},"
            f" records={proof.records}, pieces={self.parts.n_parts}, classes={proof.classes},"
            f" smallest={proof.min_class}, verified={proof.ok})"
        )


DEFAULT_MEMORY = "2GB"
"""Default memory limit."""


class FileJob(NamedTuple):
    """Where a release is read and written, and how."""

    source: str | os.PathLike[str]
    target: str | os.PathLike[str]
    memory: int | str
    scratch: str | os.PathLike[str] | None
    force: bool
    progress: Progress | None
    extra_files: Callable[[FileRelease], ExtraFiles] | None
    options: ReadOptions | None
    """How to read the file; only on this machine."""
    master: str | None
    """Address of a Spark cluster."""


def file_release(
    engine: LocalEngine | SparkEngine, result: PipelineResult[PartsPlan], policy: Policy, path: Path | str
) -> FileRelease:
    """Return the release that an engine wrote out of core."""
    encoder = result.plan.encoder
    return FileRelease(
        path=path,
        verification=result.proof,
        evaluation=result.evaluation,
        policy=policy,
        parts=engine.totals,
        released_class_sizes=ClassSizeCounts.of(engine.sums.class_sizes).counts,
        missing={name: encoder.missing_counts.get(name, 0) for name in encoder.names},
        warnings=result.warnings,
    )

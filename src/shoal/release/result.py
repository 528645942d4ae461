"""Result of `shoal.anonymize`: the released table with its verification, measures and policy."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal import data
from shoal.data import ComparedRows, Table
from shoal.domain import Evaluation, Partition, Policy, Search, Verification
from shoal.domain.display import Displayable, DisplayTable
from shoal.engines.memory import RowMetadata
from shoal.errors import in_python
from shoal.errors.messages import shorten
from shoal.metrics import MetricInputs, evaluate
from shoal.metrics.partial_sums import KeyedCounts
from shoal.release.arguments import public_function
from shoal.release.base_release import BaseRelease
from shoal.release.save import ExtraFiles, ReleaseTransaction, check_path, check_release_paths, policy_path, read_back
from shoal.report.format import format_brief, headline_measures, label_with_unit
from shoal.system.scratch import remove_abandoned, scratch_path
from shoal.verification.verify import verify_release


@dataclass(frozen=True, eq=False)
class Release(Displayable, BaseRelease):
    """The result of `shoal.anonymize`, verified on its released values."""

    original: Table
    """The input. Only outputs for internal use contain values of it."""
    released: Table
    partition: Partition
    """Groups of the records, in the order of the original even if the released rows are shuffled."""
    evaluation: Evaluation
    verification: Verification
    policy: Policy
    metric_inputs: MetricInputs
    """The original and the released table as inputs of the measures."""
    row_metadata: RowMetadata = field(default_factory=RowMetadata)
    """Strata, households, suppression and original row of the released rows."""
    warnings: tuple[str, ...] = ()
    replayed_policy: Policy | None = None
    """Policy that this release repeats; the same input must give the same bytes."""

    def evaluate(self, measures: str | Iterable[str] = "all") -> Evaluation:
        """Compute further measures: all, or those that are named."""
        return self._all if measures == "all" else self._evaluated(measures)

    @cached_property
    def _all(self) -> Evaluation:
        return self._evaluated("all")

    def _evaluated(self, measures: str | Iterable[str]) -> Evaluation:
        before = self.evaluation
        return evaluate(self.metric_inputs, which=measures, notes=before.notes, models=before.models)

    def full_evaluation(self) -> Evaluation:
        """Return the evaluation with every measure."""
        return self._all

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on how the groups were made, beyond the name of the method."""
        return self.partition.account

    @property
    def search(self) -> Search | None:
        """Local search; None if the groups of the method are final."""
        return self.partition.search

    @property
    def group_sizes(self) -> KeyedCounts:
        """Number of groups of each size."""
        return KeyedCounts.of(self.partition.sizes)

    @property
    def n_suppressed(self) -> int:
        """Number of suppressed records."""
        return self.partition.n_suppressed

    @property
    def missing_counts(self) -> dict[str, int]:
        """Number of missing values of each quasi-identifier."""
        names = self.policy.schema.quasi_identifiers
        return dict(zip(names, data.missing_mask(self.original, names).sum(axis=0).tolist(), strict=True))

    @property
    def records_by_class_size(self) -> tuple[KeyedCounts, KeyedCounts]:
        """Number of records in classes of each size, before and after."""
        inputs = self.metric_inputs
        return KeyedCounts.of(inputs.original_classes.sizes), KeyedCounts.of(inputs.released_classes.sizes)

    @property
    def _files(self) -> tuple[Path | None, ...]:
        return (self.released.path,)

    @property
    def table(self) -> Any:
        """The released table, of the type of the input; a polars frame for a file."""
        return self.released.native()

    def compare_rows(self, rows: int = 5) -> Any:
        """A few records before and after, side by side, as a polars frame of text. For internal use.

        It shows original values. The records are from different groups, and the same each time.
        """
        return self.row_comparison(rows).to_frame()

    def row_comparison(self, rows: int = 5) -> ComparedRows:
        """The rows of `compare_rows` as names and lists of text. For internal use."""
        return data.compare_rows(
            self.original,
            self.released,
            quasi_identifiers=self.policy.schema.quasi_identifiers,
            groups=self.partition.labels,
            released_order=self.row_metadata.order,
            rows=rows,
        )

    @public_function()
    def save(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        extra_files: Callable[[Policy], ExtraFiles] | None = None,
    ) -> Policy:
        """Write the release and, beside it, its policy (``NAME.policy.toml``).

        The files are written to temporary names first. The release is then read back and verified, and only after that
        all files get their names, in one transaction.

        Parameters
        ----------
        path : path
            The file of the release; its ending determines the format.
        force : bool
            Overwrite existing files.
        extra_files : callable, optional
            Returns further files, such as a report, from the final policy. They are part of the transaction.

        Returns
        -------
        Policy
            The policy with the facts about the file.
        """
        target = check_path(path)
        check_release_paths([target, policy_path(target)], sources=[self.released.path], force=force)
        with ReleaseTransaction(target, force=force) as files:
            hidden = files.create_release()
            data.write_table(self.released, hidden, formulas=self.policy.formulas)
            table, known = read_back(hidden, self.policy)
            proof = verify_release(
                table,
                policy=known,
                records=self.released.height,
                design=self.row_metadata.design,
                suppressed=self.row_metadata.suppressed,
            )
            policy = files.final_policy(self.policy, proof, sha256=table.sha256, replayed=self.replayed_policy)
            files.commit_release(policy, proof, extra_files(policy) if extra_files else {})
        remove_abandoned(scratch_path(target))
        return policy

    def __repr__(self) -> str:
        proof, evaluation = self.verification, self.evaluation.loss
        losses = {name: evaluation[name] for name in ("information_loss", "semantic_loss")}
        loss_text = "".join(f" {name}={value:.4g} %," for name, value in losses.items() if value is not None)
        search = self.partition.search
        refined = "" if search is None else f" refined={search.effort!r},"
        facts = (
            f"Release(k={proof.k}, method={self.policy.method!r},{refined} records={proof.records},"
            f" classes={proof.classes}, smallest={proof.min_class},{loss_text} verified={proof.ok})"
        )
        return "\n".join([facts, *(f"  warning: {in_python(sentence)}" for sentence in self.warnings)])

    @property
    def _display(self) -> DisplayTable:
        proof, evaluation = self.verification, self.evaluation.to_dict()
        before, after = evaluation["risk"]["before"], evaluation["risk"]["after"]
        rows = [
            [label_with_unit(risk), format_brief(before[risk.name]), format_brief(after[risk.name])]
            for risk in headline_measures("risk", after)
        ]
        rows += [
            [label_with_unit(loss), "", format_brief(evaluation["loss"][loss.name])]
            for loss in headline_measures("loss", evaluation["loss"])
        ]
        rows += [
            [f"loss of {shorten(name)} (%)", "", format_brief(loss)] for name, loss in evaluation["columns"].items()
        ]
        notes = [*self.partition.notes, *(f"Warning: {in_python(sentence)}" for sentence in self.warnings)]
        return DisplayTable(
            f"{proof.verdict} ({self.policy.method})", ("", "before", "after"), rows, ok=proof.ok, notes=notes
        )

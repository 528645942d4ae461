"""Result of `shoal.anonymize`: the released table with its verification, measures and policy."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from shoal import data
from shoal.data import ComparedRows, Table
from shoal.domain import BoolVector, Evaluation, IntVector, Partition, Policy, SurveyDesign, Verification
from shoal.domain.display import Displayable, DisplayTable
from shoal.errors import in_python
from shoal.errors.messages import shorten
from shoal.metrics import MetricInputs, evaluate
from shoal.release.arguments import public_function
from shoal.release.save import (
    ExtraFiles,
    check_output_paths,
    check_path,
    check_release_paths,
    policy_path,
    read_back,
    release_files,
)
from shoal.report import html_report
from shoal.report.external import external_facts
from shoal.report.format import format_brief, headline_measures, label_with_unit
from shoal.report.summary import report_facts
from shoal.system.scratch import remove_abandoned, scratch_path
from shoal.system.transaction import write_file
from shoal.verification.verify import verify_release


@dataclass(frozen=True, eq=False, repr=False)
class RowMetadata:
    """What verification must know about the rows of a release beyond their values."""

    design: SurveyDesign = field(default_factory=SurveyDesign)
    """Strata and households of the rows."""
    suppressed: BoolVector | None = None
    """Mask of the suppressed rows."""
    order: IntVector | None = None
    """Row in the original of each released row; None if the order is the same."""

    def reorder(self, order: IntVector | None) -> RowMetadata:
        """Reorder to these rows; no change if ``order`` is None."""
        if order is None:
            return self
        return RowMetadata(self.design.take(order), None if self.suppressed is None else self.suppressed[order], order)


@dataclass(frozen=True, eq=False)
class Release(Displayable):
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

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        external: bool = False,
        comparison: Any = None,
        policy: Policy | None = None,
        force: bool = False,
    ) -> str:
        """Render the report with every measure as one HTML file.

        The report contains values of the original data and is for internal use, unless ``external`` is true: then it
        contains only what you can publish.

        Parameters
        ----------
        path : path, optional
            Where to write the report.
        external : bool
            Whether the report is for external readers.
        comparison : Comparison, optional
            A result of `shoal.compare`, shown in the report.
        policy : Policy, optional
            The policy that `save` returned, with the facts about the released file.
        force : bool
            Overwrite an existing file.

        Returns
        -------
        str
            The HTML.
        """
        facts = report_facts(
            self,
            policy=policy,
            evaluation=self.evaluate("all"),
            comparison=comparison.to_dict() if hasattr(comparison, "to_dict") else comparison,
        )
        text = html_report.page(external_facts(facts) if external else facts)
        if path is not None:
            target = check_path(path)
            check_output_paths([target], sources=[self.released.path], force=force)
            write_file(target, text, force=force)
        return text

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
        with release_files(target, force=force) as files:
            data.write_table(self.released, files.hidden, formulas=self.policy.formulas)
            table, known = read_back(files.hidden, self.policy)
            proof = verify_release(
                table,
                policy=known,
                records=self.released.height,
                design=self.row_metadata.design,
                suppressed=self.row_metadata.suppressed,
            )
            policy = files.final_policy(self.policy, proof, sha256=table.sha256, replayed=self.replayed_policy)
            files.commit(policy, proof, extra_files(policy) if extra_files else {})
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

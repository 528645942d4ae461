"""What releases in memory, in files and on Spark have in common: facts and reports."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.domain import Evaluation, Policy, Search, Verification
from shoal.metrics import MetricInputs
from shoal.metrics.partial_sums import KeyedCounts
from shoal.release.save import check_output_paths, check_path
from shoal.report import html_report
from shoal.report.external import external_facts
from shoal.report.summary import report_facts
from shoal.system.transaction import write_file


class BaseRelease(ABC):
    """A verified release."""

    policy: Policy
    verification: Verification
    evaluation: Evaluation
    warnings: tuple[str, ...]
    metric_inputs: MetricInputs | None = None
    """The original and the released records as inputs of the measures; None out of core."""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """Notes on how the groups were made, beyond the name of the method."""

    @property
    @abstractmethod
    def search(self) -> Search | None:
        """Local search; None if the groups of the method are final."""

    @property
    @abstractmethod
    def group_sizes(self) -> KeyedCounts:
        """Number of groups of each size."""

    @property
    @abstractmethod
    def n_suppressed(self) -> int:
        """Number of suppressed records."""

    @property
    @abstractmethod
    def missing_counts(self) -> Mapping[str, int]:
        """Number of missing values of each quasi-identifier."""

    @property
    @abstractmethod
    def records_by_class_size(self) -> tuple[KeyedCounts, KeyedCounts]:
        """Number of records in classes of each size, before and after."""

    def full_evaluation(self) -> Evaluation:
        """Return the evaluation with every measure that can be computed."""
        return self.evaluation

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
            comparison=comparison.to_dict() if hasattr(comparison, "to_dict") else comparison,
        )
        text = html_report.page(external_facts(facts) if external else facts)
        if path is not None:
            target = check_path(path)
            check_output_paths([target], sources=self._files, force=force)
            write_file(target, text, force=force)
        return text

    @property
    def _files(self) -> tuple[Path | None, ...]:
        """Files that an output must not replace."""
        return ()

"""Plan of a release: what is computed for its records, whatever the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shoal import data, metrics, recode
from shoal.data import Encoder, Table
from shoal.domain import (
    BoolVector,
    FloatVector,
    Partition,
    Policy,
    Precision,
    Progress,
    Records,
    Refinement,
    SurveyDesign,
    no_progress,
)
from shoal.metrics.inputs import EquivalenceClasses
from shoal.microaggregation.group import GroupingTask, group
from shoal.recode.recode import ReleasedColumn


class ProcessedRecords(NamedTuple):
    """Groups of records, and the value that each group releases."""

    groups: Partition
    columns: dict[str, ReleasedColumn]
    """Released columns by quasi-identifier."""
    intervals: dict[str, tuple[FloatVector, FloatVector]]
    """Lower and upper ends of the released intervals by column."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ReleasePlan:
    """Policy of a release and everything derived from it and from the profile of the table."""

    policy: Policy
    """The schema has the recoding of every quasi-identifier."""
    encoder: Encoder

    def group_and_recode(
        self,
        records: Records,
        *,
        design: SurveyDesign,
        precisions: Callable[[Records, BoolVector | None], Mapping[str, Precision]],
        refinement: Refinement | None,
        progress: Progress = no_progress,
    ) -> ProcessedRecords:
        """Group the records and recode their quasi-identifiers."""
        policy, always_suppressed = self.policy, None
        task = GroupingTask(
            policy.k,
            policy.method,
            policy.seed,
            policy.method_options,
            policy.suppression,
            policy.survey.largest_household,
            refinement,
            policy.blocks,
        )
        if policy.missing == "suppress" and records.missing is not None:
            always_suppressed = np.asarray(records.missing.any(axis=1), dtype=np.bool_)
        groups = group(records, task, design=design, always_suppressed=always_suppressed, progress=progress)
        if policy.missing == "wildcard":  # where they would split a group into classes that violate a model or stratum
            all_groups = bool(policy.models or policy.survey.households or policy.survey.strata)
            records = recode.equalize_missing(records, groups, alpha=policy.alpha, all_groups=all_groups)
        columns = recode.recode(
            records,
            groups,
            recodings={column.name: column.recode for column in policy.schema.columns},
            precisions=precisions(records, groups.suppressed),
            keep_totals=policy.keep_totals,
            weights=design.sampling_weights,
            missing=policy.missing,
            suppressed=groups.suppressed,
        )
        return ProcessedRecords(groups, columns, recode.interval_bounds(records, groups, columns))

    def metric_inputs(
        self,
        original: Table,
        released: Table,
        records: Records,
        *,
        columns: Mapping[str, ReleasedColumn],
        intervals: Mapping[str, tuple[FloatVector, FloatVector]],
        classes: tuple[EquivalenceClasses, EquivalenceClasses],
        means: Mapping[str, float] | None = None,
        **known: Any,
    ) -> metrics.MetricInputs:
        """Return the metric inputs of records, whose classes before and after are given.

        ``means`` and ``known`` are what follows from the whole table if these are the records of a part.
        """
        numbers = recode.as_numbers(records, columns, intervals, means)
        categorical = [column.name for column in records.categories]
        missing = records.missing
        return metrics.MetricInputs(
            quasi_identifiers=records.names,
            original_classes=classes[0],
            released_classes=classes[1],
            numeric=records.numeric,
            dates=records.dates,
            original_values=tuple(records.values.T),
            released_values=tuple(numbers.values.T),
            scale=records.scale,
            original_missing=None if missing is None else missing[:, [records.names.index(n) for n in records.numeric]],
            released_missing=numbers.missing,
            released_intervals=intervals,
            categories=records.categories,
            original_codes=records.codes,
            released_codes=recode.as_nodes(records, columns),
            original_codes_missing=data.missing_mask(original, categorical),
            released_codes_missing=data.missing_mask(released, categorical),
            weights=self.policy.weights,
            suppressed=data.fully_suppressed(released, records.names),
            distance=self.policy.distance,
            **known,
        )

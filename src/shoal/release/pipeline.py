"""Release pipeline in memory: encode, group, recode, verify, evaluate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from shoal import data, metrics
from shoal.data import Table
from shoal.domain import (
    ModelConstraints,
    Partition,
    Policy,
    Progress,
    Records,
    Refinement,
    Role,
    Schema,
    Search,
    SurveyDesign,
    no_progress,
)
from shoal.errors import FileError, warn_user
from shoal.errors.messages import pluralize
from shoal.microaggregation.group import GroupingTask, group
from shoal.recode import as_nodes, as_numbers, equalize_missing, precisions
from shoal.recode import recode as recode_groups
from shoal.release.options import ParsedOptions, check_table, parse_options
from shoal.release.partition import add_losses
from shoal.release.result import Release, RowMetadata
from shoal.release.save import package_versions, printable_name
from shoal.release.warnings import collect_warnings
from shoal.verification.verify import verify_release


class MemoryPlan(NamedTuple):
    """Plan of a release in memory: the encoded table, and the options of method and recoding."""

    records: Records
    design: SurveyDesign
    options: ParsedOptions

    @property
    def schema(self) -> Schema:
        """Every quasi-identifier has its recoding."""
        return self.options.schema


def plan_in_memory(table: Table, policy: Policy) -> MemoryPlan:
    """Encode a table for the methods by its policy. Raises if no method could take it."""
    options, survey = parse_options(policy), policy.survey
    schema = options.schema
    records = data.encode_records(
        table,
        schema,
        standardize=options.standardize,
        distance=options.distance,
        weights=policy.weights,
        missing=policy.missing,
    )
    data.check_bounds(records, policy.bounds)
    design = data.build_survey_design(
        table, sampling_weights=survey.sampling_weights, strata=survey.strata, households=survey.households
    )
    if policy.models:
        records = replace(records, constraints=_model_constraints(table, policy, schema, design))
    return MemoryPlan(records, design, options)


def run(table: Table, policy: Policy, *, progress: Progress | None = None, is_replay: bool = False) -> Release:
    """Run the release pipeline: profile, plan, partition, recode, verify, evaluate."""
    profiles = check_table(policy, table, is_replay=is_replay)
    plan = plan_in_memory(table, policy)
    policy = replace(policy, schema=plan.schema)

    groups = _partition(plan, policy, progress or no_progress)
    columns = _recode(table, plan, groups, policy)
    unshuffled = data.replace_columns(table, plan.schema, columns)
    order = data.shuffled_order(unshuffled, seed=policy.seed) if policy.shuffle else None
    released = unshuffled if order is None else data.take(unshuffled, order)

    rows = RowMetadata(plan.design, groups.suppressed).reorder(order)
    proof = verify_release(
        released, policy=policy, records=table.height, design=rows.design, suppressed=rows.suppressed
    )
    inputs = _metric_inputs(table, unshuffled, plan, groups, columns, policy)
    evaluation = metrics.evaluate(inputs, models=proof.models)
    warnings = collect_warnings(
        policy,
        profiles=profiles,
        missing_counts=_missing_counts(plan.records),
        suppressed=groups.n_suppressed,
        evaluation=evaluation,
        search=groups.search,
        has_informative_index=data.has_informative_index(released),
        formulas=data.count_formulas(released),
        spelling_variants=data.count_spelling_variants(plan.records.categories),
        broken_dependencies=data.broken_dependencies(table, unshuffled, plan.schema),
        doubts=data.find_misread_columns(table),
        is_typed=data.has_column_types(table),
    )
    for sentence in warnings:
        warn_user(sentence)
    refinement = _with_steps(policy.refinement, groups.search)
    return Release(
        original=table,
        released=released,
        partition=add_losses(groups, plan.records),
        evaluation=evaluation,
        verification=proof,
        policy=replace(policy, refinement=refinement, input=_input_facts(table), versions=package_versions()),
        row_metadata=rows,
        metric_inputs=inputs,
        warnings=warnings,
    )


def _partition(plan: MemoryPlan, policy: Policy, progress: Progress) -> Partition:
    task = GroupingTask(
        policy.k,
        policy.method,
        policy.seed,
        plan.options.method_options,
        policy.suppression,
        policy.survey.largest_household,
        policy.refinement,
        policy.blocks,
    )
    missing, suppressed = plan.records.missing, None
    if policy.missing == "suppress" and missing is not None:
        suppressed = np.asarray(missing.any(axis=1), dtype=np.bool_)
    return group(plan.records, task, design=plan.design, always_suppressed=suppressed, progress=progress)


def _recode(table: Table, plan: MemoryPlan, groups: Partition, policy: Policy) -> dict[str, Any]:
    records, survey = plan.records, policy.survey
    if policy.missing == "wildcard":  # where they would split a group into classes that violate a model, or its stratum
        all_groups = bool(policy.models or survey.households or survey.strata)
        records = equalize_missing(records, groups, alpha=policy.alpha, all_groups=all_groups)
    return recode_groups(
        records,
        groups,
        recodings={column.name: column.recode for column in plan.schema.columns},
        precisions=precisions(plan.options.rounding, table, records, groups.suppressed),
        keep_totals=plan.options.keep_totals,
        weights=plan.design.sampling_weights,
        missing=policy.missing,
        suppressed=groups.suppressed,
    )


def _metric_inputs(
    table: Table, released: Table, plan: MemoryPlan, groups: Partition, columns: Mapping[str, Any], policy: Policy
) -> metrics.MetricInputs:
    records, missing = plan.records, plan.records.missing
    count = partial(
        metrics.count_classes,
        names=records.names,
        k=policy.k,
        missing=policy.missing,
        alpha=policy.alpha,
        design=plan.design,
    )
    numbers = as_numbers(records, groups, columns)
    bound = None if groups.search is None or groups.n_suppressed else groups.search.bound
    sensitive = [column for column in plan.schema.columns if column.role is Role.SENSITIVE]
    categorical = [column.name for column in records.categories]
    return metrics.MetricInputs(
        quasi_identifiers=records.names,
        original_classes=count(table),
        released_classes=count(released, suppressed=groups.suppressed),
        numeric=records.numeric,
        dates=records.dates,
        original_values=tuple(records.values.T),
        released_values=tuple(numbers.values.T),
        scale=records.scale,
        original_missing=None if missing is None else missing[:, [records.names.index(n) for n in records.numeric]],
        released_missing=numbers.missing,
        released_intervals=numbers.bounds,
        categories=records.categories,
        original_codes=records.codes,
        released_codes=as_nodes(records, columns),
        original_codes_missing=data.missing_mask(table, categorical),
        released_codes_missing=data.missing_mask(released, categorical),
        weights=policy.weights,
        suppressed=data.fully_suppressed(released, records.names),
        sensitive=data.sensitive_columns(table, sensitive),
        sampling_weights=plan.design.sampling_weights,
        distance=plan.options.distance,
        lower_bound=None if bound is None else bound.value,
    )


def _model_constraints(table: Table, policy: Policy, schema: Schema, design: SurveyDesign) -> ModelConstraints:
    """Model constraints of the groups. Raises if the table, or a stratum of it, cannot meet them."""
    constraints = data.encode_constraints(table, policy.models, schema)
    data.check_feasible(constraints, policy.models)
    if design.strata is not None:
        for rows in np.split(np.argsort(design.strata, kind="stable"), np.cumsum(np.bincount(design.strata))[:-1]):
            where = f"a stratum of {pluralize(len(rows), 'record')}"
            data.check_feasible(constraints.take(rows), policy.models, records_name=where)
    return constraints


def _with_steps(refinement: Refinement | None, search: Search | None) -> Refinement | None:
    """Refinement with the number of steps done, if a time limit or an interrupt stopped it."""
    if refinement is None or search is None or not search.timed:
        return refinement
    return replace(
        refinement,
        steps_planned=search.steps_planned,
        steps_done=search.steps_done,
        descent_passes=search.descent_passes,
    )


def _missing_counts(records: Records) -> dict[str, int]:
    """Number of missing values of each quasi-identifier that has some."""
    if records.missing is None:
        return {}
    counts = records.missing.sum(axis=0).tolist()
    return {name: cells for name, cells in zip(records.names, counts, strict=True) if cells}


def _input_facts(table: Table) -> dict[str, Any]:
    """Facts about the input for the policy. Raises if the file has changed since it was read."""
    facts: dict[str, Any] = {"kind": table.kind, "records": table.height}
    if table.path is not None:
        if data.file_sha256(table.path) != table.sha256:
            raise FileError.changed(table.path)
        facts |= {"file": printable_name(table.path.name), "sha256": table.sha256, "settings": dict(table.settings)}
    return facts

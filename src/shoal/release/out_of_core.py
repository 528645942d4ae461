"""Pipeline of an out-of-core release: profile, plan, partition, process, write, verify; the same for all engines.

The caller provides source and destination, and publishes the release only after its verification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shoal import data
from shoal.data.chunked import (
    Encoder,
    TableStatistics,
    build_encoder,
    build_sensitive_encoder,
    check_range_bounds,
    encode_chunk,
)
from shoal.data.encode.category_codes import node_counts
from shoal.domain import Evaluation, Kind, Policy, Precision, Progress, Role, Schema, Verification, check_k
from shoal.engines.engine import Engine, PartTotals
from shoal.engines.memory_budget import MemoryBudget
from shoal.engines.plan import ReleasePlan
from shoal.errors import ColumnError, OptionError, PolicyError
from shoal.errors.messages import pluralize, quote_names
from shoal.metrics.combine_parts import ClassSizeCounts, evaluate_parts
from shoal.metrics.inputs import MAX_FREQUENT, TableFacts
from shoal.microaggregation.cut_tree import build_cut_tree
from shoal.recode import BY_COLUMN, INTEGER, INTEGER_COLUMNS
from shoal.release.column_options import Hierarchies, Levels, resolve_policy_schema
from shoal.release.options import check_roles, parse_options
from shoal.release.warnings import collect_warnings

DEFAULT_MEMORY = "2GB"
"""Default memory limit."""
_STAGES = {"survey": 0.15, "deal": 0.15, "work": 0.4, "deliver": 0.2, "verify": 0.1}
"""Fraction of the progress per stage."""
_NOT_MEASURED = "attacks, and what classes give away about sensitive columns, are not measured in pieces"
PolicyFactory = Callable[[TableStatistics], Policy]
"""Makes the policy of a table from its statistics."""
P = TypeVar("P")


@dataclass(frozen=True, eq=False)
class LargeRelease:
    """Release in files, as returned by `shoal.anonymize_file`, verified on the written files."""

    path: Path | str
    """The released file, or the address of a folder written by Spark."""
    verification: Verification
    evaluation: Evaluation
    policy: Policy
    parts: PartTotals
    before: ClassSizeCounts
    after: ClassSizeCounts
    missing: Mapping[str, int]
    """Number of missing values of each quasi-identifier."""
    warnings: tuple[str, ...] = ()

    @property
    def account(self) -> tuple[str, ...]:
        """Notes on how the groups were made, beyond the name of the method."""
        several = f"{pluralize(self.parts.n_parts, 'piece')} of at most {pluralize(self.parts.largest_part, 'record')}"
        return (f"The table was worked on in {several}.", *self.parts.notes)

    def __repr__(self) -> str:
        proof = self.verification
        return (
            f"LargeRelease(path={str(self.path)!r}, k={proof.k}, method={self.policy.method!r},"
            f" records={proof.records}, pieces={self.parts.n_parts}, classes={proof.classes},"
            f" smallest={proof.min_class}, verified={proof.ok})"
        )


class ProcessedTable(NamedTuple):
    """Statistics, plan and totals of a table whose parts are processed; nothing is written yet."""

    statistics: TableStatistics
    plan: ReleasePlan
    parts: PartTotals


def process_table(
    engine: Engine[P], make_policy: PolicyFactory, budget: MemoryBudget, stages: StageProgress
) -> ProcessedTable:
    """Profile, plan, partition and process the table."""
    survey = engine.profile(progress=stages("survey"))
    policy = make_policy(survey)
    check_roles(policy, survey.column_profiles(), survey.records)
    plan = make_plan(engine, survey, policy, budget)
    engine.partition(plan, progress=stages("deal"))
    return ProcessedTable(survey, plan, engine.process(plan, progress=stages("work")))


class WrittenRelease(NamedTuple):
    """What is known of a release that is written under a hidden name and verified."""

    proof: Verification
    evaluation: Evaluation
    original_class_sizes: ClassSizeCounts
    released_class_sizes: ClassSizeCounts
    formulas: Mapping[str, int]
    broken_dependencies: Sequence[data.BrokenDependency]


def write_and_verify(
    engine: Engine[P], processed: ProcessedTable, destination: P, stages: StageProgress
) -> WrittenRelease:
    """Write, verify and evaluate the release."""
    _, plan, done = processed
    sums = engine.write(plan, destination, progress=stages("deliver"))
    proof, after = engine.verify(plan, destination, progress=stages("verify"))
    before = ClassSizeCounts(done.original_class_sizes)
    evaluation = evaluate_parts(
        sums,
        replace(plan.table_facts, n_classes=proof.classes),
        before=before,
        after=replace(after, n_suppressed=done.n_suppressed),
        base=plan.encoder.scale.name if plan.encoder.numeric else "none",
        distance=_distance_name(plan),
        models=proof.models,
        notes=(_NOT_MEASURED,),
    )
    return WrittenRelease(proof, evaluation, before, after, engine.formulas, engine.broken_dependencies)


def build_release(
    processed: ProcessedTable, written: WrittenRelease, policy: Policy, path: Path | str, *, in_order: bool = True
) -> LargeRelease:
    """Build the release; ``in_order``: whether its rows are in the order of the table."""
    survey, plan, done = processed
    return LargeRelease(
        path=path,
        verification=written.proof,
        evaluation=written.evaluation,
        policy=policy,
        parts=done,
        before=written.original_class_sizes,
        after=written.released_class_sizes,
        missing={name: plan.encoder.missing_counts.get(name, 0) for name in plan.encoder.names},
        warnings=(
            *_sensitive_warnings(policy),
            *collect_warnings(
                policy,
                profiles=survey.column_profiles(),
                missing_counts=plan.encoder.missing_counts,
                suppressed=done.n_suppressed,
                evaluation=written.evaluation,
                formulas=written.formulas,
                in_order=in_order,
                spelling_variants=data.count_spelling_variants(plan.encoder.categories),
                broken_dependencies=written.broken_dependencies,
                doubts=data.find_misread_columns(survey.sample),
                is_typed=data.has_column_types(survey.sample),
            ),
        ),
    )


def replay_policy(
    policy: Policy, statistics: TableStatistics, *, hierarchies: Hierarchies, levels: Levels, folders: Sequence[Path]
) -> Policy:
    """Return the policy for a table that must have the same columns."""
    schema = resolve_policy_schema(
        _schema_for(policy, statistics), hierarchies=hierarchies, levels=levels, folders=folders
    )
    check_roles(policy, statistics.column_profiles(), statistics.records, is_replay=True)
    return replace(policy, schema=schema, input={}, output={}, versions={})


def _schema_for(policy: Policy, survey: TableStatistics) -> Schema:
    """Return the schema of a policy for a table that must have the same columns."""
    columns = {column.name: column for column in policy.schema.columns}
    for name in columns:
        if name not in survey.names:
            raise ColumnError.unknown(name, survey.names)
    kinds = dict(survey.kinds())
    decided_by = (*policy.schema.quasi_identifiers, *policy.schema.names_with_role(Role.SENSITIVE))
    for name in survey.names:
        if name not in columns:
            raise PolicyError.column_not_in_policy(name)
    return Schema(
        tuple(
            columns[name] if name in decided_by else replace(columns[name], kind=kinds[name]) for name in survey.names
        )
    )


def _sensitive_warnings(policy: Policy) -> tuple[str, ...]:
    """Warn about sensitive columns without a privacy model: their disclosure is not measured out of core."""
    with_model = {model.column for model in policy.models}
    unmeasured = [name for name in policy.schema.names_with_role(Role.SENSITIVE) if name not in with_model]
    if not unmeasured:
        return ()
    fact = (
        f"Whether classes share a value of {pluralize(len(unmeasured), 'sensitive column')} ({quote_names(unmeasured)})"
    )
    return (
        f"{fact} is not looked into where a table is worked on in pieces; ask for l = 2 (-l 2) to keep values apart.",
    )


def make_plan(engine: Engine[P], statistics: TableStatistics, policy: Policy, budget: MemoryBudget) -> ReleasePlan:
    """Build the plan of a release; raise if the table cannot be released out of core."""
    check_policy_out_of_core(policy)
    check_k(policy.k, statistics.records)
    options = parse_options(policy)
    schema = options.schema
    encoder = build_encoder(
        statistics,
        schema,
        standardize=options.standardize,
        distance=options.distance,
        weights=policy.weights,
        missing=policy.missing,
    )
    check_range_bounds(statistics, encoder, policy.bounds, engine.out_of_bounds)
    sensitive = build_sensitive_encoder(statistics, policy.models, schema) if policy.models else None
    like = encode_chunk(statistics.sample, encoder)
    size = policy.pieces or budget.part_rows(columns=len(encoder.names), refined=policy.refinement is not None)
    max_rows = max(1, size * like.count // statistics.records)
    cuts = build_cut_tree(like.space.sketched_points, max_size=max_rows, min_size=max(1, max_rows // 4))
    return ReleasePlan(
        policy=replace(policy, schema=schema, pieces=size),
        statistics=statistics,
        encoder=encoder,
        sensitive_encoder=sensitive,
        cuts=cuts,
        part_size=size,
        template=like if sensitive is None else replace(like, constraints=sensitive.constraints),
        table_facts=_facts(statistics, encoder, like, policy),
        distance=options.distance,
        precisions=_precisions(statistics, encoder, options.rounding),
        keep_totals=options.keep_totals,
        options=options.method_options,
    )


def _precisions(survey: TableStatistics, found: Encoder, rounding: str) -> dict[str, Precision]:
    """Return the precision of the numeric columns under the rounding of the policy."""
    names = [name for name in found.numeric if name not in found.dates]
    if rounding == BY_COLUMN:
        return {name: survey.column_type(name).precision for name in names}
    profiles = {profile.name: profile for profile in survey.column_profiles()}
    return {name: INTEGER for name in names if rounding == INTEGER_COLUMNS and profiles[name].is_integer}


def check_policy_out_of_core(policy: Policy) -> None:
    """Raise if the policy needs the whole table in memory."""
    survey, refinement = policy.survey, policy.refinement
    check_options_out_of_core(
        wildcards=policy.missing == "wildcard",
        households=bool(survey.households),
        strata=bool(survey.strata),
        sampling_weights=bool(survey.sampling_weights),
        seconds=refinement is not None and refinement.time_limit is not None,
    )


def check_options_out_of_core(
    *, wildcards: bool, households: bool, strata: bool, sampling_weights: bool, seconds: bool
) -> None:
    """Raise on options that need the whole table in memory."""
    needing = {
        "missing values as wildcards": wildcards,
        "households": households,
        "strata": strata,
        "sampling weights": sampling_weights,
        "a search that is limited by seconds": seconds,
    }
    for what, needed in needing.items():
        if needed:
            raise OptionError.needs_in_memory_engine(what)


def _facts(survey: TableStatistics, found: Encoder, like: Any, policy: Policy) -> TableFacts:
    """Return the table facts of the metrics; quartiles are those of the sample."""
    numbers = found.scale.apply(like.values)
    ends = [survey.range(name) or (0.0, 0.0) for name in found.numeric]
    low, high, center = (
        found.scale.apply(np.array([row]))[0] if found.numeric else np.empty(0)
        for row in (
            [end[0] for end in ends],
            [end[1] for end in ends],
            [found.imputed_numbers[name] for name in found.numeric],
        )
    )
    centroid, frequent = [], []
    for column in found.categories:
        counts = node_counts(column, survey.value_counts(column.name) or {})
        if column.missing_code is not None:
            counts[column.missing_code] += found.missing_counts.get(column.name, 0)
        centroid.append(int(np.argmin(counts @ column.exact_distance())))
        order = np.argsort(-counts, kind="stable")[:MAX_FREQUENT]
        frequent.append(order[counts[order] > 0])
    spread = [_spread(survey, name, found, j) for j, name in enumerate(found.numeric)]
    return TableFacts(
        records=survey.records,
        k=policy.k,
        quasi_identifiers=found.names,
        numeric=found.numeric,
        categories=found.categories,
        weights=np.array([policy.weights.get(name, 1.0) for name in found.names]),
        squared_unit=found.scale.squared_unit,
        means=center,
        stds=np.array(spread),
        minima=low,
        maxima=high,
        quartiles=np.quantile(numbers, (0.25, 0.5, 0.75), axis=0).T if found.numeric else np.empty((0, 3)),
        centroid_codes=np.array(centroid, dtype=np.int64),
        frequent_codes=tuple(frequent),
        n_classes=0,
    )


def _spread(survey: TableStatistics, name: str, found: Encoder, j: int) -> float:
    """Return the standard deviation of a column in the units of the encoder."""
    moments = survey.column_type(name).sketch.moments
    if moments.constant:
        return 0.0
    exponent, _, spread = moments.standardized()
    return float(np.ldexp(spread, exponent - int(found.scale.exponent[j])) / found.scale.spread[j])


def _distance_name(plan: ReleasePlan) -> str | None:
    """Return the name of the distance between categories."""
    if not plan.encoder.categories:
        return None
    has_hierarchy = any(column.kind is Kind.HIERARCHICAL for column in plan.encoder.categories)
    return plan.distance if has_hierarchy else "rank or equality"


class StageProgress:
    """Progress over all stages."""

    def __init__(self, progress: Progress) -> None:
        self.progress, self.total = progress, 1

    def __call__(self, stage: str) -> Progress:
        names = list(_STAGES)
        before = sum(_STAGES[name] for name in names[: names.index(stage)])

        def report(done: int, total: int) -> None:
            self.total = max(self.total, total)
            self.progress(round(self.total * (before + _STAGES[stage] * done / max(total, 1))), self.total)

        return report

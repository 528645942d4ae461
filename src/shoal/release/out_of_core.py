"""Pipeline of an out-of-core release: profile, plan, partition, process, write, verify; the same for all engines.

The caller provides source and destination, and publishes the release only after its verification.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shoal import data
from shoal.data import ReadOptions
from shoal.data.chunked import (
    Encoder,
    TableStatistics,
    build_encoder,
    build_sensitive_encoder,
    check_range_bounds,
    encode_chunk,
)
from shoal.data.encode.category_codes import node_counts
from shoal.domain import Evaluation, Kind, Policy, Precision, Progress, Role, Verification, check_k
from shoal.engines.engine import Engine, PartTotals
from shoal.engines.memory_budget import MemoryBudget
from shoal.engines.plan import ReleasePlan
from shoal.errors import OptionError
from shoal.errors.messages import pluralize, quote_names
from shoal.metrics.evaluate import ClassSizeCounts, evaluate_parts
from shoal.metrics.inputs import MAX_FREQUENT, TableFacts
from shoal.microaggregation.cut_tree import build_cut_tree
from shoal.recode import BY_COLUMN, INTEGER, INTEGER_COLUMNS
from shoal.release.column_options import Hierarchies, Levels, match_columns, resolve_policy_schema
from shoal.release.options import check_roles, parse_options
from shoal.release.save import ExtraFiles
from shoal.release.warnings import collect_warnings

DEFAULT_MEMORY = "2GB"
"""Default memory limit."""
_STAGES = {"profile": 0.15, "partition": 0.15, "process": 0.4, "write": 0.2, "verify": 0.1}
"""Fraction of the progress per stage."""
_NOT_MEASURED = "attacks, and what classes give away about sensitive columns, are not measured in pieces"
PolicyFactory = Callable[[TableStatistics], Policy]
"""Makes the policy of a table from its statistics."""
P = TypeVar("P")


@dataclass(frozen=True, eq=False)
class FileRelease:
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
            f"FileRelease(path={str(self.path)!r}, k={proof.k}, method={self.policy.method!r},"
            f" records={proof.records}, pieces={self.parts.n_parts}, classes={proof.classes},"
            f" smallest={proof.min_class}, verified={proof.ok})"
        )


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


class ProcessedTable(NamedTuple):
    """Statistics, plan and totals of a table whose parts are processed; nothing is written yet."""

    statistics: TableStatistics
    plan: ReleasePlan
    parts: PartTotals


def process_table(
    engine: Engine[P], make_policy: PolicyFactory, budget: MemoryBudget, stages: StageProgress
) -> ProcessedTable:
    statistics = engine.profile(progress=stages("profile"))
    policy = make_policy(statistics)
    check_roles(policy, statistics.column_profiles(), statistics.records)
    plan = make_plan(engine, statistics, policy, budget)
    engine.partition(plan, progress=stages("partition"))
    return ProcessedTable(statistics, plan, engine.process(plan, progress=stages("process")))


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
    _, plan, totals = processed
    sums = engine.write(plan, destination, progress=stages("write"))
    proof, after = engine.verify(plan, destination, progress=stages("verify"))
    before = ClassSizeCounts(totals.original_class_sizes)
    evaluation = evaluate_parts(
        sums,
        replace(plan.table_facts, n_classes=proof.classes),
        before=before,
        after=replace(after, n_suppressed=totals.n_suppressed),
        base=plan.encoder.scale.name if plan.encoder.numeric else "none",
        distance=_distance_name(plan),
        models=proof.models,
        notes=(_NOT_MEASURED,),
    )
    return WrittenRelease(proof, evaluation, before, after, engine.formulas, engine.broken_dependencies)


def build_release(
    processed: ProcessedTable, written: WrittenRelease, policy: Policy, path: Path | str, *, in_order: bool = True
) -> FileRelease:
    """Build the release; ``in_order``: whether its rows are in the order of the table."""
    statistics, plan, totals = processed
    return FileRelease(
        path=path,
        verification=written.proof,
        evaluation=written.evaluation,
        policy=policy,
        parts=totals,
        before=written.original_class_sizes,
        after=written.released_class_sizes,
        missing={name: plan.encoder.missing_counts.get(name, 0) for name in plan.encoder.names},
        warnings=(
            *_sensitive_warnings(policy),
            *collect_warnings(
                policy,
                profiles=statistics.column_profiles(),
                missing_counts=plan.encoder.missing_counts,
                suppressed=totals.n_suppressed,
                evaluation=written.evaluation,
                formulas=written.formulas,
                in_order=in_order,
                spelling_variants=data.count_spelling_variants(plan.encoder.categories),
                broken_dependencies=written.broken_dependencies,
                doubts=data.find_misread_columns(statistics.sample),
                is_typed=data.has_column_types(statistics.sample),
            ),
        ),
    )


def replay_policy(
    policy: Policy, statistics: TableStatistics, *, hierarchies: Hierarchies, levels: Levels, folders: Sequence[Path]
) -> Policy:
    """Return the policy for a table that must have the same columns."""
    schema = match_columns(policy.schema, statistics.kinds())
    schema = resolve_policy_schema(schema, hierarchies=hierarchies, levels=levels, folders=folders)
    check_roles(policy, statistics.column_profiles(), statistics.records, is_replay=True)
    return replace(policy, schema=schema, input={}, output={}, versions={})


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
    sample = encode_chunk(statistics.sample, encoder)
    size = policy.pieces or budget.part_rows(columns=len(encoder.names), refined=policy.refinement is not None)
    max_rows = max(1, size * sample.count // statistics.records)
    cuts = build_cut_tree(sample.space.sketched_points, max_size=max_rows, min_size=max(1, max_rows // 4))
    return ReleasePlan(
        policy=replace(policy, schema=schema, pieces=size),
        statistics=statistics,
        encoder=encoder,
        sensitive_encoder=sensitive,
        cuts=cuts,
        part_size=size,
        template=sample if sensitive is None else replace(sample, constraints=sensitive.constraints),
        table_facts=_facts(statistics, encoder, sample, policy),
        distance=options.distance,
        precisions=_precisions(statistics, encoder, options.rounding),
        keep_totals=options.keep_totals,
        options=options.method_options,
    )


def _precisions(statistics: TableStatistics, encoder: Encoder, rounding: str) -> dict[str, Precision]:
    names = [name for name in encoder.numeric if name not in encoder.dates]
    if rounding == BY_COLUMN:
        return {name: statistics.column_type(name).precision for name in names}
    profiles = {profile.name: profile for profile in statistics.column_profiles()}
    return {name: INTEGER for name in names if rounding == INTEGER_COLUMNS and profiles[name].is_integer}


def check_policy_out_of_core(policy: Policy) -> None:
    """Raise if the policy needs the whole table in memory."""
    survey, refinement = policy.survey, policy.refinement
    check_options_out_of_core(
        wildcards=policy.missing == "wildcard",
        households=bool(survey.households),
        strata=bool(survey.strata),
        sampling_weights=bool(survey.sampling_weights),
        time_limit=refinement is not None and refinement.time_limit is not None,
    )


def check_options_out_of_core(
    *, wildcards: bool, households: bool, strata: bool, sampling_weights: bool, time_limit: bool
) -> None:
    needing = {
        "missing values as wildcards": wildcards,
        "households": households,
        "strata": strata,
        "sampling weights": sampling_weights,
        "a search with a time limit": time_limit,
    }
    for what, needed in needing.items():
        if needed:
            raise OptionError.needs_in_memory_engine(what)


def _facts(statistics: TableStatistics, encoder: Encoder, sample: Any, policy: Policy) -> TableFacts:
    """Return the table facts of the metrics; quartiles are those of the sample."""
    numbers = encoder.scale.apply(sample.values)
    ends = [statistics.range(name) or (0.0, 0.0) for name in encoder.numeric]
    low, high, center = (
        encoder.scale.apply(np.array([row]))[0] if encoder.numeric else np.empty(0)
        for row in (
            [end[0] for end in ends],
            [end[1] for end in ends],
            [encoder.imputed_numbers[name] for name in encoder.numeric],
        )
    )
    centroid, frequent = [], []
    for column in encoder.categories:
        counts = node_counts(column, statistics.value_counts(column.name) or {})
        if column.missing_code is not None:
            counts[column.missing_code] += encoder.missing_counts.get(column.name, 0)
        centroid.append(int(np.argmin(counts @ column.exact_distance())))
        order = np.argsort(-counts, kind="stable")[:MAX_FREQUENT]
        frequent.append(order[counts[order] > 0])
    spread = [_spread(statistics, name, encoder, j) for j, name in enumerate(encoder.numeric)]
    return TableFacts(
        records=statistics.records,
        k=policy.k,
        quasi_identifiers=encoder.names,
        numeric=encoder.numeric,
        categories=encoder.categories,
        weights=np.array([policy.weights.get(name, 1.0) for name in encoder.names]),
        squared_unit=encoder.scale.squared_unit,
        means=center,
        stds=np.array(spread),
        minima=low,
        maxima=high,
        quartiles=np.quantile(numbers, (0.25, 0.5, 0.75), axis=0).T if encoder.numeric else np.empty((0, 3)),
        centroid_codes=np.array(centroid, dtype=np.int64),
        frequent_codes=tuple(frequent),
        n_classes=0,
    )


def _spread(statistics: TableStatistics, name: str, encoder: Encoder, j: int) -> float:
    moments = statistics.column_type(name).sketch.moments
    if moments.constant:
        return 0.0
    exponent, _, spread = moments.standardized()
    return float(np.ldexp(spread, exponent - int(encoder.scale.exponent[j])) / encoder.scale.spread[j])


def _distance_name(plan: ReleasePlan) -> str | None:
    if not plan.encoder.categories:
        return None
    has_hierarchy = any(column.kind is Kind.HIERARCHICAL for column in plan.encoder.categories)
    return plan.distance if has_hierarchy else "rank or equality"


class StageProgress:
    def __init__(self, progress: Progress) -> None:
        self.progress, self.total = progress, 1

    def __call__(self, stage: str) -> Progress:
        names = list(_STAGES)
        before = sum(_STAGES[name] for name in names[: names.index(stage)])

        def report(done: int, total: int) -> None:
            self.total = max(self.total, total)
            self.progress(round(self.total * (before + _STAGES[stage] * done / max(total, 1))), self.total)

        return report

"""Release pipeline, the same for all engines: profile, plan, partition, process, write, verify, evaluate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from shoal import data
from shoal.data import Table
from shoal.domain import Evaluation, Policy, Progress, Refinement, Search, Verification, check_k, no_progress
from shoal.engines.engine import Engine, ProcessTotals, TableProfile
from shoal.engines.memory import MemoryEngine
from shoal.engines.plan import ReleasePlan
from shoal.errors import FileError, OptionError, warn_user
from shoal.release.options import check_table
from shoal.release.partition import add_losses
from shoal.release.result import Release
from shoal.release.save import package_versions, printable_name
from shoal.release.warnings import collect_warnings

PolicyFactory = Callable[[TableProfile], Policy]
"""Makes the policy of a table from its profile."""
S = TypeVar("S", bound=TableProfile)
R = TypeVar("R", bound=ReleasePlan)
P = TypeVar("P")


class PipelineResult(NamedTuple, Generic[R]):
    """A release that is written and verified."""

    plan: R
    policy: Policy
    """With the parameters that a replay needs."""
    totals: ProcessTotals
    proof: Verification
    evaluation: Evaluation
    warnings: tuple[str, ...]


def run(
    engine: Engine[S, R, P],
    make_policy: PolicyFactory,
    destination: Callable[[], P],
    *,
    progress: Progress | None = None,
    is_replay: bool = False,
) -> PipelineResult[R]:
    """Run the pipeline; ``destination`` returns where the release is written until it is published."""
    stages = _StageProgress(engine.stages, progress or no_progress)
    profile = engine.profile(progress=stages("profile"))
    policy = make_policy(profile)
    profiles = check_table(policy, profile, is_replay=is_replay)
    check_k(policy.k, profile.records)
    if policy.missing == "wildcard" and not engine.supports_wildcards:
        raise OptionError.wildcards_in_pieces()
    plan = engine.plan(profile, policy)
    engine.partition(plan, progress=stages("partition"))
    totals = engine.process(plan, progress=stages("process"))
    place = destination()
    written = engine.write(plan, place, progress=stages("write"))
    proof = engine.verify(plan, place, progress=stages("verify"))
    evaluation = engine.evaluate(plan, proof)
    warnings = collect_warnings(
        policy,
        profiles=profiles,
        missing_counts=plan.encoder.missing_counts,
        suppressed=totals.n_suppressed,
        evaluation=evaluation,
        search=totals.search,
        has_informative_index=written.has_informative_index,
        formulas=written.formulas,
        in_order=written.in_order,
        spelling_variants=data.count_spelling_variants(plan.encoder.categories),
        broken_dependencies=written.broken_dependencies,
        doubts=data.find_misread_columns(profile.sample),
        is_typed=data.has_column_types(profile.sample),
    )
    policy = replace(plan.policy, refinement=_with_steps(plan.policy.refinement, totals.search))
    return PipelineResult(plan, policy, totals, proof, evaluation, warnings)


def run_in_memory(
    table: Table, policy: Policy, *, progress: Progress | None = None, is_replay: bool = False
) -> Release:
    """Release a table in memory."""
    engine = MemoryEngine(table)
    policy = policy.without_parts()
    result = run(engine, lambda _: policy, lambda: None, progress=progress, is_replay=is_replay)
    for sentence in result.warnings:
        warn_user(sentence)
    return Release(
        original=table,
        released=engine.released,
        partition=add_losses(engine.processed.groups, result.plan.records),
        evaluation=result.evaluation,
        verification=result.proof,
        policy=replace(result.policy, input=_input_facts(table), versions=package_versions()),
        row_metadata=engine.rows,
        metric_inputs=engine.inputs,
        warnings=result.warnings,
    )


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


def _input_facts(table: Table) -> dict[str, Any]:
    """Facts about the input for the policy. Raises if the file has changed since it was read."""
    facts: dict[str, Any] = {"kind": table.kind, "records": table.height}
    if table.path is not None:
        if data.file_sha256(table.path) != table.sha256:
            raise FileError.changed(table.path)
        facts |= {"file": printable_name(table.path.name), "sha256": table.sha256, "settings": dict(table.settings)}
    return facts


class _StageProgress:
    """Progress of the whole run from the progress of its stages, which have fixed fractions of it."""

    def __init__(self, stages: Mapping[str, float], progress: Progress) -> None:
        self.stages, self.progress, self.total = stages, progress, 1

    def __call__(self, stage: str) -> Progress:
        if stage not in self.stages:
            return no_progress
        names = list(self.stages)
        before = sum(self.stages[name] for name in names[: names.index(stage)])
        return partial(self._report, before, self.stages[stage])

    def _report(self, before: float, fraction: float, done: int, total: int) -> None:
        self.total = max(self.total, total)
        self.progress(round(self.total * (before + fraction * done / max(total, 1))), self.total)

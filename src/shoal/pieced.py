"""A release in pieces: survey, decide, deal out, work, deliver, verify; whichever engine does it.

It is the walk of `shoal.anonymize` with an engine in the place of the rooms. Who calls it says from where to where, and
lets the release appear when it was read back and found to keep its promise, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shoal import tables
from shoal.cautions import cautions
from shoal.decisions import check_decided, settings
from shoal.engines.interface import Done, Engine
from shoal.engines.plan import Plan
from shoal.engines.sizing import Sizing
from shoal.errors import ColumnError, OptionError, PolicyError
from shoal.measure.pair import FREQUENT, Facts
from shoal.measure.pieces import Sizes, evaluation_of
from shoal.partition.blocks import cut
from shoal.recode import BY_COLUMN, WHOLE, WHOLE_NUMBERS
from shoal.schema import Kind, Policy, Role, Schema
from shoal.tables.categories import node_counts
from shoal.tables.large import Base, Survey, base, check_bounds, encode_chunk, sensitive_base
from shoal.understanding import Hierarchies, Levels, found_again
from shoal.values import Evaluation, Precision, Progress, Verification, whole_k
from shoal.words import counted, listed

MEMORY = "2GB"
"""The ceiling where none is named."""
_STAGES = {"survey": 0.15, "deal": 0.15, "work": 0.4, "deliver": 0.2, "verify": 0.1}
"""The share of each stage in the progress."""
_NOT_MEASURED = "attacks, and what classes give away about sensitive columns, are not measured in pieces"
Decided = Callable[[Survey], Policy]
"""Gives the decisions about a table of which the survey is known."""
P = TypeVar("P")


@dataclass(frozen=True, eq=False)
class LargeRelease:
    """What `shoal.anonymize_file` returns: a release that stands in files, verified as these were read back."""

    path: Path | str
    """Where it stands: a file, or the address of a folder that a cluster has written."""
    verification: Verification
    evaluation: Evaluation
    policy: Policy
    done: Done
    before: Sizes
    after: Sizes
    missing: Mapping[str, int]
    """The missing cells of each quasi-identifier."""
    warnings: tuple[str, ...] = ()

    @property
    def account(self) -> tuple[str, ...]:
        """How the groups came about, beyond the name of the method."""
        several = f"{counted(self.done.pieces, 'piece')} of at most {counted(self.done.largest, 'record')}"
        return (f"The table was worked on in {several}.", *self.done.account)

    def __repr__(self) -> str:
        proof = self.verification
        return (
            f"LargeRelease(path={str(self.path)!r}, k={proof.k}, method={self.policy.method!r},"
            f" records={proof.records}, pieces={self.done.pieces}, classes={proof.classes},"
            f" smallest={proof.min_class}, verified={proof.ok})"
        )


class Worked(NamedTuple):
    """What is known when all groups are made, and nothing is written."""

    survey: Survey
    plan: Plan
    done: Done


def worked(engine: Engine[P], decided: Decided, sizes: Sizing, stages: Stages) -> Worked:
    """Survey, decide, deal out, work."""
    survey = engine.survey(progress=stages("survey"))
    policy = decided(survey)
    check_decided(policy, survey.profile(), survey.records)
    plan = planned(engine, survey, policy, sizes)
    engine.deal(plan, progress=stages("deal"))
    return Worked(survey, plan, engine.work(plan, progress=stages("work")))


class Delivered(NamedTuple):
    """What is known of a release that is written aside and keeps its promise."""

    proof: Verification
    evaluation: Evaluation
    before: Sizes
    after: Sizes
    formulas: Mapping[str, int]
    broken: Sequence[tables.Broken]


def delivered(engine: Engine[P], made: Worked, part: P, stages: Stages) -> Delivered:
    """Deliver, verify, measure."""
    _, plan, done = made
    sums = engine.deliver(plan, part, progress=stages("deliver"))
    proof, after = engine.verify(plan, part, progress=stages("verify"))
    before = Sizes(done.before)
    evaluation = evaluation_of(
        sums,
        replace(plan.facts, classes=proof.classes),
        before=before,
        after=replace(after, hidden=done.hidden),
        base=plan.base.scale.name if plan.base.measured else "none",
        distance=_named(plan),
        models=proof.models,
        notes=(_NOT_MEASURED,),
    )
    return Delivered(proof, evaluation, before, after, engine.formulas, engine.broken)


def released(
    made: Worked, found: Delivered, policy: Policy, path: Path | str, *, in_order: bool = True
) -> LargeRelease:
    """The release with all that is known of it; ``in_order`` says whether its rows stand as those of the table."""
    survey, plan, done = made
    return LargeRelease(
        path=path,
        verification=found.proof,
        evaluation=found.evaluation,
        policy=policy,
        done=done,
        before=found.before,
        after=found.after,
        missing={name: plan.base.gaps.get(name, 0) for name in plan.base.names},
        warnings=(
            *_about_sensitive(policy),
            *cautions(
                policy,
                profiles=survey.profile(),
                gaps=plan.base.gaps,
                suppressed=done.hidden,
                evaluation=found.evaluation,
                formulas=found.formulas,
                in_order=in_order,
                spelled=tables.spellings(plan.base.categories),
                broken=found.broken,
                doubts=tables.doubts(survey.sample),
                typed=tables.is_typed(survey.sample),
            ),
        ),
    )


def replayed(
    policy: Policy, survey: Survey, *, hierarchies: Hierarchies, levels: Levels, folders: Sequence[Path]
) -> Policy:
    """The decisions of a policy for a table that must have the same columns."""
    schema = found_again(_same(policy, survey), hierarchies=hierarchies, levels=levels, folders=folders)
    check_decided(policy, survey.profile(), survey.records, replays=True)
    return replace(policy, schema=schema, input={}, output={}, versions={})


def _same(policy: Policy, survey: Survey) -> Schema:
    """The schema of a policy for a table that must have the same columns."""
    known = {column.name: column for column in policy.schema.columns}
    for name in known:
        if name not in survey.names:
            raise ColumnError.unknown(name, survey.names)
    kinds = dict(survey.kinds())
    decided_by = (*policy.schema.quasi_identifiers, *policy.schema.named(Role.SENSITIVE))
    for name in survey.names:
        if name not in known:
            raise PolicyError.undecided(name)
    return Schema(
        tuple(known[name] if name in decided_by else replace(known[name], kind=kinds[name]) for name in survey.names)
    )


def _about_sensitive(policy: Policy) -> tuple[str, ...]:
    """Of these columns nobody looked whether a class gives them away, unless a model was asked for."""
    asked = {model.column for model in policy.models}
    silent_about = [name for name in policy.schema.named(Role.SENSITIVE) if name not in asked]
    if not silent_about:
        return ()
    said = f"Whether classes share a value of {counted(len(silent_about), 'sensitive column')} ({listed(silent_about)})"
    return (
        f"{said} is not looked into where a table is worked on in pieces; ask for l = 2 (-l 2) to keep values apart.",
    )


def planned(engine: Engine[P], survey: Survey, policy: Policy, sizes: Sizing) -> Plan:
    """The plan of a release, or the reason why this table cannot be released so."""
    check_fits(policy)
    whole_k(policy.k, survey.records)
    said = settings(policy)
    schema = said.schema
    found = base(
        survey,
        schema,
        standardize=said.standardize,
        distance=said.distance,
        weights=policy.weights,
        missing=policy.missing,
    )
    check_bounds(survey, found, policy.bounds, engine.outside)
    asked = sensitive_base(survey, policy.models, schema) if policy.models else None
    like = encode_chunk(survey.sample, found)
    size = policy.pieces or sizes.piece(columns=len(found.names), refined=policy.refinement is not None)
    most = max(1, size * like.count // survey.records)
    cuts = cut(like.space.points, most=most, least=max(1, most // 4))
    return Plan(
        policy=replace(policy, schema=schema, pieces=size),
        survey=survey,
        base=found,
        sensitive=asked,
        cuts=cuts,
        piece=size,
        like=like if asked is None else replace(like, demands=asked.demands),
        facts=_facts(survey, found, like, policy),
        distance=said.distance,
        precisions=_precisions(survey, found, said.rounding),
        keep_totals=said.keep_totals,
        options=said.own,
    )


def _precisions(survey: Survey, found: Base, rounding: str) -> dict[str, Precision]:
    """The decimals of the numeric columns, by the way in which the policy rounds."""
    names = [name for name in found.measured if name not in found.dates]
    if rounding == BY_COLUMN:
        return {name: survey.meaning(name).precision for name in names}
    profiles = {profile.name: profile for profile in survey.profile()}
    return {name: WHOLE for name in names if rounding == WHOLE_NUMBERS and profiles[name].whole}


def check_fits(policy: Policy) -> None:
    """Refuse what needs the whole table at once."""
    survey, refinement = policy.survey, policy.refinement
    check_asked(
        wildcards=policy.missing == "wildcard",
        households=bool(survey.households),
        strata=bool(survey.strata),
        sampling_weights=bool(survey.sampling_weights),
        seconds=refinement is not None and refinement.seconds is not None,
    )


def check_asked(*, wildcards: bool, households: bool, strata: bool, sampling_weights: bool, seconds: bool) -> None:
    """Refuse any of these."""
    needing = {
        "missing values as wildcards": wildcards,
        "households": households,
        "strata": strata,
        "sampling weights": sampling_weights,
        "a search that is limited by seconds": seconds,
    }
    for what, needed in needing.items():
        if needed:
            raise OptionError.needs_memory(what)


def _facts(survey: Survey, found: Base, like: Any, policy: Policy) -> Facts:
    """What the measures know about the whole table; its quartiles are those of the sample."""
    numbers = found.scale.apply(like.values)
    ends = [survey.range(name) or (0.0, 0.0) for name in found.measured]
    low, high, center = (
        found.scale.apply(np.array([row]))[0] if found.measured else np.empty(0)
        for row in (
            [end[0] for end in ends],
            [end[1] for end in ends],
            [found.fillings[name] for name in found.measured],
        )
    )
    centroid, frequent = [], []
    for column in found.categories:
        counts = node_counts(column, survey.value_counts(column.name) or {})
        if column.gap is not None:
            counts[column.gap] += found.gaps.get(column.name, 0)
        centroid.append(int(np.argmin(counts @ column.rounded())))
        order = np.argsort(-counts, kind="stable")[:FREQUENT]
        frequent.append(order[counts[order] > 0])
    spread = [_spread(survey, name, found, j) for j, name in enumerate(found.measured)]
    return Facts(
        records=survey.records,
        k=policy.k,
        names=found.names,
        numeric=found.measured,
        categories=found.categories,
        weights=np.array([policy.weights.get(name, 1.0) for name in found.names]),
        unit=found.scale.unit,
        center=center,
        spread=np.array(spread),
        low=low,
        high=high,
        cuts=np.quantile(numbers, (0.25, 0.5, 0.75), axis=0).T if found.measured else np.empty((0, 3)),
        centroid=np.array(centroid, dtype=np.int64),
        frequent=tuple(frequent),
        classes=0,
    )


def _spread(survey: Survey, name: str, found: Base, j: int) -> float:
    """The standard deviation of a column on the base."""
    moments = survey.meaning(name).sketch.moments
    if moments.constant:
        return 0.0
    exponent, _, spread = moments.standardized()
    return float(np.ldexp(spread, exponent - int(found.scale.exponent[j])) / found.scale.spread[j])


def _named(plan: Plan) -> str | None:
    """How distances between categories were measured."""
    if not plan.base.categories:
        return None
    hierarchical = any(column.kind is Kind.HIERARCHICAL for column in plan.base.categories)
    return plan.distance if hierarchical else "rank or equality"


class Stages:
    """The progress of the stages, one after another."""

    def __init__(self, progress: Progress) -> None:
        self.progress, self.total = progress, 1

    def __call__(self, stage: str) -> Progress:
        names = list(_STAGES)
        before = sum(_STAGES[name] for name in names[: names.index(stage)])

        def told(done: int, total: int) -> None:
            self.total = max(self.total, total)
            self.progress(round(self.total * (before + _STAGES[stage] * done / max(total, 1))), self.total)

        return told

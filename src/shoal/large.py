"""The walk for a table that is larger than memory: from a file to a verified file, in pieces.

It is the walk of `shoal.anonymize` with an engine in the place of the rooms: survey, decide, deal out, work, deliver,
verify. The release appears under its name when it was read back and found to keep its promise, and not before.
"""

from __future__ import annotations

import os
import warnings as python_warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal import tables
from shoal.cautions import cautions
from shoal.decide import decide
from shoal.decisions import settings
from shoal.engines.interface import Done, Engine
from shoal.engines.local import LocalEngine
from shoal.engines.plan import Plan
from shoal.engines.scratch import Scratch, scratch_path
from shoal.engines.sizing import Sizing, sizing, whole_bytes
from shoal.errors import ColumnError, OptionError, OutputError, PolicyError, PromiseError, ShoalWarning
from shoal.measure.pair import FREQUENT, Facts
from shoal.measure.pieces import Sizes, evaluation_of
from shoal.partition.blocks import cut
from shoal.release import check_outputs, named_path, policy_path, printable, uninterrupted, versions
from shoal.schema import Kind, Names, Policy, Role, Schema
from shoal.tables import ReadOptions
from shoal.tables.large import (
    STREAMED,
    Base,
    Source,
    Survey,
    base,
    check_bounds,
    encode_chunk,
    open_source,
    sensitive_base,
)
from shoal.threads import using
from shoal.understanding import Hierarchies, Levels, found_again
from shoal.values import Evaluation, Progress, Verification, silent, whole_k
from shoal.words import counted, listed

MEMORY = "2GB"
"""The ceiling where none is named."""
_STAGES = {"survey": 0.15, "deal": 0.15, "work": 0.4, "deliver": 0.2, "verify": 0.1}
"""The share of each stage in the progress."""
_PARTS = "parts"
"""Under which the files that are written aside are noted."""
_NOT_MEASURED = "attacks, and what classes give away about sensitive columns, are not measured in pieces"
More = Mapping[Path, str]
"""Further files about a release, by their places."""


@dataclass(frozen=True, eq=False)
class LargeRelease:
    """What `shoal.anonymize_file` returns: a release that stands in a file, verified as it was read back."""

    path: Path
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


def anonymize_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    k: int,
    quasi_identifiers: Names,
    memory: int | str = MEMORY,
    scratch: str | os.PathLike[str] | None = None,
    force: bool = False,
    options: ReadOptions | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    more: Callable[[LargeRelease], More] | None = None,
    **decisions: Any,
) -> LargeRelease:
    """Release a file of any size to another file, so that every record hides among at least k alike.

    Parameters
    ----------
    source, target
        A csv, tsv or Parquet file, and the place of the release; beside it appears its policy.
    k, quasi_identifiers, decisions
        As for `shoal.anonymize`. What needs the whole table at once is refused: wildcards, households, strata, sampling
        weights and seconds.
    memory
        The most memory that the run may take, in bytes or as words such as ``2GB``: the table is cut into pieces that
        fit.
    scratch
        The folder in which a private scratch folder is made; that of the release where none is named. It is removed at
        the end. Only a run that was interrupted or killed leaves it, and the same run again goes on from there.
    force
        Replace outputs that exist.
    options
        How the file is to be read; what is not said is found out.
    threads
        How many work at once. The release does not depend on it.
    progress
        Called with the number of records done and of all records.
    more
        Gives further files about the release, which appear together with it.

    Raises
    ------
    ShoalError
        In one sentence what is wrong and what to do. Nothing is released then.
    """
    whole_k(k)

    def policy(survey: Survey) -> Policy:
        return decide(survey.sample, k=k, quasi_identifiers=quasi_identifiers, **decisions)

    with using(threads):
        return _walk(source, target, policy, memory, scratch, force, options, progress, more)


def replay_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    policy: Policy | str | os.PathLike[str],
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    memory: int | str = MEMORY,
    scratch: str | os.PathLike[str] | None = None,
    force: bool = False,
    options: ReadOptions | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    more: Callable[[LargeRelease], More] | None = None,
) -> LargeRelease:
    """Make a release in pieces again by the decisions of a policy, or release the next delivery by them.

    The size of the pieces is that of the policy, if it has one, so that the same input gives the same bytes.
    """
    folders = [Path(), Path(source).parent]
    if not isinstance(policy, Policy):
        folders.insert(0, Path(policy).parent)
        policy = Policy.read(policy)
    kept = policy

    def decided(survey: Survey) -> Policy:
        schema = found_again(_same(kept, survey), hierarchies=hierarchies, levels=levels, folders=folders)
        return replace(kept, schema=schema, input={}, output={}, versions={})

    with using(threads):
        return _walk(source, target, decided, memory, scratch, force, options, progress, more, replayed=kept)


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


def _walk(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    policy: Callable[[Survey], Policy],
    memory: int | str,
    scratch: str | os.PathLike[str] | None,
    force: bool,
    options: ReadOptions | None,
    progress: Progress | None,
    more: Callable[[LargeRelease], More] | None,
    *,
    replayed: Policy | None = None,
) -> LargeRelease:
    """Survey, decide, deal out, work, deliver, verify."""
    place, ceiling = named_path(target), whole_bytes(memory)
    check_outputs([place, policy_path(place)], sources=[Path(source)], force=force)
    if (kind := tables.writable(place)) not in STREAMED:
        raise OutputError.not_streamed(place, kind)
    with Scratch(scratch_path(place, None if scratch is None else Path(scratch))) as folder:
        _remove_parts(folder)
        columns = len(open_source(source, options=options).names)
        sizes = sizing(ceiling, columns=columns)
        opened = open_source(source, options=options, rows=sizes.rows, size=sizes.chunk)
        engine: Engine = LocalEngine(opened, folder, sizes)
        told = _Stages(progress or silent)
        survey = engine.survey(progress=told("survey"))
        plan = planned(opened, survey, policy(survey), sizes)
        engine.deal(plan, progress=told("deal"))
        done = engine.work(plan, progress=told("work"))
        with ExitStack() as stack:
            # the policy goes in first, so that it appears last: a policy never speaks of a release that is not there
            policy_part = stack.enter_context(tables.aside(policy_path(place), force=force))
            part = stack.enter_context(tables.aside(place, force=force))
            folder.note(_PARTS, {"paths": [str(policy_part), str(part)]})
            sums = engine.deliver(plan, part, progress=told("deliver"))
            proof, after = engine.verify(plan, part, progress=told("verify"))
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
            kept = _written(plan.policy, opened, place, part, proof)
            _check_replay(replayed, kept)
            made = LargeRelease(
                path=place,
                verification=proof,
                evaluation=evaluation,
                policy=kept,
                done=done,
                before=before,
                after=after,
                missing={name: plan.base.gaps.get(name, 0) for name in plan.base.names},
                warnings=(
                    *_about_sensitive(kept),
                    *cautions(
                        kept,
                        profiles=survey.profile(),
                        gaps=plan.base.gaps,
                        suppressed=done.hidden,
                        evaluation=evaluation,
                    ),
                ),
            )
            policy_part.write_text(kept.to_toml(), encoding="utf-8", newline="\n")
            for other, content in (more(made) if more else {}).items():
                beside = stack.enter_context(tables.aside(other, force=force))
                beside.write_text(content, encoding="utf-8", newline="\n")
            with uninterrupted():
                stack.close()
    for sentence in made.warnings:
        python_warnings.warn(sentence, ShoalWarning, stacklevel=3)
    return made


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


def _remove_parts(folder: Scratch) -> None:
    """Remove what an earlier run had written aside when it was killed."""
    for path in (folder.noted(_PARTS) or {}).get("paths", []):
        Path(path).unlink(missing_ok=True)
    folder.forget(_PARTS)


def planned(source: Source, survey: Survey, policy: Policy, sizes: Sizing) -> Plan:
    """The plan of a release, or the reason why this table cannot be released so."""
    _check_fits(policy)
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
    check_bounds(source, survey, found, policy.bounds)
    asked = sensitive_base(survey, policy.models, schema) if policy.models else None
    like = encode_chunk(survey.sample, found)
    size = policy.pieces or sizes.piece(columns=len(found.names), refined=policy.refinement is not None)
    most = max(1, size * like.count // survey.records)
    cuts = cut(like.space.points, most=most, least=max(1, most // 4))
    profiles = {profile.name: profile for profile in survey.profile()}
    return Plan(
        policy=replace(policy, schema=schema, pieces=size),
        survey=survey,
        base=found,
        sensitive=asked,
        cuts=cuts,
        piece=size,
        like=like if asked is None else replace(like, demands=asked.demands),
        facts=_facts(survey, found, like, policy),
        whole=tuple(name for name in found.measured if name not in found.dates and profiles[name].whole),
        distance=said.distance,
        round_integers=said.round_integers,
        keep_totals=said.keep_totals,
        options=said.own,
    )


def _check_fits(policy: Policy) -> None:
    """Refuse what needs the whole table at once."""
    survey, refinement = policy.survey, policy.refinement
    needing = {
        "missing values as wildcards": policy.missing == "wildcard",
        "households": bool(survey.households),
        "strata": bool(survey.strata),
        "sampling weights": bool(survey.sampling_weights),
        "a search that is limited by seconds": refinement is not None and refinement.seconds is not None,
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
        counts = np.zeros(len(column.distance), dtype=np.int64)
        for word, count in (survey.value_counts(column.name) or {}).items():
            counts[column.hierarchy.number(word)] += count
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


def _written(policy: Policy, source: Source, place: Path, part: Path, proof: Verification) -> Policy:
    """The policy with the facts of both files."""
    facts = {"kind": source.kind, "records": proof.records, "file": printable(source.path.name)}
    known = replace(
        policy,
        input={**facts, "sha256": source.sha256, "settings": dict(source.settings)},
        versions=versions(),
    )
    return known.with_output(
        file=printable(place.name),
        records=proof.records,
        classes=proof.classes,
        min_class=proof.min_class,
        sha256=tables.fingerprint(part),
    )


def _check_replay(old: Policy | None, policy: Policy) -> None:
    """A replay on the same input with the same versions, in the same format, must give the same bytes."""
    if old is None or not {"file", "sha256"} <= old.output.keys() or old.pieces is None:
        return
    formats = {tables.full_ending(Path(str(facts["file"]))) for facts in (old.output, policy.output)}
    same_input = "sha256" in old.input and old.input["sha256"] == policy.input.get("sha256")
    same = len(formats) == 1 and same_input and old.versions == policy.versions
    if same and old.output["sha256"] != policy.output["sha256"]:
        raise PromiseError.replay_differs()


class _Stages:
    """The progress of the stages, one after another."""

    def __init__(self, progress: Progress) -> None:
        self.progress, self.total = progress, 1

    def __call__(self, stage: str) -> Progress:
        names = list(_STAGES)
        before = sum(_STAGES[name] for name in names[: names.index(stage)])

        def told(done: int, total: int) -> None:
            self.total = max(self.total, total)
            self.progress(int(self.total * (before + _STAGES[stage] * done / max(total, 1))), self.total)

        return told

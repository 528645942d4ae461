"""The walk for a table that is larger than memory: from a file to a verified file, in pieces.

It is the walk of `shoal.anonymize` with an engine in the place of the rooms: survey, decide, deal out, work, deliver,
verify. The release appears under its name when it was read back and found to keep its promise, and not before.
"""

from __future__ import annotations

import os
import warnings as python_warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal import cluster, tables
from shoal.appearing import Appearing
from shoal.decide import decide
from shoal.engines.interface import ENGINES, LOCAL
from shoal.engines.local import LocalEngine
from shoal.engines.scratch import Scratch, scratch_path
from shoal.engines.sizing import sizing, whole_bytes
from shoal.errors import EngineError, OutputError, PromiseError, ShoalWarning, in_python
from shoal.pieced import MEMORY, Decided, LargeRelease, Stages, delivered, released, replayed, worked
from shoal.release import check_outputs, named_path, policy_path, printable, uninterrupted, versions
from shoal.schema import Names, Policy
from shoal.tables import ReadOptions
from shoal.tables.large import STREAMED, Source, Survey, open_source
from shoal.threads import using
from shoal.understanding import Hierarchies, Levels
from shoal.values import Progress, Verification, one_of, silent, whole_k

More = Mapping[Path, str]
"""Further files about a release, by their places."""


def anonymize_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    k: int,
    quasi_identifiers: Names,
    engine: str = LOCAL,
    master: str | None = None,
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
        A csv, tsv or Parquet file, and the place of the release; beside it appears its policy. On a cluster a Parquet
        file or a folder of them, and the folder of the release, by addresses such as ``hdfs:///data/register``.
    k, quasi_identifiers, decisions
        As for `shoal.anonymize`. What needs the whole table at once is refused: wildcards, households, strata, sampling
        weights and seconds.
    engine, master
        Who works: this machine (``local``) or a cluster (``spark``); with Spark, the session that is there, or a new
        one on this master.
    memory
        The most memory that the run may take, in bytes or as words such as ``2GB``: the table is cut into pieces that
        fit. With Spark, what each of its Python workers may take.
    scratch
        The folder in which a private scratch folder is made; that of the release where none is named. It is removed at
        the end. Only a run on this machine that was interrupted or killed leaves it, and the same run again goes on
        from there.
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
    if _on_cluster(engine, master, options):
        return cluster.anonymize_parquet(
            os.fspath(source),
            os.fspath(target),
            k=k,
            quasi_identifiers=quasi_identifiers,
            master=master,
            memory=memory,
            scratch=None if scratch is None else os.fspath(scratch),
            force=force,
            threads=threads,
            progress=progress,
            more=more,
            **decisions,
        )

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
    engine: str = LOCAL,
    master: str | None = None,
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
    if _on_cluster(engine, master, options):
        return cluster.replay_parquet(
            os.fspath(source),
            os.fspath(target),
            policy=policy,
            hierarchies=hierarchies,
            levels=levels,
            master=master,
            memory=memory,
            scratch=None if scratch is None else os.fspath(scratch),
            force=force,
            threads=threads,
            progress=progress,
            more=more,
        )
    folders = [Path(), Path(source).parent]
    if not isinstance(policy, Policy):
        folders.insert(0, Path(policy).parent)
        policy = Policy.read(policy)
    kept = policy

    def decided(survey: Survey) -> Policy:
        return replayed(kept, survey, hierarchies=hierarchies, levels=levels, folders=folders)

    with using(threads):
        return _walk(source, target, decided, memory, scratch, force, options, progress, more, old=kept)


def _on_cluster(engine: str, master: str | None, options: ReadOptions | None) -> bool:
    """Whether a cluster works; what it says nothing about is refused."""
    if one_of("engine", engine, ENGINES) == LOCAL:
        if master is not None:
            raise EngineError.only_spark("master (--master)")
        return False
    if options is not None and options != ReadOptions():
        raise EngineError.only_parquet()
    return True


def _walk(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    policy: Decided,
    memory: int | str,
    scratch: str | os.PathLike[str] | None,
    force: bool,
    options: ReadOptions | None,
    progress: Progress | None,
    more: Callable[[LargeRelease], More] | None,
    *,
    old: Policy | None = None,
) -> LargeRelease:
    """Survey, decide, deal out, work, deliver, verify."""
    place, ceiling = named_path(target), whole_bytes(memory)
    check_outputs([place, policy_path(place)], sources=[Path(source)], force=force)
    if (kind := tables.writable(place)) not in STREAMED:
        raise OutputError.not_streamed(place, kind)
    with Scratch(scratch_path(place, None if scratch is None else Path(scratch))) as folder:
        columns = len(open_source(source, options=options).names)
        sizes = sizing(ceiling, columns=columns)
        opened = open_source(source, options=options, rows=sizes.rows, size=sizes.chunk)
        engine = LocalEngine(opened, folder, sizes)
        stages = Stages(progress or silent)
        groups = worked(engine, policy, sizes, stages)
        with Appearing(force=force) as files:
            # the policy goes in first, so that it appears last: a policy never speaks of a release that is not there
            policy_part = files.aside(policy_path(place))
            part = files.aside(place)
            found = delivered(engine, groups, part, stages)
            kept = _written(groups.plan.policy, opened, place, part, found.proof)
            _check_replay(old, kept)
            made = released(groups, found, kept, place)
            policy_part.write_text(kept.to_toml(), encoding="utf-8", newline="\n")
            for other, content in (more(made) if more else {}).items():
                beside = files.aside(other)
                beside.write_text(content, encoding="utf-8", newline="\n")
            with uninterrupted():
                files.appear()
    for sentence in made.warnings:
        python_warnings.warn(in_python(sentence), ShoalWarning, stacklevel=3)
    return made


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

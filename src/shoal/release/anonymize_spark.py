"""Release on Spark: from a Spark DataFrame to a verified DataFrame, or from Parquet to a verified folder of Parquet.

It runs the out-of-core pipeline with Spark as its engine. A folder is published under its name only after Spark has
read it back and verified it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from shoal import data
from shoal.domain import Kind, Names, Policy, Progress, Schema, check_k
from shoal.engines.engine import TableProfile
from shoal.engines.memory_budget import check_memory, memory_budget
from shoal.engines.parts_plan import PartsPlan
from shoal.errors import OutputError, ShoalError, warn_user
from shoal.release.column_options import Hierarchies, Levels, load_policy
from shoal.release.file_release import DEFAULT_MEMORY, FileJob, FileRelease, file_release
from shoal.release.options import build_policy
from shoal.release.pipeline import PipelineResult, PolicyFactory, adapt_policy, check_features, run
from shoal.release.result import defer_signals, package_versions, printable_name
from shoal.system.threads import use_threads

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shoal.engines.spark.frame import ReleasedFrame
    from shoal.engines.spark.parquet_source import SparkSource
    from shoal.engines.spark.storage import HadoopStorage

_POLICY, _SUCCESS_FILE, RELEASED = ".policy.toml", "_SUCCESS", "released"


def anonymize_frame(
    frame: DataFrame,
    *,
    k: int,
    quasi_identifiers: Names,
    memory: int | str = DEFAULT_MEMORY,
    scratch: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **decisions: Any,
) -> ReleasedFrame:
    """Release a Spark DataFrame; called by `shoal.anonymize`.

    The records of the result are sorted by released values. Options that need the whole table in memory are refused.

    Parameters
    ----------
    frame
        Evaluated once; the result is stored in the scratch folder.
    memory
        Memory limit of a Python worker, in bytes or as text such as ``2GB``; it determines the size of the parts.
    scratch
        Address of a folder that all machines can access. Default: the checkpoint folder of the session, or with a local
        master a temporary folder. Its content is removed at the end, except for the release, which stays until the JVM
        exits.
    """
    from shoal.engines.spark.parquet_source import check_names

    check_k(k)
    check_names(frame)
    decisions |= {"k": k, "quasi_identifiers": quasi_identifiers}
    _check_early(frame.columns, decisions)

    def make_policy(profile: TableProfile) -> Policy:
        return build_policy(profile.sample, **decisions)

    with use_threads(threads):
        return _release_frame(frame, make_policy, memory, scratch, progress)


def replay_frame(
    frame: DataFrame,
    *,
    policy: Policy | str | os.PathLike[str],
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    memory: int | str = DEFAULT_MEMORY,
    scratch: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ReleasedFrame:
    """Repeat a release of a Spark DataFrame with its policy; called by `shoal.replay`."""
    first, folders = load_policy(policy)
    _check_features(wildcards=first.missing == "wildcard", households=first.survey.households)
    make_policy = partial(adapt_policy, first, hierarchies=hierarchies, levels=levels, folders=folders)
    with use_threads(threads):
        return _release_frame(frame, make_policy, memory, scratch, progress, is_replay=True)


def _release_frame(
    frame: DataFrame,
    make_policy: PolicyFactory,
    memory: int | str,
    scratch: str | None,
    progress: Progress | None,
    *,
    is_replay: bool = False,
) -> ReleasedFrame:
    from shoal.engines.spark.engine import SparkEngine
    from shoal.engines.spark.frame import ReleasedFrame
    from shoal.engines.spark.parquet_source import read_parquet, snapshot
    from shoal.engines.spark.run_jobs import translate_spark_errors
    from shoal.engines.spark.scratch_folder import default_scratch, scratch_folder
    from shoal.engines.spark.session import own_session, session_of

    session, ceiling = session_of(frame), check_memory(memory)
    with translate_spark_errors(), scratch_folder(session, default_scratch(session, scratch), keep=RELEASED) as folder:
        source = snapshot(own_session(session), frame, f"{folder}/table")
        part = f"{folder}/{RELEASED}"
        engine = SparkEngine(source, folder, memory_budget(ceiling, columns=len(source.names)), ordered=False)
        result = run(engine, make_policy, lambda: part, progress=progress, is_replay=is_replay)
        release = file_release(engine, result, _with_facts(source, result, {"kind": "spark"}), part)
        frame_released = read_parquet(session, part)
    for sentence in release.warnings:
        warn_user(sentence)
    return ReleasedFrame(frame_released, release)


def release_parquet(
    job: FileJob,
    make_policy: PolicyFactory,
    decisions: Mapping[str, Any] | None = None,
    *,
    replayed: Policy | None = None,
) -> FileRelease:
    """Release Parquet files to a folder of Parquet; called by `shoal.anonymize_file` and `shoal.replay_file`.

    ``decisions`` are checked before the records are read.
    """
    from shoal.engines.spark.engine import SparkEngine
    from shoal.engines.spark.parquet_source import open_parquet
    from shoal.engines.spark.run_jobs import translate_spark_errors
    from shoal.engines.spark.scratch_folder import scratch_folder
    from shoal.engines.spark.session import open_session as session_for
    from shoal.engines.spark.session import own_session
    from shoal.engines.spark.storage import HadoopStorage

    ceiling = check_memory(job.memory)
    if replayed is not None:
        _check_features(wildcards=replayed.missing == "wildcard", households=replayed.survey.households)
    with session_for(job.master) as session, translate_spark_errors():
        storage = HadoopStorage(session)
        address = storage.resolve(os.fspath(job.source))
        destination = storage.qualified(storage.resolve(os.fspath(job.target)))
        _check_destination(storage, destination, address, force=job.force)
        with ExitStack() as folders:
            # the release is renamed into place, so it must be written on the same file system
            publish_folder = folders.enter_context(scratch_folder(session, storage.parent(destination)))
            folder = publish_folder
            if job.scratch is not None:
                folder = folders.enter_context(scratch_folder(session, os.fspath(job.scratch)))
            source = open_parquet(own_session(session), address)
            _check_outside_input(storage, destination, source)
            if decisions is not None:
                _check_early(source.names, decisions, source.records)
            part, policy_part = f"{publish_folder}/{RELEASED}", f"{publish_folder}/policy"
            engine = SparkEngine(source, folder, memory_budget(ceiling, columns=len(source.names)), ordered=True)
            result = run(engine, make_policy, lambda: part, progress=job.progress, is_replay=replayed is not None)
            policy = _with_facts(source, result, {"kind": "parquet", "file": printable_name(storage.name(address))})
            final_policy = policy.with_output(**{**policy.output, "file": printable_name(storage.name(destination))})
            release = file_release(engine, result, final_policy, destination)
            storage.write(policy_part, final_policy.to_toml())
            with ExitStack() as stack:
                for other, content in (job.extra_files(release) if job.extra_files else {}).items():
                    extra_part = stack.enter_context(data.atomic_write(other, force=job.force))
                    extra_part.write_text(content, encoding="utf-8", newline="\n")
                with defer_signals():
                    _publish(storage, part, policy_part, destination, force=job.force)
                    stack.close()
    for sentence in release.warnings:
        warn_user(sentence)
    return release


def _check_early(names: Sequence[str], decisions: Mapping[str, Any], records: int | None = None) -> None:
    """Raise on invalid options before the records are read, which may take long."""
    check_k(decisions["k"], records)
    roles = ("quasi_identifiers", "identifiers", "sensitive", "keep")
    Schema.assign([(name, Kind.NOMINAL) for name in names], **{role: decisions.get(role, ()) for role in roles})
    _check_features(wildcards=decisions.get("missing_values") == "wildcard", households=decisions.get("households"))


def _check_features(*, wildcards: bool, households: object) -> None:
    """Refuse what Spark cannot do before the records are read."""
    from shoal.engines.spark.engine import SparkEngine

    check_features(SparkEngine.unsupported, wildcards=wildcards, households=households)


def _check_destination(storage: HadoopStorage, place: str, address: str, *, force: bool) -> None:
    """Raise on a destination that cannot be written, above all the input itself."""
    if _is_inside(storage.without_links(place), storage.without_links(address)) or _is_inside(
        storage.without_links(address), storage.without_links(place)
    ):
        raise OutputError.is_input(place)
    if not storage.exists(storage.parent(place)):
        raise OutputError.no_folder(storage.parent(place))
    for output in (place, place + _POLICY):
        if not force and storage.exists(output):
            raise OutputError.exists(output)


def _check_outside_input(storage: HadoopStorage, place: str, source: SparkSource) -> None:
    """Raise on a destination that contains a file of the input, via globs or links."""
    if any(_is_inside(storage.without_links(unquote(path)), storage.without_links(place)) for path in source.files):
        raise OutputError.is_input(place)


def _is_inside(address: str, folder: str) -> bool:
    return f"{address}/".startswith(f"{folder.rstrip('/')}/")


def _publish(storage: HadoopStorage, part: str, policy: str, place: str, *, force: bool) -> None:
    """Move the release to its destination, then its policy, so that a policy never appears without its release.

    Outputs that are replaced are moved away first and removed at the end. They are not in a scratch folder, so no
    failure loses them.
    """
    backup = f"{storage.parent(place)}/.shoal-old-{secrets.token_hex(8)}"
    replaced = [output for output in (place + _POLICY, place) if force and storage.exists(output)]
    atomic = storage.has_atomic_rename(place)
    storage.reset_permissions(part)
    if not atomic:  # files are moved one by one: readers must wait for the _SUCCESS file
        storage.remove(f"{part}/{_SUCCESS_FILE}")
    if replaced:
        storage.make_folder(backup)
    moved: list[str] = []
    published = False
    try:
        for output in replaced:
            storage.move(output, f"{backup}/{storage.name(output)}")
            moved.append(output)
        storage.move(part, place)
        published = True
        if not atomic:
            storage.write(f"{place}/{_SUCCESS_FILE}", "")
        storage.move(policy, place + _POLICY)
    except BaseException:
        _roll_back(storage, place, backup, moved, arrived=published)
        raise
    if replaced:
        storage.remove(backup)


def _roll_back(storage: HadoopStorage, place: str, backup: str, moved: list[str], *, arrived: bool) -> None:
    """Roll back. If that fails, raise an error that names the folder of the replaced outputs."""
    try:
        if arrived:
            storage.remove(place)
        for output in reversed(moved):
            storage.move(f"{backup}/{storage.name(output)}", output)
        complete = storage.is_empty(backup)  # a move that failed halfway may have left files there
    except ShoalError:
        complete = False
    if not complete:
        raise OutputError.not_restored(place, backup) from None
    storage.remove(backup)


def _with_facts(source: SparkSource, result: PipelineResult[PartsPlan], facts: Mapping[str, Any]) -> Policy:
    with_input = replace(
        result.policy,
        input={**facts, "records": source.records},
        versions={**package_versions(), "spark": source.session.version},
    )
    proof = result.proof
    return with_input.with_output(records=proof.records, classes=proof.classes, min_class=proof.min_class)

"""Release on Spark: from a Spark DataFrame to a verified DataFrame, or from Parquet to a verified folder of Parquet.

It runs the out-of-core pipeline with Spark as its engine. A folder is published under its name only after Spark has
read it back and verified it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from shoal.domain import Kind, Names, Policy, Progress, Schema, check_k
from shoal.engines.engine import TableProfile
from shoal.engines.memory_budget import check_memory, memory_budget
from shoal.errors import OptionError, OutputError, warn_user
from shoal.release.column_options import Hierarchies, Levels, PolicySource, load_policy
from shoal.release.file_release import DEFAULT_MEMORY, FileJob, FileRelease, file_release
from shoal.release.options import build_policy
from shoal.release.pipeline import PolicyFactory, adapt_policy, run
from shoal.release.save import ReleaseTransaction, package_versions, printable_name
from shoal.system.threads import use_threads

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shoal.engines.spark.frame import ReleasedFrame
    from shoal.engines.spark.parquet_source import SparkSource


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
    policy: PolicySource,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    memory: int | str = DEFAULT_MEMORY,
    scratch: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ReleasedFrame:
    """Repeat a release of a Spark DataFrame with its policy; called by `shoal.replay`."""
    first, folders = load_policy(policy)
    _refuse_wildcards(first.missing)
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
    from shoal.engines.spark.session import own_session, session_of
    from shoal.engines.spark.storage import RELEASED, HadoopStorage, default_scratch

    session, ceiling = session_of(frame), check_memory(memory)
    storage, base = HadoopStorage(session), default_scratch(session, scratch)
    with (
        translate_spark_errors(),
        storage.scratch_folder(base, keep=True) as kept,
        storage.scratch_folder(kept) as folder,
    ):
        source = snapshot(own_session(session), frame, f"{folder}/table")
        part = f"{kept}/{RELEASED}"
        engine = SparkEngine(source, folder, memory_budget(ceiling, columns=len(source.names)), ordered=False)
        result = run(engine, make_policy, lambda: part, progress=progress, is_replay=is_replay)
        policy = _with_input_facts(source, result.policy, {"kind": "spark"}).with_output(result.proof)
        release = file_release(engine, result, policy, part)
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
    from shoal.engines.spark.session import open_session as session_for
    from shoal.engines.spark.session import own_session
    from shoal.engines.spark.storage import HadoopStorage

    ceiling = check_memory(job.memory)
    if replayed is not None:
        _refuse_wildcards(replayed.missing)
    with session_for(job.master) as session, translate_spark_errors():
        storage = HadoopStorage(session)
        address = storage.resolve(os.fspath(job.source))
        destination = storage.qualified(storage.resolve(os.fspath(job.target)))
        storage.check_destination(destination, address, force=job.force)
        with ExitStack() as stack:
            # the release is renamed into place, so it must be written on the same file system
            beside = stack.enter_context(storage.scratch_folder(storage.parent(destination)))
            folder = beside
            if job.scratch is not None:
                folder = stack.enter_context(storage.scratch_folder(os.fspath(job.scratch)))
            source = open_parquet(own_session(session), address)
            if any(storage.is_inside(unquote(path), destination) for path in source.files):  # via globs or links
                raise OutputError.is_input(destination)
            if decisions is not None:
                _check_early(source.names, decisions, source.records)
            outputs = storage.release_outputs(beside, destination, force=job.force)
            files = stack.enter_context(ReleaseTransaction(outputs, force=job.force))
            engine = SparkEngine(source, folder, memory_budget(ceiling, columns=len(source.names)), ordered=True)
            is_replay = replayed is not None
            result = run(engine, make_policy, files.create_release, progress=job.progress, is_replay=is_replay)
            facts = {"kind": "parquet", "file": printable_name(storage.name(address))}
            policy = files.final_policy(_with_input_facts(source, result.policy, facts), result.proof)
            release = file_release(engine, result, policy, destination)
            files.commit_release(policy, result.proof, job.extra_files(release) if job.extra_files else {})
    for sentence in release.warnings:
        warn_user(sentence)
    return release


def _check_early(names: Sequence[str], decisions: Mapping[str, Any], records: int | None = None) -> None:
    """Raise on invalid options before the records are read, which may take long."""
    check_k(decisions["k"], records)
    roles = ("quasi_identifiers", "identifiers", "sensitive", "keep")
    Schema.assign([(name, Kind.NOMINAL) for name in names], **{role: decisions.get(role, ()) for role in roles})
    _refuse_wildcards(decisions.get("missing_values"))


def _refuse_wildcards(missing: object) -> None:
    """Refuse what Spark cannot do before the records are read."""
    if missing == "wildcard":
        raise OptionError.wildcards_in_pieces()


def _with_input_facts(source: SparkSource, policy: Policy, facts: Mapping[str, Any]) -> Policy:
    return replace(
        policy,
        input={**facts, "records": source.records},
        versions={**package_versions(), "spark": source.session.version},
    )

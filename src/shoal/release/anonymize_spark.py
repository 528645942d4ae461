"""Release on Spark: from a Spark DataFrame to a verified DataFrame, or from Parquet to a verified folder of Parquet.

It runs the out-of-core pipeline with Spark as its engine. A folder is published under its name only after Spark has
read it back and verified it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from shoal.domain import Policy, Progress
from shoal.engines.memory_budget import check_memory, memory_budget
from shoal.errors import OutputError, warn_user
from shoal.release.decisions import Decisions
from shoal.release.file_release import DEFAULT_MEMORY, FileJob, FileRelease, file_release
from shoal.release.pipeline import run
from shoal.release.save import ReleaseTransaction, package_versions, printable_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shoal.engines.spark.frame import ReleasedFrame
    from shoal.engines.spark.parquet_source import SparkSource


def release_frame(
    frame: DataFrame,
    decisions: Decisions,
    *,
    memory: int | str = DEFAULT_MEMORY,
    scratch: str | None = None,
    progress: Progress | None = None,
) -> ReleasedFrame:
    """Release a Spark DataFrame; called by `shoal.anonymize` and `shoal.replay`.

    The records of the result are sorted by released values. What needs the whole table in memory is refused.

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
    from shoal.engines.spark.engine import SparkEngine
    from shoal.engines.spark.frame import ReleasedFrame
    from shoal.engines.spark.parquet_source import check_names, read_parquet, snapshot
    from shoal.engines.spark.run_jobs import translate_spark_errors
    from shoal.engines.spark.session import own_session, session_of
    from shoal.engines.spark.storage import RELEASED, HadoopStorage, default_scratch

    check_names(frame)
    decisions.check_early(frame.columns)
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
        result = run(engine, decisions.policy, lambda: part, progress=progress, is_replay=decisions.is_replay)
        policy = _with_input_facts(source, result.policy, {"kind": "spark"}).with_output(result.proof)
        release = file_release(engine, result, policy, part)
        frame_released = read_parquet(session, part)
    for sentence in release.warnings:
        warn_user(sentence)
    return ReleasedFrame(frame_released, release)


def release_parquet(job: FileJob, decisions: Decisions) -> FileRelease:
    """Release Parquet files to a folder of Parquet; called by `shoal.anonymize_file` and `shoal.replay_file`."""
    from shoal.engines.spark.engine import SparkEngine
    from shoal.engines.spark.parquet_source import open_parquet
    from shoal.engines.spark.run_jobs import translate_spark_errors
    from shoal.engines.spark.session import open_session as session_for
    from shoal.engines.spark.session import own_session
    from shoal.engines.spark.storage import HadoopStorage

    ceiling = check_memory(job.memory)
    if decisions.first is not None:
        decisions.check_early(())  # before a session starts
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
            decisions.check_early(source.names, source.records)
            outputs = storage.release_outputs(beside, destination, force=job.force)
            files = stack.enter_context(ReleaseTransaction(outputs, force=job.force))
            engine = SparkEngine(source, folder, memory_budget(ceiling, columns=len(source.names)), ordered=True)
            is_replay = decisions.is_replay
            result = run(engine, decisions.policy, files.create_release, progress=job.progress, is_replay=is_replay)
            facts = {"kind": "parquet", "file": printable_name(storage.name(address))}
            policy = files.final_policy(_with_input_facts(source, result.policy, facts), result.proof)
            release = file_release(engine, result, policy, destination)
            files.commit_release(policy, result.proof, job.extra_files(release) if job.extra_files else {})
    for sentence in release.warnings:
        warn_user(sentence)
    return release


def _with_input_facts(source: SparkSource, policy: Policy, facts: Mapping[str, Any]) -> Policy:
    return replace(
        policy,
        input={**facts, "records": source.records},
        versions={**package_versions(), "spark": source.session.version},
    )

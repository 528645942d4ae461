"""Public functions that release a file of any size to a verified file.

They run the pipeline with the local engine, or hand over to Spark. The release appears under
its name only after its verification.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal import data
from shoal.data import ReadOptions
from shoal.data.chunked import CHUNKED_FORMATS, open_chunked
from shoal.domain import Names, Progress, check_choice, check_k
from shoal.engines.engine import ENGINES, LOCAL
from shoal.engines.local import LocalEngine
from shoal.engines.memory_budget import check_memory, memory_budget
from shoal.errors import EngineError, OutputError, warn_user
from shoal.release.anonymize_spark import release_parquet
from shoal.release.arguments import public_function
from shoal.release.column_options import Hierarchies, Levels, PolicySource
from shoal.release.decisions import Decisions
from shoal.release.file_release import DEFAULT_MEMORY, FileJob, FileRelease, file_release
from shoal.release.pipeline import run
from shoal.release.save import (
    ExtraFiles,
    ReleaseTransaction,
    check_path,
    check_release_paths,
    package_versions,
    policy_path,
    printable_name,
)
from shoal.system.scratch import ScratchFolder, scratch_path
from shoal.system.threads import use_threads


@public_function(forwards=True)
def anonymize_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    k: int,
    quasi_identifiers: Names,
    engine: str = LOCAL,
    master: str | None = None,
    memory: int | str = DEFAULT_MEMORY,
    scratch: str | os.PathLike[str] | None = None,
    force: bool = False,
    options: ReadOptions | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    extra_files: Callable[[FileRelease], ExtraFiles] | None = None,
    **decisions: Any,
) -> FileRelease:
    """Release a file of any size to another file with verified k-anonymity.

    Parameters
    ----------
    source, target
        A csv, tsv or Parquet file, and the file of the release; its policy is written next to it. With Spark, a Parquet
        file or a folder of them, and the folder of the release, as addresses such as ``hdfs:///data/register``.
    k, quasi_identifiers, decisions
        As for `shoal.anonymize`. Missing values as wildcards are refused, because they need the whole table in memory.
        The column of households must be released.
    engine, master
        Where to run: on this machine (``local``) or on a cluster (``spark``). Spark uses the active session, or starts
        one with this master.
    memory
        Memory limit of the run, in bytes or as text such as ``2GB``: the table is split into parts that fit. With
        Spark, the limit of each Python worker.
    scratch
        Folder for the private scratch folder; by default the folder of the release. The scratch folder is removed at
        the end. A local run that was interrupted or killed leaves it, and the same run resumes from it.
    force
        Replace existing outputs.
    options
        How to read the file; the rest is detected.
    threads
        Number of threads. The release does not depend on it.
    progress
        Called with the number of finished records and of all records.
    extra_files
        Returns further files about the release, which are published together with it.

    Raises
    ------
    ShoalError
        What is wrong and what to do, in one sentence. Nothing is released.
    """
    check_k(k)
    job = FileJob(source, target, memory, scratch, force, progress, extra_files, options, master)
    on_cluster = _on_cluster(engine, job)
    return _release(job, Decisions({**decisions, "k": k, "quasi_identifiers": quasi_identifiers}), threads, on_cluster)


@public_function()
def replay_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    policy: PolicySource,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    engine: str = LOCAL,
    master: str | None = None,
    memory: int | str = DEFAULT_MEMORY,
    scratch: str | os.PathLike[str] | None = None,
    force: bool = False,
    options: ReadOptions | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    extra_files: Callable[[FileRelease], ExtraFiles] | None = None,
) -> FileRelease:
    """Repeat an out-of-core release with its policy, or release new data with it.

    The size of the parts is taken from the policy, if recorded there, so that the same input gives the same bytes.
    """
    job = FileJob(source, target, memory, scratch, force, progress, extra_files, options, master)
    on_cluster = _on_cluster(engine, job)
    folders = [] if on_cluster else [Path(source).parent]
    decisions = Decisions.of_policy(policy, hierarchies=hierarchies, levels=levels, folders=folders)
    return _release(job, decisions, threads, on_cluster)


def _release(job: FileJob, decisions: Decisions, threads: int | None, on_cluster: bool) -> FileRelease:
    with use_threads(threads):
        return release_parquet(job, decisions) if on_cluster else _release_file(job, decisions)


def _on_cluster(engine: str, job: FileJob) -> bool:
    """Return whether Spark runs the release; refuse options of the other engine."""
    if check_choice("engine", engine, ENGINES) == LOCAL:
        if job.master is not None:
            raise EngineError.spark_only_option("master (--master)")
        return False
    if job.options is not None and job.options != ReadOptions():
        raise EngineError.import_options_not_supported()
    return True


def _release_file(job: FileJob, decisions: Decisions) -> FileRelease:
    path, ceiling = check_path(job.target), check_memory(job.memory)
    check_release_paths([path, policy_path(path)], sources=[Path(job.source)], force=job.force)
    if (kind := data.writable_format(path)) not in CHUNKED_FORMATS:
        raise OutputError.not_streamed(path, kind)
    with (
        ScratchFolder(scratch_path(path, None if job.scratch is None else Path(job.scratch))) as folder,
        ReleaseTransaction(path, force=job.force) as files,
    ):
        chunked = open_chunked(job.source, options=job.options)
        sizes = memory_budget(ceiling, columns=len(chunked.names))
        chunked = chunked.resized(rows=sizes.chunk_rows, size=sizes.chunk_bytes)
        engine = LocalEngine(chunked, folder, sizes)
        is_replay, replayed = decisions.is_replay, decisions.first
        result = run(engine, decisions.policy, files.create_release, progress=job.progress, is_replay=is_replay)
        facts = {"kind": chunked.kind, "records": result.proof.records, "file": printable_name(chunked.path.name)}
        facts |= {"sha256": chunked.sha256, "settings": dict(chunked.settings)}
        policy = replace(result.policy, input=facts, versions=package_versions())
        if replayed is not None and replayed.pieces is None:
            replayed = None  # the size of the parts may differ
        policy = files.final_policy(policy, result.proof, replayed=replayed)
        release = file_release(engine, result, policy, path)
        files.commit_release(policy, result.proof, job.extra_files(release) if job.extra_files else {})
    for sentence in release.warnings:
        warn_user(sentence)
    return release

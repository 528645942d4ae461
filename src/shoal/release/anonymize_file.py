"""Public functions that release a file of any size to a verified file.

They run the out-of-core pipeline of `shoal.release.out_of_core` on one machine, or hand over to Spark. The release is published
under its name only after its verification.
"""

from __future__ import annotations

import os
import warnings as python_warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal import data
from shoal.data import ReadOptions
from shoal.data.chunked import CHUNKED_FORMATS, ChunkedFile, TableStatistics, open_chunked
from shoal.domain import Names, Policy, Progress, Verification, check_choice, check_k, no_progress
from shoal.engines.engine import ENGINES, LOCAL
from shoal.engines.local import LocalEngine
from shoal.engines.memory_budget import check_memory, memory_budget
from shoal.errors import EngineError, OutputError, PromiseError, ShoalWarning, in_python
from shoal.release import anonymize_spark
from shoal.release.column_options import Hierarchies, Levels
from shoal.release.options import build_policy
from shoal.release.out_of_core import (
    DEFAULT_MEMORY,
    LargeRelease,
    PolicyFactory,
    StageProgress,
    build_release,
    process_table,
    replay_policy,
    write_and_verify,
)
from shoal.release.result import (
    check_path,
    check_release_paths,
    defer_signals,
    package_versions,
    policy_path,
    printable_name,
)
from shoal.system.scratch import ScratchFolder, scratch_path
from shoal.system.threads import use_threads
from shoal.system.transaction import FileTransaction

ExtraFiles = Mapping[Path, str]
"""Contents of further files about a release, by path."""


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
    more: Callable[[LargeRelease], ExtraFiles] | None = None,
    **decisions: Any,
) -> LargeRelease:
    """Release a file of any size to another file with verified k-anonymity.

    Parameters
    ----------
    source, target
        A csv, tsv or Parquet file, and the file of the release; its policy is written next to it. With Spark, a Parquet
        file or a folder of them, and the folder of the release, as addresses such as ``hdfs:///data/register``.
    k, quasi_identifiers, decisions
        As for `shoal.anonymize`. Options that need the whole table in memory are refused: wildcards, households,
        strata, sampling weights and seconds.
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
    more
        Returns further files about the release, which are published together with it.

    Raises
    ------
    ShoalError
        What is wrong and what to do, in one sentence. Nothing is released.
    """
    check_k(k)
    if _on_cluster(engine, master, options):
        return anonymize_spark.anonymize_parquet(
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

    def policy(survey: TableStatistics) -> Policy:
        return build_policy(survey.sample, k=k, quasi_identifiers=quasi_identifiers, **decisions)

    with use_threads(threads):
        return _run(source, target, policy, memory, scratch, force, options, progress, more)


def replay_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    policy: Policy | str | os.PathLike[str],
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
    more: Callable[[LargeRelease], ExtraFiles] | None = None,
) -> LargeRelease:
    """Repeat an out-of-core release with its policy, or release new data with it.

    The size of the parts is taken from the policy, if recorded there, so that the same input gives the same bytes.
    """
    if _on_cluster(engine, master, options):
        return anonymize_spark.replay_parquet(
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
    loaded = policy

    def make_policy(survey: TableStatistics) -> Policy:
        return replay_policy(loaded, survey, hierarchies=hierarchies, levels=levels, folders=folders)

    with use_threads(threads):
        return _run(source, target, make_policy, memory, scratch, force, options, progress, more, old=loaded)


def _on_cluster(engine: str, master: str | None, options: ReadOptions | None) -> bool:
    """Return whether Spark runs the release; refuse options of the other engine."""
    if check_choice("engine", engine, ENGINES) == LOCAL:
        if master is not None:
            raise EngineError.spark_only_option("master (--master)")
        return False
    if options is not None and options != ReadOptions():
        raise EngineError.import_options_not_supported()
    return True


def _run(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    policy: PolicyFactory,
    memory: int | str,
    scratch: str | os.PathLike[str] | None,
    force: bool,
    options: ReadOptions | None,
    progress: Progress | None,
    more: Callable[[LargeRelease], ExtraFiles] | None,
    *,
    old: Policy | None = None,
) -> LargeRelease:
    """Run the pipeline on one machine and publish the release."""
    path, ceiling = check_path(target), check_memory(memory)
    check_release_paths([path, policy_path(path)], sources=[Path(source)], force=force)
    if (kind := data.writable_format(path)) not in CHUNKED_FORMATS:
        raise OutputError.not_streamed(path, kind)
    with ScratchFolder(scratch_path(path, None if scratch is None else Path(scratch))) as folder:
        columns = len(open_chunked(source, options=options).names)
        sizes = memory_budget(ceiling, columns=columns)
        chunked = open_chunked(source, options=options, rows=sizes.chunk_rows, size=sizes.chunk_bytes)
        engine = LocalEngine(chunked, folder, sizes)
        stages = StageProgress(progress or no_progress)
        groups = process_table(engine, policy, sizes, stages)
        with FileTransaction(force=force) as files:
            # files are moved in reverse order: the policy appears last, never without its release
            policy_part = files.add(policy_path(path))
            part = files.add(path)
            written = write_and_verify(engine, groups, part, stages)
            final_policy = _with_file_facts(groups.plan.policy, chunked, path, part, written.proof)
            _check_replay(old, final_policy)
            release = build_release(groups, written, final_policy, path)
            policy_part.write_text(final_policy.to_toml(), encoding="utf-8", newline="\n")
            for other, content in (more(release) if more else {}).items():
                extra_part = files.add(other)
                extra_part.write_text(content, encoding="utf-8", newline="\n")
            with defer_signals():
                files.commit()
    for sentence in release.warnings:
        python_warnings.warn(in_python(sentence), ShoalWarning, stacklevel=3)
    return release


def _with_file_facts(policy: Policy, source: ChunkedFile, place: Path, part: Path, proof: Verification) -> Policy:
    """Return the policy with the facts of the input and output files."""
    facts = {"kind": source.kind, "records": proof.records, "file": printable_name(source.path.name)}
    with_input = replace(
        policy,
        input={**facts, "sha256": source.sha256, "settings": dict(source.settings)},
        versions=package_versions(),
    )
    return with_input.with_output(
        file=printable_name(place.name),
        records=proof.records,
        classes=proof.classes,
        min_class=proof.min_class,
        sha256=data.file_sha256(part),
    )


def _check_replay(old: Policy | None, policy: Policy) -> None:
    """Raise if a replay of the same input with the same versions and format gives different bytes."""
    if old is None or not {"file", "sha256"} <= old.output.keys() or old.pieces is None:
        return
    formats = {data.full_extension(Path(str(facts["file"]))) for facts in (old.output, policy.output)}
    same_input = "sha256" in old.input and old.input["sha256"] == policy.input.get("sha256")
    same = len(formats) == 1 and same_input and old.versions == policy.versions
    if same and old.output["sha256"] != policy.output["sha256"]:
        raise PromiseError.replay_differs()

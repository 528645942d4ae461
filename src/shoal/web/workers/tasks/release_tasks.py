"""Tasks that anonymize: release, comparison, uniqueness of the original records, and kernel warm-up."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal import data
from shoal.errors import FileError, OutputError
from shoal.release import uniqueness as sample_uniques
from shoal.release.anonymize import anonymize
from shoal.release.bundle.write_bundle import bundle_writer
from shoal.release.compare import comparison as comparisons
from shoal.report.summary import report_facts
from shoal.system.transaction import atomic_folder
from shoal.web.errors import PageError
from shoal.web.projects.hierarchy_files import bytes_fingerprint

if TYPE_CHECKING:
    from shoal.domain import Policy
    from shoal.release.result import Release
    from shoal.release.save import ExtraFiles
    from shoal.web.workers.worker import WorkerContext

_UNIQUENESS_TIME_LIMIT = 3.0
_MIXED = ("age", "sex", "postcode", "education", "income")
"""Quasi-identifiers of the warm-up."""
_NICE = 5
"""In addition to that of all workers."""
_RECORDS, _LONGEST = 5, 80
"""Records displayed before and after, and characters of a cell."""


def release(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Create a release: anonymize, verify the written file, and add reports, bundle and policy. Return its files.

    Takes ``file``, the facts of its inspection (``looked``), ``arguments`` of `shoal.anonymize`, the fingerprints of
    the files among them (``marks``), the target ``folder`` and the facts of a ``comparison`` (or None). ``decisions``
    and their ``mark`` are stored with the release.

    The folder is replaced as a whole or not at all.
    """
    start, comparison = time.monotonic(), params.get("comparison")
    with atomic_folder(Path(params["folder"])) as folder:
        made = _make({**params, "arguments": _with_own_hierarchies(params, folder)}, context)
        context.stage("writing and verifying")

        def extra_files(policy: Policy) -> ExtraFiles:
            context.stage("writing reports")
            return {
                folder / "report.internal.html": made.report(policy=policy, comparison=comparison),
                folder / "report.external.html": made.report(policy=policy, comparison=comparison, external=True),
                folder / "released.bundle.zip": bundle_writer(made),
            }

        policy = made.save(folder / f"released{_ending(params['file'])}", extra_files=extra_files)
        facts = {**release_facts(made, policy), "files": _files(folder), "seconds": round(time.monotonic() - start, 1)}
        # the options and their fingerprint are in the folder, so that all are replaced in one step
        for name, content in (("facts.json", facts), ("decisions.json", params.get("decisions", {}))):
            (folder / name).write_text(json.dumps(content), encoding="utf-8")
        (folder / "mark").write_text(params.get("mark", ""), encoding="utf-8")
    return {"files": facts["files"], "seconds": facts["seconds"]}


def _make(params: Mapping[str, Any], context: WorkerContext) -> Release:
    table = context.inspected_table(params)
    with context.progress_stage("grouping alike records") as progress:
        made = anonymize(table, progress=progress, **params["arguments"])
    # the policy names the file as the user knows it
    return replace(made, policy=replace(made.policy, input={**made.policy.input, "file": params["file"]["name"]}))


def _ending(file: Mapping[str, Any]) -> str:
    """Return the ending of the input where its format can be written, else ``.csv``."""
    try:
        data.writable_format(Path(file["path"]))
    except OutputError:
        return ".csv"
    return data.full_extension(Path(file["path"]))


def _with_own_hierarchies(params: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Copy hierarchies and orders into the folder of the release, and return the arguments with these paths.

    The copies come first, since a user may change the files of the project meanwhile. To repeat the release, the policy
    needs them beside it.
    """
    arguments, marks = dict(params["arguments"]), params.get("marks", {})
    for option in (option for option in ("hierarchies", "levels") if option in arguments):
        (folder / "hierarchies").mkdir(mode=0o700, exist_ok=True)
        arguments[option] = {
            column: str(_copy_checked(Path(file), folder / "hierarchies", marks))
            for column, file in arguments[option].items()
        }
    return arguments


def _copy_checked(file: Path, folder: Path, marks: Mapping[str, str]) -> Path:
    try:
        raw = file.read_bytes()
    except OSError:
        raise FileError.missing(file.name) from None
    if marks.get(file.name, bytes_fingerprint(raw)) != bytes_fingerprint(raw):
        raise PageError.different_hierarchy(file.name)
    copy = folder / file.name
    copy.write_bytes(raw)
    return copy


def release_facts(made: Release, policy: Policy) -> dict[str, Any]:
    """Return all facts that the page displays. For internal use: like the internal report, they contain values of the
    data.
    """
    rows = made.row_comparison(_RECORDS)
    rows = replace(rows, before=_truncate(rows.before), after=_truncate(rows.after))
    return {**report_facts(made, policy=policy), "rows": asdict(rows)}


def _truncate(rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(cell if len(cell) <= _LONGEST else cell[:_LONGEST] + "…" for cell in row) for row in rows)


def _files(folder: Path) -> list[dict[str, Any]]:
    """Return every file with its size and its fingerprint."""
    return [
        {"name": path.relative_to(folder).as_posix(), "size": path.stat().st_size, "sha256": data.file_sha256(path)}
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]


def compare(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Compare several methods and levels of k: return a `Comparison` as plain data. Progress is counted in runs.

    Takes ``file``, the facts of its inspection (``looked``), levels of ``k``, ``methods`` (None for the usual ones),
    ``seconds`` (or None) and ``arguments``.
    """
    table = context.inspected_table(params)
    with context.progress_stage("comparing") as progress:
        comparison = comparisons.compare(
            table,
            k=params["k"],
            methods=params.get("methods"),
            time_limit=params.get("seconds"),
            progress=progress,
            **params["arguments"],
        )
    return comparison.to_dict()


def exposure(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Count the records that are unique now, and by which columns.

    Takes ``file``, ``quasi_identifiers`` and ``k`` (or None).
    """
    table = context.table(params["file"])
    context.stage("counting")
    result = sample_uniques.uniqueness(
        table, quasi_identifiers=params["quasi_identifiers"], k=params.get("k"), time_limit=_UNIQUENESS_TIME_LIMIT
    )
    return result.to_dict()


def warm(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Make small releases of ``rows`` generated records, to compile kernels before they are needed."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    records = data.example_register(params["rows"])
    context.stage("warming up")
    others = [name for name in records.columns if name not in (*_MIXED, "diagnosis")]
    for diversity in (None, 2):  # kernels do not depend on the kinds of columns, but on the models
        anonymize(records, k=3, quasi_identifiers=_MIXED, identifiers=others, sensitive=["diagnosis"], l=diversity)
    return {}

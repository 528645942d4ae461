"""Create a release: anonymize, verify the written file, and write it with its reports, bundle and policy."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import FileError, OutputError
from shoal.system.atomic_folder import atomic_folder
from shoal.web.errors import PageError
from shoal.web.projects.hierarchy_files import bytes_fingerprint

if TYPE_CHECKING:
    from shoal.domain import Policy
    from shoal.release.result import ExtraFiles, Release
    from shoal.web.workers.worker import WorkerContext

RELEASED, INTERNAL, EXTERNAL, BUNDLE = "released", "report.internal.html", "report.external.html", "released.bundle.zip"
FACTS, HIERARCHIES = "facts.json", "hierarchies"
DECISIONS, MARK = "decisions.json", "mark"
"""The options of a release and their fingerprint. They are in its folder, so that all are replaced in one step."""

_RECORDS, _LONGEST = 5, 80
"""Records displayed before and after, and characters of a cell."""


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Create a release and return the list of its files.

    Takes ``file``, the facts of its inspection (``looked``), ``arguments`` of `shoal.anonymize`, the fingerprints of
    the files among them (``marks``), the target ``folder``, the file ``ending`` (None for that of the input) and the
    facts of a ``comparison`` (or None). ``decisions`` and their ``mark`` are stored with the release.

    The folder is replaced as a whole or not at all.
    """
    start = time.monotonic()
    with atomic_folder(Path(params["folder"])) as folder:
        release = _made({**params, "arguments": _with_own_hierarchies(params, folder)}, context)
        context.stage("writing and verifying")
        output = folder / (RELEASED + (params.get("ending") or _ending(params["file"])))
        policy = release.save(
            output, more=lambda policy: _extra_files(release, policy, folder, params.get("comparison"), context)
        )
        facts = {
            **release_facts(release, policy),
            "files": _files(folder),
            "seconds": round(time.monotonic() - start, 1),
        }
        for name, content in ((FACTS, facts), (DECISIONS, params.get("decisions", {}))):
            (folder / name).write_text(json.dumps(content), encoding="utf-8")
        (folder / MARK).write_text(params.get("mark", ""), encoding="utf-8")
    return {"files": facts["files"], "seconds": facts["seconds"]}


def _made(params: Mapping[str, Any], context: WorkerContext) -> Release:
    from shoal.release.anonymize import anonymize

    table = context.inspected_table(params)
    with context.progress_stage("grouping alike records") as progress:
        release = anonymize(table, progress=progress, **params["arguments"])
    # the policy names the file as the user knows it
    return replace(
        release, policy=replace(release.policy, input={**release.policy.input, "file": params["file"]["name"]})
    )


def _ending(file: Mapping[str, Any]) -> str:
    """Return the ending of the input where its format can be written, else ``.csv``."""
    from shoal import data

    try:
        data.writable_format(Path(file["path"]))
    except OutputError:
        return ".csv"
    return data.full_extension(Path(file["path"]))


def _extra_files(release: Release, policy: Policy, folder: Path, comparison: Any, context: WorkerContext) -> ExtraFiles:
    """Return the extra files of the release: the reports and the bundle."""
    from shoal.release.bundle.write_bundle import bundle_writer

    context.stage("writing reports")
    return {
        folder / INTERNAL: release.report(policy=policy, comparison=comparison),
        folder / EXTERNAL: release.report(policy=policy, comparison=comparison, external=True),
        folder / BUNDLE: bundle_writer(release),
    }


def _with_own_hierarchies(params: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Copy hierarchies and orders into the folder of the release, and return the arguments with these paths.

    The copies come first, since a user may change the files of the project meanwhile. To repeat the release, the policy
    needs them beside it.
    """
    arguments, marks = dict(params["arguments"]), params.get("marks", {})
    for option in (option for option in ("hierarchies", "levels") if option in arguments):
        (folder / HIERARCHIES).mkdir(mode=0o700, exist_ok=True)
        arguments[option] = {
            column: str(_copy_checked(Path(file), folder / HIERARCHIES, marks))
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


def release_facts(release: Release, policy: Policy) -> dict[str, Any]:
    """Return all facts that the page displays. For internal use: like the internal report, they contain values of the
    data.
    """
    from shoal.report.summary import report_facts

    return {**report_facts(release, policy=policy, evaluation=release.evaluate("all")), "rows": _compared_rows(release)}


def _compared_rows(release: Release) -> dict[str, Any]:
    """Return a few records before and after, as text."""
    comparison = release.row_comparison(_RECORDS)
    before, after = (
        [[_truncated(cell) for cell in row] for row in rows] for rows in (comparison.before, comparison.after)
    )
    return {
        "names": comparison.names,
        "changed": comparison.changed,
        "records": comparison.records,
        "before": before,
        "after": after,
    }


def _truncated(cell: str) -> str:
    return cell if len(cell) <= _LONGEST else cell[:_LONGEST] + "…"


def _files(folder: Path) -> list[dict[str, Any]]:
    """Return every file with its size and its fingerprint."""
    from shoal import data

    return [
        {
            "name": path.relative_to(folder).as_posix(),
            "size": path.stat().st_size,
            "sha256": data.file_sha256(path),
        }
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]

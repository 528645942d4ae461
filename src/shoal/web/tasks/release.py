"""The release: made, verified as it stands in its file, and laid down with all that belongs to it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import FileError, OutputError, PageError
from shoal.web.making import making
from shoal.web.trees import mark_of

if TYPE_CHECKING:
    from shoal.release import More, Release
    from shoal.schema import Policy
    from shoal.web.worker import Room

RELEASED, INTERNAL, EXTERNAL, BUNDLE = "released", "report.internal.html", "report.external.html", "released.bundle.zip"
FACTS, HIERARCHIES = "facts.json", "hierarchies"
DECISIONS, MARK = "decisions.json", "mark"
"""What a release was made with, and the mark of it: in its folder, so that all of them change in one step."""

_RECORDS, _LONGEST = 5, 80
"""Records that are shown before and after, and characters of a cell."""


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """``file``, what a look at it told (``looked``), ``arguments`` of `shoal.anonymize`, the fingerprints of the files
    among them (``marks``), the ``folder`` that the release goes to, its ``ending`` (or None for that of the file) and
    the facts of a ``comparison`` (or None). ``decisions`` and their ``mark`` are laid down with it.

    The folder appears whole, in the place of an older one, or not at all. Answers with the list of its files.
    """
    begun = time.monotonic()
    with making(Path(asked["folder"])) as folder:
        made = _made({**asked, "arguments": _with_own_hierarchies(asked, folder)}, room)
        room.stage("writing and verifying")
        target = folder / (RELEASED + (asked.get("ending") or _ending(asked["file"])))
        saved = made.save(target, more=lambda policy: _more(made, policy, folder, asked.get("comparison"), room))
        facts = {
            **facts_of(made, saved),
            "files": _files(folder),
            "seconds": round(time.monotonic() - begun, 1),
        }
        for name, known in ((FACTS, facts), (DECISIONS, asked.get("decisions", {}))):
            (folder / name).write_text(json.dumps(known), encoding="utf-8")
        (folder / MARK).write_text(asked.get("mark", ""), encoding="utf-8")
    return {"files": facts["files"], "seconds": facts["seconds"]}


def _made(asked: Mapping[str, Any], room: Room) -> Release:
    from shoal.anonymize import anonymize

    table = room.looked_at(asked)
    with room.work("grouping alike records") as progress:
        made = anonymize(table, progress=progress, **asked["arguments"])
    # the policy names the file as its owner does, who will look for it by that name
    return replace(made, policy=replace(made.policy, input={**made.policy.input, "file": asked["file"]["name"]}))


def _ending(file: Mapping[str, Any]) -> str:
    """That of the file where its format can be written, else that of delimited text."""
    from shoal import tables

    try:
        tables.writable(Path(file["path"]))
    except OutputError:
        return ".csv"
    return tables.full_ending(Path(file["path"]))


def _more(made: Release, policy: Policy, folder: Path, comparison: Any, room: Room) -> More:
    """What appears with the release: the reports, and the bundle with all evidence."""
    from shoal.bundle.contents import bundling

    room.stage("writing reports")
    return {
        folder / INTERNAL: made.report(policy=policy, comparison=comparison),
        folder / EXTERNAL: made.report(policy=policy, comparison=comparison, external=True),
        folder / BUNDLE: bundling(made),
    }


def _with_own_hierarchies(asked: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The arguments with the files that say what values mean as they lie in the folder of the release.

    They are copied there first, since somebody may change those of the project while this goes on. The policy needs
    them beside it to make the release again.
    """
    arguments, marks = dict(asked["arguments"]), asked.get("marks", {})
    for option in (option for option in ("hierarchies", "levels") if option in arguments):
        (folder / HIERARCHIES).mkdir(mode=0o700, exist_ok=True)
        arguments[option] = {
            column: str(_copied(Path(file), folder / HIERARCHIES, marks)) for column, file in arguments[option].items()
        }
    return arguments


def _copied(file: Path, folder: Path, marks: Mapping[str, str]) -> Path:
    try:
        raw = file.read_bytes()
    except OSError:
        raise FileError.missing(file.name) from None
    if marks.get(file.name, mark_of(raw)) != mark_of(raw):
        raise PageError.other_hierarchy(file.name)
    copy = folder / file.name
    copy.write_bytes(raw)
    return copy


def facts_of(made: Release, policy: Policy) -> dict[str, Any]:
    """All that the page shows; for internal use, since it names values of the data as the internal report does."""
    from shoal.report.summary import detailed

    return {**detailed(made, policy=policy, evaluation=made.evaluate("all")), "rows": _rows(made)}


def _rows(made: Release) -> dict[str, Any]:
    """A few records before and after, as texts."""
    found = made.compared_rows(_RECORDS)
    before, after = ([[_short(cell) for cell in row] for row in rows] for rows in (found.before, found.after))
    return {"names": found.names, "changed": found.changed, "records": found.records, "before": before, "after": after}


def _short(cell: str) -> str:
    return cell if len(cell) <= _LONGEST else cell[:_LONGEST] + "…"


def _files(folder: Path) -> list[dict[str, Any]]:
    """Every file with its size and its fingerprint."""
    from shoal import tables

    return [
        {
            "name": place.relative_to(folder).as_posix(),
            "size": place.stat().st_size,
            "sha256": tables.fingerprint(place),
        }
        for place in sorted(folder.rglob("*"))
        if place.is_file()
    ]

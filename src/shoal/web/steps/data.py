"""Data: what a file holds, how it was read, and whether a copy of it is kept."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.aside import aside
from shoal.errors import OptionError, PageError
from shoal.web import uploads
from shoal.web.guard import Form
from shoal.web.interface import Project, Source
from shoal.web.pages import goto, page, pending, revision, step
from shoal.web.workplace import Workplace, workplace
from shoal.words import joined, short

_NAMED = 4
"""Columns that a doubt names."""
_ROWS = 8
"""Records of the preview."""
_LONGEST = 10_000
"""Characters of what is said about how a file is read."""
_WORDS = ("delimiter", "quote", "encoding", "decimal", "sheet")
_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space"}
_ENCODINGS = ("utf-8", "cp1252", "latin-1", "iso-8859-15", "utf-16", "cp850", "shift_jis", "gb18030")


async def data(request: Request) -> Response:
    place = workplace(request)
    return _shown(request, place.project(request))


def _shown(request: Request, project: Project) -> Response:
    place = workplace(request)
    source = project.source
    settings = dict(source.settings) if source is not None else {}
    return step(
        request,
        project,
        "data",
        at_hand=place.at_hand(project),
        looking=_looking(place, project),
        kind=_kind(place, project),
        read=_words(settings),
        reading=dict(project.reading),
        told=_told(project.reading),
        doubts=_doubts(source),
        missing=str(project.reading.get("missing", "")),
        delimiters=_DELIMITERS,
        encodings=_ENCODINGS,
        missing_cells=0 if source is None else sum(column.missing for column in source.columns),
        follows=_followed(place, project),
        endings=uploads.ENDINGS,
        most=place.max_upload,
        folder=str(place.store.folder("")),
    )


def _kind(place: Workplace, project: Project) -> str:
    """The format of the file; its ending tells that of one that could not be read."""
    path = place.files.get(project.id)
    if project.source is not None and _looking(place, project) != "failed":
        return project.source.kind
    return uploads.format_of(path) or "" if path is not None else ""


def _told(reading: Mapping[str, Any]) -> dict[str, Any]:
    """What was said about how the file is to be read, as the fields of a form."""
    words = {True: "yes", False: "no"}
    return {name: words[value] if isinstance(value, bool) else value for name, value in reading.items()}


def _doubts(source: Source | None) -> dict[str, str]:
    """The columns that look as if they were read in the wrong way, in words; empty where there are none."""
    found = {} if source is None else source.doubts
    return {about: _listed(found.get(about, ())) for about in ("names", "numbers", "dates")}


def _listed(names: Sequence[str]) -> str:
    more = [f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
    return joined([*(f"“{short(name)}”" for name in names[:_NAMED]), *more])


def _looking(place: Workplace, project: Project) -> str:
    """How far the look at the file is: the state of its job, or empty where there is none."""
    job = place.jobs.of(project.id)
    return job.state if job is not None and job.task in ("look", "example") else ""


def _followed(place: Workplace, project: Project) -> str:
    """The name of the project whose decisions were taken over; it may be gone."""
    if not project.follows:
        return ""
    try:
        return place.store.read(project.follows).name
    except PageError:
        return "a project that is deleted now"


def _words(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How a file was read, as pairs of words."""
    found = [("Format", str(settings.get("format", "")))]
    if "sheet" in settings:
        found.append(("Sheet", str(settings["sheet"])))
    if "delimiter" in settings:
        mark = str(settings["delimiter"])
        found.append(("Fields end with", _DELIMITERS.get(mark, mark)))
    if "encoding" in settings:
        found.append(("Letters are written in", str(settings["encoding"])))
    if "decimal" in settings:
        found.append(("Decimals begin with", "a comma" if settings["decimal"] == "," else "a point"))
    if "header" in settings:
        found.append(("First line", "names of the columns" if settings["header"] else "a record"))
    return found


async def reading(request: Request) -> Response:
    """Read the file in another way, and look at it again."""
    place = workplace(request)
    project = place.project(request)
    place.file(project)
    said = _said(request.state.form)
    await place.desk.forget(project.id)
    place.jobs.check(project.id)  # nothing is said about a file that nobody looks at then
    project = place.store.update(project.id, lambda found: replace(found, reading=said), revision=revision(request))
    uploads.look(place, project)
    return goto(f"/p/{project.id}/data")


def _said(form: Form) -> dict[str, Any]:
    """How a file is to be read; what nothing is said about is found out from the file."""
    for name in (*_WORDS, "missing"):
        if len(form.get(name)) > _LONGEST:
            raise OptionError.bad_option(name, f"at most {_LONGEST:,} characters")
    found: dict[str, Any] = {name: form.get(name) for name in _WORDS if form.get(name)}
    if form.get("header") in ("yes", "no"):
        found["header"] = form.get("header") == "yes"
    words = [word.strip() for word in form.get("missing").splitlines() if word.strip()]
    return {**found, "missing": "\n".join(words)} if words else found


async def keep(request: Request) -> Response:
    """Keep a copy of the file with the project, or remove it."""
    place = workplace(request)
    project = place.project(request)
    number = revision(request)
    if number != project.revision:
        raise PageError.changed_elsewhere()
    if request.state.form.get("keep") != "yes":
        place.store.update(project.id, lambda found: replace(found, keeps_data=False), revision=number)
        await asyncio.to_thread(_remove, place, project)
        return goto(f"/p/{project.id}/data")
    path = Path(place.file(project)["path"])
    await asyncio.to_thread(_copy, path, _kept(place, project, path))
    try:
        place.store.update(project.id, lambda found: replace(found, keeps_data=True), revision=number)
    except PageError:
        if not place.store.read(project.id).keeps_data:  # another file came meanwhile: nobody keeps this one
            _kept(place, project, path).unlink(missing_ok=True)
        raise
    return goto(f"/p/{project.id}/data")


def _kept(place: Workplace, project: Project, path: Path) -> Path:
    return place.store.folder(project.id) / f"data{uploads.ending(path.name)}"


def _copy(path: Path, copy: Path) -> None:
    if path != copy:
        with aside(copy, force=True) as part:
            part.chmod(0o600)
            shutil.copyfile(path, part)


def _remove(place: Workplace, project: Project) -> None:
    """Remove the copy; it stays at hand until the page ends where it is all that there is."""
    path = place.files.get(project.id)
    for copy in place.store.folder(project.id).glob("data.*"):
        if copy == path:
            place.files[project.id] = place.scratch / project.id / copy.name
            place.files[project.id].parent.mkdir(mode=0o700, exist_ok=True)
            shutil.move(copy, place.files[project.id])
        else:
            copy.unlink()


async def preview(request: Request) -> Response:
    """The first records, and what each column holds."""
    place = workplace(request)
    project = place.project(request)
    # a look comes first: it refuses what is too large to be read
    asked = {"file": place.looked(project), "rows": _ROWS}
    found = await place.desk.answer(project.id, "preview", asked)
    return pending() if found is None else page(request, "preview.html", project=project, found=found)


routes = [
    Route("/p/{id}/data", data),
    Route("/p/{id}/reading", reading, methods=["POST"]),
    Route("/p/{id}/keep", keep, methods=["POST"]),
    Route("/p/{id}/preview", preview),
]

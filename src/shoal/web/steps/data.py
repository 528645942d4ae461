"""Data: what a file holds, how it was read, and whether a copy of it is kept."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.aside import aside
from shoal.errors import PageError
from shoal.web import reading as settings
from shoal.web import uploads
from shoal.web.interface import Project, Source
from shoal.web.pages import goto, page, pending, revision, step
from shoal.web.steps.reading import kind, listed, questions
from shoal.web.workplace import Workplace, workplace

_ROWS = 8
"""Records of the preview."""


async def data(request: Request) -> Response:
    place = workplace(request)
    return _shown(request, place.project(request))


def _shown(request: Request, project: Project) -> Response:
    place = workplace(request)
    source = project.source
    return step(
        request,
        project,
        "data",
        at_hand=place.at_hand(project),
        looking=_looking(place, project),
        kind=kind(place, project),
        read=settings.facts(source.settings if source is not None else {}),
        questions=questions(place, project),
        doubts=_doubts(source),
        missing_cells=0 if source is None else sum(column.missing for column in source.columns),
        follows=_followed(place, project),
        endings=uploads.ENDINGS,
        most=place.max_upload,
        folder=str(place.store.folder("")),
    )


def _doubts(source: Source | None) -> dict[str, str]:
    """The columns of text that look like numbers or dates and fit no format, in words; empty where there are none."""
    if source is None:
        return {"numbers": "", "dates": ""}
    found = {about: [n for n in names if n not in source.questions] for about, names in source.doubts.items()}
    return {about: listed(found[about]) if found.get(about) else "" for about in ("numbers", "dates")}


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
    Route("/p/{id}/keep", keep, methods=["POST"]),
    Route("/p/{id}/preview", preview),
]

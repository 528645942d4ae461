"""Home: the projects that are kept, and where a new one starts."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.util import find_spec

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import OptionError
from shoal.web import uploads
from shoal.web.demands import whole
from shoal.web.interface import Project
from shoal.web.pages import goto, page, revision
from shoal.web.workplace import Workplace, workplace

_LOOKING = ("look", "example")
"""Tasks that end with what is known about a file."""
_LONGEST = 120
"""Characters of a name."""
_STATISTICS = ("fastexcel", "pyreadstat")
"""Packages without which files of Excel and of statistics programs cannot be read."""


@dataclass(frozen=True)
class Entry:
    """A project in the list."""

    project: Project
    state: str
    mood: str
    """How the state is shown: ``good``, ``warn``, ``bad`` or empty."""
    changed: str
    next: str
    """The step where one goes on."""


async def home(request: Request) -> Response:
    place = workplace(request)
    place.warm()
    projects, damaged = place.store.found()
    return page(
        request,
        "home.html",
        entries=[_entry(place, project) for project in projects],
        damaged=damaged,
        folder=str(place.store.folder("")),
        endings=uploads.ENDINGS,
        statistics=all(map(find_spec, _STATISTICS)),
        most=place.max_upload,
    )


def _entry(place: Workplace, project: Project) -> Entry:
    changed = datetime.fromisoformat(project.changed).astimezone().strftime("%Y-%m-%d %H:%M")
    state, mood, step = _state(place, project)
    return Entry(project, state, mood, changed, step)


def _state(place: Workplace, project: Project) -> tuple[str, str, str]:
    """How far a project is in words, how that is shown, and the step where one goes on."""
    job, choices = place.jobs.of(project.id), project.choices
    if job is not None and job.state == "running":
        return ("reading the file", "", "data") if job.task in _LOOKING else ("at work", "", "run")
    if project.released and project.released == project.mark and choices is not None:
        return f"release verified, k = {choices.k}", "good", "release"
    if project.released and not project.waits:
        return "decisions changed since the release", "warn", "release"
    if job is not None and job.state == "failed" and job.mark in ("", project.mark):
        return ("file not read", "bad", "data") if job.task in _LOOKING else ("run failed", "bad", "run")
    if project.id not in place.files and "example" not in project.origin:
        return "waiting for its file", "warn", "data"
    if choices is None or not project.looked_at:
        return "not read yet", "", "data"
    if choices.k is None:
        return "columns to be decided", "", "columns"
    return f"ready to run, k = {choices.k}", "", "run"


async def example(request: Request) -> Response:
    """A new project with a made-up register."""
    rows = whole(request.state.form.get("rows", "5000"), OptionError.bad_option("rows", "a whole number"))
    project = await uploads.take_example(workplace(request), rows)
    return goto(f"/p/{project.id}/data")


async def delete(request: Request) -> Response:
    """A project and all that is kept of it; a file that was only pointed to stays."""
    place = workplace(request)
    project = place.project(request)
    gone = place.store.withdraw(project.id)  # first: what is asked meanwhile finds no project any more
    await place.jobs.forget(project.id)
    await place.desk.forget(project.id)
    place.files.pop(project.id, None)
    place.drafts.forget(project.id)
    await asyncio.to_thread(shutil.rmtree, place.scratch / project.id, ignore_errors=True)
    await asyncio.to_thread(place.store.clear, gone)
    return goto("/")


async def rename(request: Request) -> Response:
    place = workplace(request)
    project = place.project(request)
    name = uploads.seen(request.state.form.get("name"))[:_LONGEST]
    if not name:
        raise OptionError.bad_option("name", "at least one letter")
    place.store.update(project.id, lambda found: replace(found, name=name), revision=revision(request))
    return goto(f"/p/{project.id}/data")


routes = [
    Route("/", home),
    Route("/example", example, methods=["POST"]),
    Route("/p/{id}/delete", delete, methods=["POST"]),
    Route("/p/{id}/rename", rename, methods=["POST"]),
]

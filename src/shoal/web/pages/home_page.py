"""Home page: the list of projects, and the start of a new one."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from importlib.util import find_spec

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.data.file_formats import EXTENSIONS
from shoal.errors import OptionError
from shoal.web.context import AppContext, app_context, project_context
from shoal.web.http.forms import parse_integer
from shoal.web.http.render import form_revision, redirect, render_page
from shoal.web.projects.incoming_files import create_example_project, printable
from shoal.web.projects.model import Project

_MAX_NAME = 120
_READERS = ("fastexcel", "pyreadstat")
"""Packages required to read Excel files and files of statistics programs."""


async def show(request: Request) -> Response:
    context = app_context(request)
    context.workers.start_warmup()
    projects, damaged = context.store.scan()
    return render_page(
        request,
        "home.html",
        entries=[(project, *_state(context, project)) for project in projects],
        damaged=damaged,
        folder=str(context.store.folder("")),
        endings=EXTENSIONS,
        statistics=all(map(find_spec, _READERS)),
        max_upload=context.max_upload,
    )


def _state(context: AppContext, project: Project) -> tuple[str, str, str]:
    """Return the state of a project in words, its severity (``good``, ``warn``, ``bad`` or empty), and the step to
    continue with.
    """
    job, choices = context.workers.job(project.id), project.choices
    if job is not None and job.state == "running":
        return ("reading the file", "", "data") if job.is_inspection else ("at work", "", "run")
    if project.released and project.released == project.mark and choices is not None:
        return f"release verified, k = {choices.k}", "good", "release"
    if project.released and not project.waits:
        return "decisions changed since the release", "warn", "release"
    if job is not None and job.state == "failed" and job.mark in ("", project.mark):
        return ("file not read", "bad", "data") if job.is_inspection else ("run failed", "bad", "run")
    if project.id not in context.files and "example" not in project.origin:
        return "waiting for its file", "warn", "data"
    if choices is None or not project.looked_at:
        return "not read yet", "", "data"
    if choices.k is None:
        return "columns to be decided", "", "columns"
    return f"ready to run, k = {choices.k}", "", "run"


async def example(request: Request) -> Response:
    rows = parse_integer(request.state.form.get("rows", "5000"), OptionError.invalid_value("rows", "a whole number"))
    project = await create_example_project(app_context(request), rows)
    return redirect(f"/p/{project.id}/data")


async def delete(request: Request) -> Response:
    """Delete a project with its files; a local file that was used in place stays."""
    context, project = project_context(request)
    deleted = context.store.detach(project.id)  # first, so that other requests no longer find it
    await context.workers.remove(project.id)
    context.files.pop(project.id, None)
    context.drafts.remove(project.id)
    await asyncio.to_thread(shutil.rmtree, context.scratch / project.id, ignore_errors=True)
    await asyncio.to_thread(context.store.purge, deleted)
    return redirect("/")


async def rename(request: Request) -> Response:
    context, project = project_context(request)
    name = printable(request.state.form.get("name"))[:_MAX_NAME]
    if not name:
        raise OptionError.invalid_value("name", "at least one letter")
    context.store.update(project.id, lambda now: replace(now, name=name), revision=form_revision(request))
    return redirect(f"/p/{project.id}/data")


routes = [
    Route("/", show),
    Route("/example", example, methods=["POST"]),
    Route("/p/{id}/delete", delete, methods=["POST"]),
    Route("/p/{id}/rename", rename, methods=["POST"]),
]

"""Data page: what a file contains, how it was read, and whether a copy of it is stored."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.data.file_formats import EXTENSIONS
from shoal.system.transaction import atomic_write
from shoal.web.context import AppContext, project_context
from shoal.web.errors import PageError
from shoal.web.http.render import check_revision, pending_response, redirect, render_page, render_step
from shoal.web.pages.import_page import file_format, list_columns, open_questions
from shoal.web.projects import import_settings as settings
from shoal.web.projects.incoming_files import file_ending
from shoal.web.projects.model import Project, SourceFile

_ROWS = 8


async def show(request: Request) -> Response:
    context, project = project_context(request)
    source, job = project.source, context.workers.job(project.id)
    return render_step(
        request,
        project,
        "data",
        has_file=context.has_file(project),
        inspection_state=job.state if job is not None and job.is_inspection else "",
        kind=file_format(context, project),
        read=settings.describe_settings(source.settings if source is not None else {}),
        questions=open_questions(context, project),
        doubts=_doubts(source),
        missing_cells=0 if source is None else sum(column.missing for column in source.columns),
        follows=_followed_name(context, project),
        endings=EXTENSIONS,
        max_upload=context.max_upload,
        folder=str(context.store.folder("")),
    )


def _doubts(source: SourceFile | None) -> dict[str, str]:
    """List the text columns that look like numbers or dates in no known format; empty where there are none."""
    if source is None:
        return {"numbers": "", "dates": ""}
    unclear = {about: [n for n in names if n not in source.questions] for about, names in source.doubts.items()}
    return {about: list_columns(unclear[about]) if unclear.get(about) else "" for about in ("numbers", "dates")}


def _followed_name(context: AppContext, project: Project) -> str:
    """Return the name of the project whose options were copied; it may be deleted."""
    if not project.follows:
        return ""
    try:
        return context.store.read(project.follows).name
    except PageError:
        return "a project that is deleted now"


async def keep(request: Request) -> Response:
    """Store a copy of the file with the project, or remove it."""
    context, project = project_context(request)
    check_revision(request, project)
    if request.state.form.get("keep") != "yes":
        context.store.update(project.id, lambda now: replace(now, keeps_data=False), revision=project.revision)
        await asyncio.to_thread(_remove, context, project)
        return redirect(f"/p/{project.id}/data")
    path = Path(context.file(project)["path"])
    await asyncio.to_thread(_copy, path, _copy_path(context, project, path))
    try:
        context.store.update(project.id, lambda now: replace(now, keeps_data=True), revision=project.revision)
    except PageError:
        if not context.store.read(project.id).keeps_data:  # the file was replaced meanwhile
            _copy_path(context, project, path).unlink(missing_ok=True)
        raise
    return redirect(f"/p/{project.id}/data")


def _copy_path(context: AppContext, project: Project, path: Path) -> Path:
    return context.store.folder(project.id) / f"data{file_ending(path.name)}"


def _copy(path: Path, copy: Path) -> None:
    if path != copy:
        with atomic_write(copy, force=True) as part:
            part.chmod(0o600)
            shutil.copyfile(path, part)


def _remove(context: AppContext, project: Project) -> None:
    """Remove the copy. If there is no other file, it is moved to the scratch folder and stays available until exit."""
    path = context.files.get(project.id)
    for copy in context.store.folder(project.id).glob("data.*"):
        if copy == path:
            context.files[project.id] = context.scratch / project.id / copy.name
            context.files[project.id].parent.mkdir(mode=0o700, exist_ok=True)
            shutil.move(copy, context.files[project.id])
        else:
            copy.unlink()


async def preview(request: Request) -> Response:
    """Fragment: the first records, and a summary of each column."""
    context, project = project_context(request)
    # inspection comes first: it refuses a file that is too large
    params = {"file": context.inspected_file(project), "rows": _ROWS}
    result = await context.workers.query(project.id, "preview", params)
    return (
        pending_response() if result is None else render_page(request, "preview.html", project=project, result=result)
    )


routes = [Route("/p/{id}/data", show), Route("/p/{id}/keep", keep, methods=["POST"]), Route("/p/{id}/preview", preview)]

"""Release page: verification, information loss and risk, and the files to download."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from shoal.report import distribution_charts, html
from shoal.report.format import format_brief, headline_measures
from shoal.report.svg_charts import LEGEND, bar_chart
from shoal.web.context import app_context
from shoal.web.errors import PageError
from shoal.web.http.render import redirect, render_step, safe_svg
from shoal.web.pages import recipes, wording
from shoal.web.pages.run_page import OPTIONS_FILE
from shoal.web.projects.model import Project, ReleaseChoices, SourceFile
from shoal.web.projects.release_files import ReleaseFile, release_files
from shoal.web.projects.store import ProjectStore

_FACTS = "release/facts.json"
_TYPES = {".csv": "text/csv", ".html": "text/html", ".json": "application/json", ".zip": "application/zip"}
_DEFAULT_TYPE = "application/octet-stream"
_MAX_CHARTS, _VISIBLE_CHARTS = 60, 4
"""Column charts in total, and those visible at first."""


async def show(request: Request) -> Response:
    context = app_context(request)
    project = context.project(request)
    facts = _facts(context.store, project)
    if facts is None:
        return render_step(request, project, "release", made=None)
    source, choices, reading = _release_options(context.store, project)
    files = release_files(project, source, facts)
    return render_step(
        request,
        project,
        "release",
        made=facts,
        proof=facts["verification"],
        figures=list(_figures(facts["evaluation"])),
        warnings=[(sentence, *wording.remedy(sentence)) for sentence in facts["warnings"]],
        compared=_compared_rows(facts.get("rows")),
        files=files,
        lost=safe_svg(_loss_chart(facts["evaluation"])),
        shapes=_distribution_charts(facts),
        at_once=_VISIBLE_CHARTS,
        key=safe_svg(LEGEND),
        stale=project.released != project.mark,
        differing=_changed_options(project, source, choices),
        recipes=_recipes(source, choices, reading, files),
    )


def _facts(store: ProjectStore, project: Project) -> dict[str, Any] | None:
    return store.read_results(project.id, _FACTS) if project.released else None


def _release_options(
    store: ProjectStore, project: Project
) -> tuple[SourceFile | None, ReleaseChoices | None, Mapping[str, Any]]:
    """Return the file, options and import settings of the release, which may differ from the current ones."""
    stored = store.read_results(project.id, OPTIONS_FILE)
    if stored is None:
        return None, None, {}
    return SourceFile.from_dict(stored["source"]), ReleaseChoices.from_dict(stored["choices"]), stored["reading"]


def _figures(evaluation: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the headline figures: label, value, and value of the original data."""
    before, after, loss = evaluation["risk"]["before"], evaluation["risk"]["after"], evaluation["loss"]
    risks = [(figure, after[figure.name], before.get(figure.name)) for figure in headline_measures("risk", after)]
    losses = [(figure, loss[figure.name], None) for figure in headline_measures("loss", loss)]
    return [
        (figure.label, format_brief(now, figure.unit), "" if was is None else format_brief(was, figure.unit))
        for figure, now, was in risks + losses
    ]


def _loss_chart(evaluation: Mapping[str, Any]) -> str:
    columns = sorted(evaluation["columns"].items(), key=lambda item: -item[1])
    rows = [(name, value, format_brief(value, "%")) for name, value in columns]
    return bar_chart(rows, "Loss of each column", whole=100) if rows else ""


def _distribution_charts(facts: Mapping[str, Any]) -> list[Markup]:
    """Return the distributions before and after, the columns with the highest loss first."""
    lost = facts["evaluation"]["columns"]
    distributions = sorted(facts.get("distributions", ()), key=lambda column: -lost.get(column["name"], 0.0))
    return [safe_svg(distribution_charts.distribution_chart(column)) for column in distributions[:_MAX_CHARTS]]


def _changed_options(
    project: Project, source: SourceFile | None, choices: ReleaseChoices | None
) -> list[tuple[str, str, str]]:
    if source is None or choices is None or project.source is None or project.choices is None:
        return []
    now = wording.describe_options(project.source, project.choices)
    changes = wording.changed_options(wording.describe_options(source, choices), now)
    return [("File", source.name, project.source.name), *changes] if source.sha256 != project.source.sha256 else changes


def _compared_rows(rows: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return some records before and after, cell by cell, with the changed columns first."""
    if not rows or not rows["records"]:
        return None
    order = sorted(range(len(rows["names"])), key=lambda index: rows["names"][index] not in rows["changed"])
    return {
        "names": [rows["names"][index] for index in order],
        "changed": [rows["names"][index] in rows["changed"] for index in order],
        "records": [
            (number, [was[index] for index in order], [now[index] for index in order])
            for number, was, now in zip(rows["records"], rows["before"], rows["after"], strict=True)
        ],
    }


def _recipes(
    source: SourceFile | None, choices: ReleaseChoices | None, reading: Mapping[str, Any], files: list[ReleaseFile]
) -> dict[str, str]:
    """Return the equivalent commands and code, with the file names of the downloads."""
    by_key = {file.key: file for file in files}
    if source is None or choices is None or not {"release", "policy"} <= by_key.keys():
        return {}
    output = by_key["release"].path.replace("released", "again", 1)
    return {
        "command": recipes.command(source, choices, reading=reading, output=output),
        "python": recipes.python_code(source, choices, reading=reading, output=output),
        "replay": recipes.replay_command(source, policy=by_key["policy"].name, output=output),
    }


async def download(request: Request) -> Response:
    """Download a file of the release, unless it was replaced since the page was rendered."""
    context = app_context(request)
    project = context.project(request)
    facts = _facts(context.store, project) or {}
    files = release_files(project, _release_options(context.store, project)[0], facts)
    file = next((entry for entry in files if entry.key == request.path_params["name"]), None)
    if file is None:
        raise PageError.release_not_available()
    if not file.sha256.startswith(request.query_params.get("sha256", "")):
        raise PageError.outdated_release()
    return FileResponse(
        _release_file(context.store, project, file.path),
        media_type=_TYPES.get(Path(file.name).suffix, _DEFAULT_TYPE),
        headers={"Content-Disposition": file.disposition},
    )


async def report(request: Request) -> Response:
    """Return a report as a page without any permissions; the internal one by default."""
    context = app_context(request)
    project = context.project(request)
    which = "external" if request.query_params.get("version") == "external" else "internal"
    path = _release_file(context.store, project, f"report.{which}.html")
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:  # a new release is replacing it
        raise PageError.release_not_available() from None
    policy = (
        f"sandbox; {html.content_security_policy(text)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return Response(text, media_type="text/html", headers={"Content-Security-Policy": policy})


def _release_file(store: ProjectStore, project: Project, name: str) -> Path:
    """Return the path of an existing file of the release; refuse symbolic links."""
    with suppress(PageError):
        path = store.path(project.id, f"release/{name}")
        if path.is_file():
            return path
    raise PageError.release_not_available()


async def following(request: Request) -> Response:
    """Create a project with the options of this one, for the next file."""
    context = app_context(request)
    project = context.project(request)
    store = context.store
    source, choices, reading = _release_options(store, project)
    hierarchies = store.path(project.id, "release/hierarchies")
    if source is None or choices is None:
        source, choices, reading = project.source, project.choices, project.reading
        hierarchies = store.hierarchies(project.id)
    if source is None or choices is None:
        raise PageError.file_not_available()
    # keep the column facts to match options by name; a source without a hash has no file
    expected = replace(source, sha256="")
    new = store.create(f"{project.name}, next", source=expected, choices=choices, reading=reading, follows=project.id)
    for path in sorted(hierarchies.glob("*-*.*")) if hierarchies.is_dir() else ():
        if path.is_file() and not path.is_symlink():
            shutil.copyfile(path, store.hierarchies(new.id) / path.name)
            (store.hierarchies(new.id) / path.name).chmod(0o600)
    return redirect(f"/p/{new.id}/data")


routes = [
    Route("/p/{id}/release", show),
    Route("/p/{id}/files/{name}", download),
    Route("/p/{id}/report", report),
    Route("/p/{id}/next", following, methods=["POST"]),
]

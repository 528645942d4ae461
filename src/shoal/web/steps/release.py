"""Release: what was verified, what it cost, and the files to take away."""

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

from shoal.errors import PageError
from shoal.report import html, shapes
from shoal.report.charts import KEY, bars
from shoal.report.figures import brief, headlines
from shoal.web import recipes, wording
from shoal.web.deposit import Deposited, deposit
from shoal.web.interface import Choices, Project, Source
from shoal.web.pages import drawn, goto, step
from shoal.web.steps.run import DECISIONS
from shoal.web.store import Store
from shoal.web.workplace import workplace

_FACTS = "release/facts.json"
_TYPES = {".csv": "text/csv", ".html": "text/html", ".json": "application/json", ".zip": "application/zip"}
_OTHER = "application/octet-stream"
_MOST_CHARTS, _AT_ONCE = 60, 4
"""Charts of columns that are drawn, and those of them that are seen at once."""


async def show(request: Request) -> Response:
    place = workplace(request)
    project = place.project(request)
    facts = _facts(place.store, project)
    if facts is None:
        return step(request, project, "release", made=None)
    source, choices, reading = _made_with(place.store, project)
    files = deposit(project, source, facts)
    return step(
        request,
        project,
        "release",
        made=facts,
        proof=facts["verification"],
        figures=list(_figures(facts["evaluation"])),
        warnings=[(sentence, *wording.remedy(sentence)) for sentence in facts["warnings"]],
        compared=_compared(facts.get("rows")),
        files=files,
        lost=drawn(_lost(facts["evaluation"])),
        shapes=_shapes(facts),
        at_once=_AT_ONCE,
        key=drawn(KEY),
        stale=project.released != project.mark,
        differing=_differing(project, source, choices),
        recipes=_recipes(source, choices, reading, files),
    )


def _facts(store: Store, project: Project) -> dict[str, Any] | None:
    return store.facts(project.id, _FACTS) if project.released else None


def _made_with(store: Store, project: Project) -> tuple[Source | None, Choices | None, Mapping[str, Any]]:
    """The file and the decisions that the release was made with, which may be others than those of now."""
    kept = store.facts(project.id, DECISIONS)
    if kept is None:
        return None, None, {}
    return Source.from_dict(kept["source"]), Choices.from_dict(kept["choices"]), kept["reading"]


def _figures(evaluation: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The headlines: what each is called, its figure now, and the one before."""
    before, after, loss = evaluation["risk"]["before"], evaluation["risk"]["after"], evaluation["loss"]
    risks = [(one, after[one.name], before.get(one.name)) for one in headlines("risk", after)]
    losses = [(one, loss[one.name], None) for one in headlines("loss", loss)]
    return [
        (one.label, brief(now, one.unit), "" if was is None else brief(was, one.unit))
        for one, now, was in risks + losses
    ]


def _lost(evaluation: Mapping[str, Any]) -> str:
    found = sorted(evaluation["columns"].items(), key=lambda item: -item[1])
    rows = [(name, value, brief(value, "%")) for name, value in found]
    return bars(rows, "Loss of each column", whole=100) if rows else ""


def _shapes(facts: Mapping[str, Any]) -> list[Markup]:
    """Columns before and after, those that lost most first."""
    lost = facts["evaluation"]["columns"]
    found = sorted(facts.get("distributions", ()), key=lambda one: -lost.get(one["name"], 0.0))
    return [drawn(shapes.section(one)) for one in found[:_MOST_CHARTS]]


def _differing(project: Project, source: Source | None, choices: Choices | None) -> list[tuple[str, str, str]]:
    if source is None or choices is None or project.source is None or project.choices is None:
        return []
    now = wording.decisions(project.source, project.choices)
    found = wording.changed(wording.decisions(source, choices), now)
    return [("File", source.name, project.source.name), *found] if source.sha256 != project.source.sha256 else found


def _compared(rows: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Some records before and after, cell by cell; the columns that the release changes come first."""
    if not rows or not rows["records"]:
        return None
    order = sorted(range(len(rows["names"])), key=lambda at: rows["names"][at] not in rows["changed"])
    return {
        "names": [rows["names"][at] for at in order],
        "changed": [rows["names"][at] in rows["changed"] for at in order],
        "records": [
            (number, [was[at] for at in order], [now[at] for at in order])
            for number, was, now in zip(rows["records"], rows["before"], rows["after"], strict=True)
        ],
    }


def _recipes(
    source: Source | None, choices: Choices | None, reading: Mapping[str, Any], files: list[Deposited]
) -> dict[str, str]:
    """How to do the same without the page, with the files as they are downloaded."""
    known = {one.key: one for one in files}
    if source is None or choices is None or not {"release", "policy"} <= known.keys():
        return {}
    output = known["release"].place.replace("released", "again", 1)
    return {
        "command": recipes.command(source, choices, reading=reading, output=output),
        "python": recipes.python(source, choices, reading=reading, output=output),
        "replay": recipes.replay(source, policy=known["policy"].name, output=output),
    }


async def download(request: Request) -> Response:
    """A file of the release, under the key that the page names it by, if it is still the one that the page offered."""
    place = workplace(request)
    project = place.project(request)
    facts = _facts(place.store, project) or {}
    files = deposit(project, _made_with(place.store, project)[0], facts)
    found = next((one for one in files if one.key == request.path_params["name"]), None)
    if found is None:
        raise PageError.no_release()
    if not found.sha256.startswith(request.query_params.get("sha256", "")):
        raise PageError.other_release()
    return FileResponse(
        _present(place.store, project, found.place),
        media_type=_TYPES.get(Path(found.name).suffix, _OTHER),
        headers={"Content-Disposition": found.disposition},
    )


async def report(request: Request) -> Response:
    """A report as a page of its own, which may do nothing at all; the internal one unless the other is asked for."""
    place = workplace(request)
    project = place.project(request)
    which = "external" if request.query_params.get("version") == "external" else "internal"
    path = _present(place.store, project, f"report.{which}.html")
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:  # another release takes its place just now
        raise PageError.no_release() from None
    policy = f"sandbox; {html.policy(text)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return Response(text, media_type="text/html", headers={"Content-Security-Policy": policy})


def _present(store: Store, project: Project, name: str) -> Path:
    """The path of a file of the release that is there; no link on the way leads elsewhere."""
    with suppress(PageError):
        path = store.place(project.id, f"release/{name}")
        if path.is_file():
            return path
    raise PageError.no_release()


async def following(request: Request) -> Response:
    """A new project with the decisions of this one, that waits for its file."""
    place = workplace(request)
    project = place.project(request)
    store = place.store
    source, choices, reading = _made_with(store, project)
    trees = store.place(project.id, "release/hierarchies")
    if source is None or choices is None:
        source, choices, reading = project.source, project.choices, project.reading
        trees = store.hierarchies(project.id)
    if source is None or choices is None:
        raise PageError.no_file()
    # what is known about the columns stays, so that decisions find them by name; a file without a fingerprint is none
    expected = replace(source, sha256="")
    new = store.new(f"{project.name}, next", source=expected, choices=choices, reading=reading, follows=project.id)
    for path in sorted(trees.glob("*-*.*")) if trees.is_dir() else ():
        if path.is_file() and not path.is_symlink():
            shutil.copyfile(path, store.hierarchies(new.id) / path.name)
            (store.hierarchies(new.id) / path.name).chmod(0o600)
    return goto(f"/p/{new.id}/data")


routes = [
    Route("/p/{id}/release", show),
    Route("/p/{id}/files/{name}", download),
    Route("/p/{id}/report", report),
    Route("/p/{id}/next", following, methods=["POST"]),
]

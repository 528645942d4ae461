"""Release page: verification, information loss and risk, and the files to download."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from shoal.errors.messages import quote_name
from shoal.report import html
from shoal.report.format import format_brief, headline_measures
from shoal.report.svg_charts import LEGEND, bar_chart, distribution_chart
from shoal.web.context import project_context
from shoal.web.errors import PageError
from shoal.web.http.render import redirect, render_step, safe_svg
from shoal.web.pages import recipes, wording
from shoal.web.pages.run_page import OPTIONS_FILE
from shoal.web.projects.model import Project, ReleaseChoices, SourceFile
from shoal.web.projects.store import ProjectStore

_FACTS = "release/facts.json"
_INTERNAL = "Internal use only"
_FILE_NAME = re.compile(
    r"(?P<policy>released\.[a-z0-9.]+\.policy\.toml)|(?P<bundle>released\.bundle\.zip)|(?P<release>released\.[a-z0-9.]+)"
    r"|(?P<report>report\.internal\.html)|(?P<external>report\.external\.html)"
    r"|hierarchies/(?P<tree>(hierarchy|levels)-(?P<number>[0-9]{1,9}))\.(json|txt)"
)
"""The only file names that can be downloaded from the folder of a release."""
_DESCRIPTIONS = {
    "release": ("The release", "The protected table.", "For the recipients"),
    "policy": (
        "Policy",
        "All decisions, as a text file that makes the same release again. It names columns and no value.",
        "For your own records",
    ),
    "external": (
        "External report",
        "What may be known about the release: rare values, small counts and extremes are left out.",
        "May go with the release",
    ),
    "report": ("Internal report", "Every figure, with values of the original data.", _INTERNAL),
    "bundle": (
        "Bundle",
        "All evidence in one file: release, policy, hierarchies, figures and fingerprints.",
        _INTERNAL,
    ),
}
_FILE_ENDING = re.compile(r"(\.[a-z0-9]{2,8})?(\.gz)?$", re.IGNORECASE)
_TYPES = {".csv": "text/csv", ".html": "text/html", ".json": "application/json", ".zip": "application/zip"}
_MAX_CHARTS, _VISIBLE_CHARTS = 60, 4
"""Column charts in total, and those visible at first."""


@dataclass(frozen=True)
class ReleaseFile:
    """A file of a release."""

    key: str
    """Name in the URL."""
    path: str
    """Path in the folder of the release."""
    name: str
    """Name of the downloaded file."""
    title: str
    description: str
    audience: str
    size: int
    sha256: str

    @property
    def internal(self) -> bool:
        """Whether it is for internal use only."""
        return self.audience == _INTERNAL

    @property
    def disposition(self) -> str:
        """Content-Disposition header, with a fallback name in ASCII."""
        ascii_name = unicodedata.normalize("NFKD", self.name).encode("ascii", "ignore").decode()
        ascii_name = re.sub(r"-{2,}", "-", re.sub(r"[^\w.-]", "-", ascii_name, flags=re.ASCII)).lstrip("-.") or self.key
        return f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(self.name, safe='')}"


async def show(request: Request) -> Response:
    context, project = project_context(request)
    facts = _facts(context.store, project)
    if facts is None:
        return render_step(request, project, "release", facts=None)
    options = _release_options(context.store, project)
    files = release_files(project, options[0] if options else None, facts)
    return render_step(
        request,
        project,
        "release",
        facts=facts,
        verification=facts["verification"],
        figures=list(_figures(facts["evaluation"])),
        warnings=[(sentence, *wording.remedy(sentence)) for sentence in facts["warnings"]],
        compared=_compared_rows(facts.get("rows")),
        files=files,
        loss_chart=safe_svg(_loss_chart(facts["evaluation"])),
        charts=_distribution_charts(facts),
        visible_charts=_VISIBLE_CHARTS,
        legend=safe_svg(LEGEND),
        stale=project.released != project.mark,
        differing=_changed_options(project, *options[:2]) if options else [],
        recipes=_recipes(*options, files) if options else {},
    )


def _facts(store: ProjectStore, project: Project) -> dict[str, Any] | None:
    return store.read_results(project.id, _FACTS) if project.released else None


_ReleaseOptions = tuple[SourceFile, ReleaseChoices, Mapping[str, Any]]


def _release_options(store: ProjectStore, project: Project) -> _ReleaseOptions | None:
    """Return the file, options and import settings of the release, which may differ from the current ones."""
    stored = store.read_results(project.id, OPTIONS_FILE)
    if stored is None:
        return None
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
    return [safe_svg(distribution_chart(column)) for column in distributions[:_MAX_CHARTS]]


def _changed_options(project: Project, source: SourceFile, choices: ReleaseChoices) -> list[tuple[str, str, str]]:
    if project.source is None or project.choices is None:
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
    source: SourceFile, choices: ReleaseChoices, reading: Mapping[str, Any], files: list[ReleaseFile]
) -> dict[str, str]:
    by_key = {file.key: file for file in files}
    if not {"release", "policy"} <= by_key.keys():
        return {}
    output = by_key["release"].path.replace("released", "again", 1)
    return {
        "command": recipes.command(source, choices, reading=reading, output=output),
        "python": recipes.python_code(source, choices, reading=reading, output=output),
        "replay": recipes.replay_command(source, policy=by_key["policy"].name, output=output),
    }


def release_files(project: Project, source: SourceFile | None, facts: Mapping[str, Any]) -> list[ReleaseFile]:
    """Return the files of a release in the order of their use."""
    order = [*_DESCRIPTIONS]
    files = list(_files(project, source, facts))
    return sorted(files, key=lambda file: (order.index(file.key) if file.key in order else len(order), file.path))


def _files(project: Project, source: SourceFile | None, facts: Mapping[str, Any]) -> Iterator[ReleaseFile]:
    stem = file_stem(project.name)
    entries = facts.get("files")
    for entry in entries if isinstance(entries, list) else ():
        match = _FILE_NAME.fullmatch(entry["name"]) if _is_file_entry(entry) else None
        if match is None:
            continue
        name, size, sha256 = Path(entry["name"]).name, entry["size"], entry["sha256"]
        if match["tree"]:
            column = _column(source, int(match["number"]))
            what = f"What the values of {column} mean; keep it beside the policy, which needs it. It names values."
            kind = "Order of values" if match["tree"].startswith("levels") else "Hierarchy"
            yield ReleaseFile(match["tree"], entry["name"], name, f"{kind} of {column}", what, _INTERNAL, size, sha256)
        else:
            key = next(name for name in _DESCRIPTIONS if match[name])
            yield ReleaseFile(key, entry["name"], f"{stem}-{name}", *_DESCRIPTIONS[key], size, sha256)


def _is_file_entry(file: Any) -> bool:
    """Whether this is a valid entry of the facts of a release, which may be damaged."""
    types = {"name": str, "size": int, "sha256": str}
    return isinstance(file, Mapping) and all(isinstance(file.get(name), kind) for name, kind in types.items())


def file_stem(name: str) -> str:
    """Return the name of a project as a file name, in any script."""
    stem = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", _FILE_ENDING.sub("", name))).strip("-._")
    return stem[:80] or "project"


def _column(source: SourceFile | None, number: int) -> str:
    exists = source is not None and 1 <= number <= len(source.columns)
    return quote_name(source.columns[number - 1].name) if source is not None and exists else f"column {number}"


async def download(request: Request) -> Response:
    """Download a file of the release, unless it was replaced since the page was rendered."""
    context, project = project_context(request)
    facts, options = _facts(context.store, project) or {}, _release_options(context.store, project)
    files = release_files(project, options[0] if options else None, facts)
    file = next((entry for entry in files if entry.key == request.path_params["name"]), None)
    if file is None:
        raise PageError.release_not_available()
    if not file.sha256.startswith(request.query_params.get("sha256", "")):
        raise PageError.outdated_release()
    return FileResponse(
        _release_file(context.store, project, file.path),
        media_type=_TYPES.get(Path(file.name).suffix, "application/octet-stream"),
        headers={"Content-Disposition": file.disposition},
    )


async def report(request: Request) -> Response:
    """Return a report as a page without any permissions; the internal one by default."""
    context, project = project_context(request)
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
    context, project = project_context(request)
    store = context.store
    options, hierarchies = _release_options(store, project), store.path(project.id, "release/hierarchies")
    if options is None:
        options, hierarchies = (*project.file_and_choices(), project.reading), store.hierarchies(project.id)
    source, choices, reading = options
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

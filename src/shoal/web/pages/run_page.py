"""Run page: compare options if wanted, then create the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shoal.errors import ColumnError, OptionError, OutputError, ShoalError
from shoal.microaggregation import registry
from shoal.options.table import EFFORTS
from shoal.report import frontier_chart
from shoal.web.context import AppContext, app_context, project_context
from shoal.web.errors import PageError
from shoal.web.http.forms import Form, parse_integer
from shoal.web.http.render import check_revision, form_revision, redirect, render_step, safe_svg
from shoal.web.pages import wording
from shoal.web.projects.arguments import column_arguments, protection_arguments, release_arguments
from shoal.web.projects.model import DEFAULT_EFFORT, Project, ReleaseChoices, SourceFile

COMPARISON_FILE, OPTIONS_FILE = "comparison.json", "release/decisions.json"
"""Stored results of a comparison, and the options of a release."""
LEVELS = (3, 5, 10, 20)
_TIME_LIMIT = 120.0
_PROMISING, _ALL = "promising", "all"
_EFFORT_ORDER = ("", *EFFORTS)
_FAST = "fast"
"""Effort of a comparison, which has many runs; its results are close to those of longer searches."""


async def show(request: Request) -> Response:
    context, project = project_context(request)
    job = context.workers.job(project.id)
    if project.source is None or project.choices is None or (job and job.is_inspection and job.state == "running"):
        return redirect(f"/p/{project.id}/data")
    if "then" in request.query_params and job and (job.task, job.state) == ("release", "done"):
        return redirect(f"/p/{project.id}/release")
    return _render(request, project)


def _render(
    request: Request, project: Project, error: ShoalError | None = None, *, sent: Form | None = None
) -> Response:
    """Render the page; with an error, the form keeps the values that were sent."""
    context, (source, choices) = app_context(request), project.file_and_choices()
    facts = context.store.read_results(project.id, COMPARISON_FILE)
    return render_step(
        request,
        project,
        "run",
        status=422 if error else 200,
        error=error.sentence if error else "",
        decisions=wording.describe_options(source, choices),
        unchanged=wording.list_unchanged(source, choices),
        unconfirmed=wording.list_names(choices.unconfirmed(source), quoted=True),
        has_file=project.looked_at and context.has_file(project),
        comparison=None if facts is None else _comparison_facts(project, choices, facts),
        comparison_form=_form(sent, facts),
        methods=[] if context.workers.has_running_job(project.id) else _methods(source, choices),
        levels=LEVELS,
        efforts=EFFORTS,
    )


def _methods(source: SourceFile, choices: ReleaseChoices) -> list[dict[str, str]]:
    kinds = choices.quasi_identifier_kinds(source)
    if not kinds:
        return []
    candidates = registry.methods().values()
    return [{"name": m.name, "summary": m.summary} for m in candidates if m.supports(kinds, records=source.records)]


def _form(form: Form | None, facts: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the values of the comparison form: those sent, else those of the last comparison."""
    if form is None:
        compared = sorted({point["k"] for point in facts["points"]}) if facts else LEVELS
        fields = {
            "own": ", ".join(str(k) for k in compared if k not in LEVELS),
            "seconds": f"{_TIME_LIMIT:g}",
            "effort": _FAST if facts is None else facts.get("effort", ""),
        }
        form = Form([*fields.items(), *(("k", str(k)) for k in compared)])
    return {
        "k": form.all("k"),
        "own": form.get("own"),
        "which": form.get("which", _PROMISING),
        "methods": form.all("method"),
        "seconds": form.get("seconds"),
        "effort": form.get("effort"),
    }


def _comparison_facts(project: Project, choices: ReleaseChoices, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a comparison for the template: chart, points, and the selected point."""
    points: Sequence[Mapping[str, Any]] = facts["points"]
    ordered, compared = frontier_chart.sorted_releases(facts), facts.get("effort", "")
    preferred = (choices.method, choices.k)
    chosen = next((p for p in ordered if (p["method"], p["k"]) == preferred), None)
    chosen = chosen or next((p for p in ordered if p["recommended"]), ordered[0] if ordered else None)
    mark = None if chosen is None else (chosen["method"], chosen["k"])
    rows = [
        {
            **point,
            "number": points.index(point),
            "mark": frontier_chart.symbol(point),
            "chosen": point is chosen,
            "cells": [frontier_chart.format_digits(point[name]) for name in ("loss", "risk")],
            "words": wording.describe_point(facts, point),
        }
        for point in ordered
    ]
    return {
        "chart": safe_svg(frontier_chart.chart(facts, link=lambda point: f"#point-{points.index(point)}", chosen=mark)),
        "rows": rows,
        "unit": facts["loss"]["unit"],
        "longer": bool(compared) and _EFFORT_ORDER.index(choices.effort) > _EFFORT_ORDER.index(compared),
        "recommendation": facts["recommendation"],
        "failures": frontier_chart.failures(facts),
        "stale": facts.get("mark") != project.comparison_fingerprint,
    }


async def job(request: Request) -> Response:
    context, project = project_context(request)
    latest = context.workers.job(project.id)
    return JSONResponse({"state": "none"} if latest is None else latest.to_dict())


async def compare(request: Request) -> Response:
    context, project = project_context(request)
    form = request.state.form
    source, choices = project.file_and_choices()
    check_revision(request, project)
    if unconfirmed := choices.unconfirmed(source):
        return _render(request, project, PageError.unconfirmed(unconfirmed), sent=form)
    try:
        effort = {"effort": form.get("effort")} if form.get("effort") in EFFORTS else {}
        arguments = column_arguments(source, choices, context.store.hierarchies(project.id))
        params = {
            "file": context.inspected_file(project),
            "looked": _expected_file(source),
            "k": _levels(form),
            "methods": _chosen_methods(form),
            "seconds": _seconds(form.get("seconds")),
            "arguments": {**arguments, **protection_arguments(choices), **effort},
            "mark": project.mark,
        }
    except (OptionError, ColumnError) as error:
        return _render(request, project, error, sent=form)

    async def store_comparison(facts: dict[str, Any]) -> None:
        # results and fingerprint are in one file, so that they always match
        results = {**facts, **effort, "mark": project.comparison_fingerprint}
        context.store.write_results(project.id, COMPARISON_FILE, results)
        # always a new revision, so that an outdated page cannot choose one of these points
        context.store.update(project.id, lambda now: now, new_revision=True)

    context.workers.start_job(project.id, "compare", params, on_result=store_comparison)
    return redirect(f"/p/{project.id}/run")


def _levels(form: Form) -> list[int]:
    texts = [*form.all("k"), *form.get("own").replace(";", ",").replace(" ", ",").split(",")]
    levels = sorted({parse_integer(word, OptionError.k_not_integer()) for word in texts if word})
    if not levels:
        raise OptionError.no_k()
    if levels[0] < 2:
        raise OptionError.k_too_small(levels[0])
    return levels


def _chosen_methods(form: Form) -> str | list[str] | None:
    which = form.get("which", _PROMISING)
    if which in (_PROMISING, _ALL):
        return None if which == _PROMISING else _ALL
    chosen = [registry.get_method(name).name for name in form.all("method")]
    if not chosen:
        raise OptionError.invalid_value("methods", "at least one method, or take the promising ones")
    return chosen


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text) if text.strip() else None
    except ValueError:
        seconds = 0
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError.invalid_value("seconds", "a number above 0, or nothing for as long as it takes")
    return seconds


async def choose(request: Request) -> Response:
    """Use a point of the comparison, and create its release."""
    context, project = project_context(request)
    form = request.state.form
    facts = context.store.read_results(project.id, COMPARISON_FILE) or {"points": []}
    points = {str(number): point for number, point in enumerate(facts["points"]) if point["error"] is None}
    if form.get("point") not in points:
        return _render(request, project, OptionError.invalid_value("point", "one of the points of the comparison"))
    point = points[form.get("point")]
    context.inspected_file(project)
    source, choices = project.file_and_choices()
    if unconfirmed := choices.unconfirmed(source):
        return _render(request, project, PageError.unconfirmed(unconfirmed))

    def change(now: Project) -> Project:
        _, choices = now.file_and_choices()
        effort = _effort(choices, point, facts)
        return replace(now, choices=replace(choices, k=point["k"], method=point["method"], effort=effort))

    changed = context.store.update(project.id, change, revision=form_revision(request))
    return _start(context, changed)


def _effort(choices: ReleaseChoices, point: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    """Return the effort for the release of a point: that of the comparison or the chosen one, whichever is higher.

    A point compared without local search gets none, except for ``auto``, which always uses it.
    """
    effort = facts.get("effort", "")
    if not effort and point["method"] != registry.AUTO:
        return ""
    return max(effort, choices.effort, key=_EFFORT_ORDER.index) or DEFAULT_EFFORT


async def release(request: Request) -> Response:
    context, project = project_context(request)
    check_revision(request, project)
    source, choices = project.file_and_choices()
    if unconfirmed := choices.unconfirmed(source):
        return _render(request, project, PageError.unconfirmed(unconfirmed))
    try:
        return _start(context, project)
    except (OptionError, ColumnError) as error:
        return _render(request, project, error)


def _start(context: AppContext, project: Project) -> Response:
    """Start the release job; its options are stored with the release."""
    source, choices = project.file_and_choices()
    compared = context.store.read_results(project.id, COMPARISON_FILE)
    current = compared is not None and compared.get("mark") == project.comparison_fingerprint
    params = {
        "file": context.inspected_file(project),
        "looked": _expected_file(source),
        "arguments": release_arguments(source, choices, context.store.hierarchies(project.id)),
        "marks": {choice.hierarchy or choice.levels: choice.fingerprint for choice in choices.columns},
        "folder": str(context.store.release(project.id)),
        "comparison": compared if current else None,
        "decisions": {"source": source.to_dict(), "choices": choices.to_dict(), "reading": dict(project.reading)},
        "mark": project.mark,
    }

    async def update_project(_: dict[str, Any]) -> None:
        with suppress(OutputError):  # the release is complete; only the list of projects would be outdated
            context.store.update(project.id, lambda now: now, new_revision=True)

    context.workers.start_job(project.id, "release", params, on_result=update_project)
    return redirect(f"/p/{project.id}/run?then=release")


def _expected_file(source: SourceFile) -> dict[str, Any]:
    return {"sha256": source.sha256, "columns": list(source.names)}


async def cancel(request: Request) -> Response:
    context, project = project_context(request)
    latest = context.workers.job(project.id)
    await context.workers.cancel_job(project.id)
    return redirect(f"/p/{project.id}/{'data' if latest and latest.is_inspection else 'run'}")


routes = [
    Route("/p/{id}/run", show),
    Route("/p/{id}/job", job),
    Route("/p/{id}/compare", compare, methods=["POST"]),
    Route("/p/{id}/choose", choose, methods=["POST"]),
    Route("/p/{id}/release", release, methods=["POST"]),
    Route("/p/{id}/cancel", cancel, methods=["POST"]),
]

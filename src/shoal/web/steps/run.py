"""Run: compare first if wanted, then make the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shoal.errors import ColumnError, OptionError, OutputError, PageError, ShoalError
from shoal.partition import registry
from shoal.report import frontier
from shoal.schema.policy import EFFORTS
from shoal.web import wording
from shoal.web.asked import about_columns, about_protection, asked
from shoal.web.demands import whole
from shoal.web.guard import Form
from shoal.web.interface import Choices, Project, Source
from shoal.web.pages import drawn, goto, revision, step
from shoal.web.workplace import Workplace, workplace

COMPARISON, DECISIONS = "comparison.json", "release/decisions.json"
"""What is kept of a comparison, and the decisions that a release was made with."""
LEVELS = (3, 5, 10, 20)
_SECONDS = 120.0
_TASKS = ("compare", "release")
"""The jobs of this step; all others are about how a file is read."""
_PROMISING, _ALL = "promising", "all"
_ORDER = ("", *EFFORTS)
_FAST = "fast"
"""The effort of a comparison: its figures are near those of longer searches, and it has many runs to make."""


async def show(request: Request) -> Response:
    place = workplace(request)
    project = place.project(request)
    job = place.jobs.of(project.id)
    reading = job is not None and job.state == "running" and job.task not in _TASKS
    if project.source is None or project.choices is None or reading:
        return goto(f"/p/{project.id}/data")
    if "then" in request.query_params and job and (job.task, job.state) == ("release", "done"):
        return goto(f"/p/{project.id}/release")
    return _page(request, project)


def _page(request: Request, project: Project, error: ShoalError | None = None, *, sent: Form | None = None) -> Response:
    """The step as it is now; with an error, what was asked is refused, and the form stays as it was sent."""
    place, (source, choices) = workplace(request), _known(project)
    facts = place.store.facts(project.id, COMPARISON)
    return step(
        request,
        project,
        "run",
        status=422 if error else 200,
        error=error.sentence if error else "",
        decisions=wording.decisions(source, choices),
        unchanged=wording.unchanged(source, choices),
        unconfirmed=wording.quoted(choices.unconfirmed(source)),
        at_hand=project.looked_at and place.at_hand(project),
        comparison=None if facts is None else _compared(project, choices, facts),
        asked=_form(sent, facts),
        methods=[] if place.jobs.running(project.id) else _methods(source, choices),
        levels=LEVELS,
        efforts=EFFORTS,
    )


def _known(project: Project) -> tuple[Source, Choices]:
    if project.source is None or project.choices is None:
        raise PageError.no_file()
    return project.source, project.choices


def _unconfirmed(project: Project) -> tuple[str, ...]:
    """The columns that somebody must confirm, or drop, before anything is made."""
    source, choices = _known(project)
    return choices.unconfirmed(source)


def _methods(source: Source, choices: Choices) -> list[dict[str, str]]:
    """The methods that take the table as it was decided on."""
    kinds = choices.kinds(source)
    if not kinds:
        return []
    known = registry.methods().values()
    return [{"name": m.name, "summary": m.summary} for m in known if m.takes(kinds, records=source.records)]


def _form(form: Form | None, facts: Mapping[str, Any] | None) -> dict[str, Any]:
    """What stands in the form of a comparison: what was sent, else what was compared last."""
    if form is None:
        compared = sorted({point["k"] for point in facts["points"]}) if facts else LEVELS
        own = [str(k) for k in compared if k not in LEVELS]
        return {
            "k": [str(k) for k in compared],
            "own": ", ".join(own),
            "which": _PROMISING,
            "methods": [],
            "seconds": f"{_SECONDS:g}",
            "effort": _FAST if facts is None else facts.get("effort", ""),
        }
    return {
        "k": form.all("k"),
        "own": form.get("own"),
        "which": form.get("which", _PROMISING),
        "methods": form.all("method"),
        "seconds": form.get("seconds"),
        "effort": form.get("effort"),
    }


def _compared(project: Project, choices: Choices, facts: Mapping[str, Any]) -> dict[str, Any]:
    """A comparison for the page: its chart, its points, and which of them is chosen."""
    points: Sequence[Mapping[str, Any]] = facts["points"]
    made, compared = frontier.ordered(facts), facts.get("effort", "")
    wanted = (choices.method, choices.k)
    chosen = next((p for p in made if (p["method"], p["k"]) == wanted), None)
    chosen = chosen or next((p for p in made if p["recommended"]), made[0] if made else None)
    mark = None if chosen is None else (chosen["method"], chosen["k"])
    rows = [
        {
            **point,
            "number": points.index(point),
            "mark": frontier.mark(point),
            "chosen": point is chosen,
            "cells": [frontier.digits(point[name]) for name in ("loss", "risk")],
            "words": wording.point(facts, point),
        }
        for point in made
    ]
    return {
        "chart": drawn(frontier.chart(facts, link=lambda point: f"#point-{points.index(point)}", chosen=mark)),
        "rows": rows,
        "unit": facts["loss"]["unit"],
        "longer": bool(compared) and _ORDER.index(choices.effort) > _ORDER.index(compared),
        "recommendation": facts["recommendation"],
        "failures": frontier.failures(facts),
        "stale": facts.get("mark") != project.compared_mark,
    }


async def job(request: Request) -> Response:
    """How far the job of a project is, as plain data."""
    place = workplace(request)
    found = place.jobs.of(place.project(request).id)
    return JSONResponse({"state": "none"} if found is None else found.to_dict())


async def compare(request: Request) -> Response:
    place, form = workplace(request), request.state.form
    project = place.project(request)
    source, choices = _known(project)
    _check_current(request, project)
    if unconfirmed := _unconfirmed(project):
        return _page(request, project, PageError.unconfirmed(unconfirmed), sent=form)
    try:
        effort = {"effort": form.get("effort")} if form.get("effort") in EFFORTS else {}
        arguments = about_columns(source, choices, place.store.hierarchies(project.id))
        question = {
            "file": place.looked(project),
            "looked": _looked(source),
            "k": _levels(form),
            "methods": _chosen_methods(form),
            "seconds": _seconds(form.get("seconds")),
            "arguments": {**arguments, **about_protection(choices), **effort},
            "mark": project.mark,
        }
    except (OptionError, ColumnError) as error:
        return _page(request, project, error, sent=form)

    async def then(facts: dict[str, Any]) -> None:
        # with the mark of what was compared in the same file: whatever happens, the one is never without the other
        place.store.keep(project.id, COMPARISON, {**facts, **effort, "mark": project.compared_mark})
        # in any case, so that no page that shows other points chooses one of these
        place.store.update(project.id, lambda now: now, anew=True)

    place.start(project, "compare", question, then=then)
    return goto(f"/p/{project.id}/run")


def _levels(form: Form) -> list[int]:
    """The levels of k that were ticked, and those that were written."""
    words = [*form.all("k"), *form.get("own").replace(";", ",").replace(" ", ",").split(",")]
    found = sorted({whole(word, OptionError.k_not_whole()) for word in words if word})
    if not found:
        raise OptionError.no_k()
    if found[0] < 2:
        raise OptionError.k_too_small(found[0])
    return found


def _chosen_methods(form: Form) -> str | list[str] | None:
    which = form.get("which", _PROMISING)
    if which in (_PROMISING, _ALL):
        return None if which == _PROMISING else _ALL
    chosen = [registry.find(name).name for name in form.all("method")]
    if not chosen:
        raise OptionError.bad_option("methods", "at least one method, or take the promising ones")
    return chosen


def _seconds(text: str) -> float | None:
    try:
        found = float(text) if text.strip() else None
    except ValueError:
        found = 0
    if found is not None and not 0 < found < float("inf"):
        raise OptionError.bad_option("seconds", "a number above 0, or nothing for as long as it takes")
    return found


async def choose(request: Request) -> Response:
    """Take a point of the comparison, and make the release with it."""
    place, form = workplace(request), request.state.form
    project = place.project(request)
    facts = place.store.facts(project.id, COMPARISON) or {"points": []}
    points = {str(number): point for number, point in enumerate(facts["points"]) if point["error"] is None}
    if form.get("point") not in points:
        return _page(request, project, OptionError.bad_option("point", "one of the points of the comparison"))
    point = points[form.get("point")]
    place.looked(project)
    if unconfirmed := _unconfirmed(project):
        return _page(request, project, PageError.unconfirmed(unconfirmed))

    def change(now: Project) -> Project:
        _, choices = _known(now)
        effort = _effort(choices, point, facts)
        return replace(now, choices=replace(choices, k=point["k"], method=point["method"], effort=effort))

    changed = place.store.update(project.id, change, revision=revision(request))
    return _start(place, changed)


def _effort(choices: Choices, point: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    """How long the groups of a point are improved in its release: as it was compared, or longer if that was decided.

    What is compared without search is left so, but for the method that Shoal chooses itself, which always has it.
    """
    compared = facts.get("effort", "")
    if not compared and point["method"] != registry.AUTO:
        return ""
    return max(compared, choices.effort, key=_ORDER.index) or "balanced"


async def release(request: Request) -> Response:
    place = workplace(request)
    project = place.project(request)
    _check_current(request, project)
    if unconfirmed := _unconfirmed(project):
        return _page(request, project, PageError.unconfirmed(unconfirmed))
    try:
        return _start(place, project)
    except (OptionError, ColumnError) as error:
        return _page(request, project, error)


def _check_current(request: Request, project: Project) -> None:
    """Refuse what was asked for on a page that shows other decisions than those of now."""
    if revision(request) != project.revision:
        raise PageError.changed_elsewhere()


def _start(place: Workplace, project: Project) -> Response:
    """Start the release; what it was made with is kept as it is now."""
    source, choices = _known(project)
    compared = place.store.facts(project.id, COMPARISON)
    current = compared is not None and compared.get("mark") == project.compared_mark
    question = {
        "file": place.looked(project),
        "looked": _looked(source),
        "arguments": asked(source, choices, place.store.hierarchies(project.id)),
        "marks": {choice.hierarchy or choice.levels: choice.fingerprint for choice in choices.columns},
        "folder": str(place.store.release(project.id)),
        "ending": None,
        "comparison": compared if current else None,
        "decisions": {"source": source.to_dict(), "choices": choices.to_dict(), "reading": dict(project.reading)},
        "mark": project.mark,
    }

    async def then(_: dict[str, Any]) -> None:
        with suppress(OutputError):  # the release is there and has its mark: only the list of projects would miss this
            place.store.update(project.id, lambda now: now, anew=True)

    place.start(project, "release", question, then=then)
    return goto(f"/p/{project.id}/run?then=release")


def _looked(source: Source) -> dict[str, Any]:
    """What a file must still be, for decisions about it to hold."""
    return {"sha256": source.sha256, "columns": list(source.names)}


async def cancel(request: Request) -> Response:
    place = workplace(request)
    project = place.project(request)
    found = place.jobs.of(project.id)
    await place.jobs.cancel(project.id)
    return goto(f"/p/{project.id}/{'data' if found and found.task not in _TASKS else 'run'}")


routes = [
    Route("/p/{id}/run", show),
    Route("/p/{id}/job", job),
    Route("/p/{id}/compare", compare, methods=["POST"]),
    Route("/p/{id}/choose", choose, methods=["POST"]),
    Route("/p/{id}/release", release, methods=["POST"]),
    Route("/p/{id}/cancel", cancel, methods=["POST"]),
]

"""Import settings: the dialog on the step Data, its preview, and what is applied."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.web import reading as settings
from shoal.web import uploads
from shoal.web.interface import Project
from shoal.web.pages import goto, here, page, pending, revision
from shoal.web.workplace import Workplace, workplace
from shoal.words import joined, short

_NAMED = 4
"""Columns that a question names."""
_ROWS = 8
"""Records of the preview."""
_WEAK = "perhaps thousands"
"""The doubt that is told and does not open the dialog."""
_FIELDS = {
    "sheet": "Which sheet holds the data?",
    "header": "Is the first line a header or a record?",
    "delimiter": "Which character separates the columns?",
    "skip": "How many lines are above the header?",
    "skip_footer": "Are the last lines of the file records?",
    "encoding": "Which encoding does the text have?",
    "quote": "Which quotation mark encloses the fields?",
}
_DOUBTS = {
    "day or month": "Which comes first in {}: the day or the month?",
    "comma": "Is the comma in {} a decimal mark or a thousands mark?",
    "point": "Is the point in {} a decimal mark or a thousands mark?",
    "short year": "Which century do the years of two digits in {} belong to?",
    _WEAK: "Is the point in {} a decimal mark or a thousands mark?",
}
_WHY = {
    "day or month": "Every date in the first records fits both formats.",
    "comma": "Every number in the first records fits both formats.",
    "point": "Every number in the first records fits both formats.",
    "short year": "YY stands for the years from 1969 to 2068.",
    _WEAK: "All of its numbers have three decimals. Shoal reads the point as a decimal mark.",
}
_FOOTER = re.compile(r"skip_footer=([1-9][0-9]*)")
_HEADERS = (("Read the first line as a record", {"header": "no"}), ("Keep it as the header", {"header": "yes"}))


@dataclass(frozen=True)
class Answer:
    """An answer to a question: what its button says, and the fields of the form that it sets."""

    label: str
    fields: Mapping[str, str]

    @property
    def json(self) -> str:
        return json.dumps(self.fields)


@dataclass(frozen=True)
class Question:
    """What must be known to read a file as it is meant."""

    words: str
    hint: str = ""
    field: str = ""
    """The setting that answers it."""
    answers: Sequence[Answer] = ()
    column: str = ""
    """The first column that it is about."""
    opens: bool = True
    """Whether the dialog opens with it."""


def questions(place: Workplace, project: Project) -> list[Question]:
    """What the file leaves open, the most important question first."""
    job = place.jobs.of(project.id)
    if job is not None and job.task == "look" and job.state == "failed":
        field = settings.field_of(job.sentence)
        answers = [Answer(*one) for one in _HEADERS] if field == "header" else _of_footer(job.sentence)
        return [Question(_FIELDS[field], "", field, answers)] if field in _FIELDS else []
    if project.source is None or not project.looked_at:
        return []
    return [*_of_names(project), *_of_columns(project)]


def _of_footer(sentence: str) -> list[Answer]:
    """The answers where the last lines of a file look like a footer."""
    found = _FOOTER.search(sentence)
    if not found:
        return []
    what = "the last line" if found[1] == "1" else f"the last {found[1]} lines"
    return [
        Answer(f"Leave out {what}", {"skip_footer": found[1]}),
        Answer("Read them as records" if found[1] != "1" else "Read it as a record", {"skip_footer": "0"}),
    ]


def _of_names(project: Project) -> list[Question]:
    names = () if project.source is None else project.source.doubts.get("names", ())
    if not names or "header" in project.reading:
        return []
    hint = f"Some column names look like values: {listed(names)}. Column names are not protected."
    return [Question(_FIELDS["header"], hint, "header", [Answer(*one) for one in _HEADERS])]


def _of_columns(project: Project) -> list[Question]:
    """One question for all columns that leave the same open."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name, facts in ({} if project.source is None else project.source.questions).items():
        groups.setdefault((facts["doubt"], tuple(facts["formats"])), []).append(name)
    return [
        Question(
            _DOUBTS[doubt].format(listed(names)),
            _WHY[doubt],
            "column_formats",
            [_read_as(form, names) for form in (*formats, *(() if doubt == _WEAK else ("text",)))],
            names[0],
            doubt != _WEAK,
        )
        for (doubt, formats), names in groups.items()
        if doubt in _DOUBTS
    ]


def _read_as(form: str, names: Sequence[str]) -> Answer:
    label = "Keep as text" if form == "text" else f"Read as {form}"
    return Answer(label, {"columns": json.dumps({name: {"format": form} for name in names})})


def listed(names: Sequence[str]) -> str:
    """Names of columns, the first of them."""
    more = [f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
    return joined([*(f"“{short(name)}”" for name in names[:_NAMED]), *more])


def kind(place: Workplace, project: Project) -> str:
    """The format of the file; its ending tells that of one that could not be read."""
    path, job = place.files.get(project.id), place.jobs.of(project.id)
    failed = job is not None and job.task in ("look", "example") and job.state == "failed"
    if project.source is not None and not failed:
        return project.source.kind
    return uploads.format_of(path) or "" if path is not None else ""


async def dialog(request: Request) -> Response:
    """The dialog with the settings of now and a preview: a part of the page."""
    place = workplace(request)
    project = place.project(request)
    found = await _head(place, project, project.reading)
    if found is None:
        return pending()
    asked = questions(place, project)
    return page(
        request,
        "import.html",
        project=project,
        kind=kind(place, project),
        reading=project.reading,
        columns=json.dumps(settings.of_columns(project.reading)),
        question=asked[0] if asked else None,
        settings=settings,
        encodings={name: name for name in [*settings.ENCODINGS, project.reading.get("encoding")] if name},
        **found,
    )


async def preview(request: Request) -> Response:
    """The first records as they would be read by the settings of a form that is not applied: a part of the page."""
    place = workplace(request)
    project = place.project(request)
    found = await _head(place, project, settings.changed(project.reading, request.state.form))
    return pending() if found is None else page(request, "import_preview.html", **found)


async def _head(place: Workplace, project: Project, reading: Mapping[str, Any]) -> dict[str, Any] | None:
    file = {**place.file(project), "reading": dict(reading)}
    found = await place.desk.answer(project.id, "head", {"file": file, "rows": _ROWS})
    if found is None:
        return None
    return {"found": found, "error": here(found["error"]), "facts": settings.facts(found["settings"])}


async def apply(request: Request) -> Response:
    """Keep the settings, and read the file again by them."""
    place = workplace(request)
    project = place.project(request)
    place.file(project)
    said = settings.changed(project.reading, request.state.form)
    await place.desk.forget(project.id)
    place.jobs.check(project.id)  # nothing is said about a file that nobody looks at then
    project = place.store.update(project.id, lambda found: replace(found, reading=said), revision=revision(request))
    uploads.look(place, project)
    return goto(f"/p/{project.id}/data")


routes = [
    Route("/p/{id}/import", dialog),
    Route("/p/{id}/import/preview", preview, methods=["POST"]),
    Route("/p/{id}/reading", apply, methods=["POST"]),
]

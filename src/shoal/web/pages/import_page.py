"""Import dialog of the data page: settings, preview, and applying them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.data.file_formats import format_of
from shoal.web.context import AppContext, project_context
from shoal.web.http.render import error_for_page, form_revision, pending_response, redirect, render_page
from shoal.web.pages.wording import list_names
from shoal.web.projects import import_settings as settings
from shoal.web.projects.incoming_files import inspect_file
from shoal.web.projects.model import Project

_ROWS = 8
_WEAK = "perhaps thousands"
"""A doubt that is reported without opening the dialog."""
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
_REASONS = {
    "day or month": "Every date in the first records fits both formats.",
    "comma": "Every number in the first records fits both formats.",
    "point": "Every number in the first records fits both formats.",
    "short year": "YY stands for the years from 1969 to 2068.",
    _WEAK: "All of its numbers have three decimals. Shoal reads the point as a decimal mark.",
}
_FOOTER = re.compile(r"skip_footer=([1-9][0-9]*)")


@dataclass(frozen=True)
class QuestionAnswer:
    """An answer to a question: the label of its button, and the form fields that it sets."""

    label: str
    fields: Mapping[str, str]

    @property
    def json(self) -> str:
        return json.dumps(self.fields)


_HEADER_ANSWERS = [
    QuestionAnswer("Read the first line as a record", {"header": "no"}),
    QuestionAnswer("Keep it as the header", {"header": "yes"}),
]


@dataclass(frozen=True)
class ImportQuestion:
    """A question about how to read the file."""

    words: str
    hint: str = ""
    field: str = ""
    """Setting that answers it."""
    answers: Sequence[QuestionAnswer] = ()
    column: str = ""
    """First column concerned."""
    opens: bool = True
    """Whether it opens the dialog."""


def open_questions(context: AppContext, project: Project) -> list[ImportQuestion]:
    """Return the open questions about the file, the most important first."""
    job = context.workers.job(project.id)
    if job is not None and job.task == "look" and job.state == "failed":
        field = settings.setting_in_error(job.sentence)
        answers = _HEADER_ANSWERS if field == "header" else _footer_answers(job.sentence)
        return [ImportQuestion(_FIELDS[field], "", field, answers)] if field in _FIELDS else []
    if project.source is None or not project.looked_at:
        return []
    return [*_header_questions(project), *_column_questions(project)]


def _footer_answers(sentence: str) -> list[QuestionAnswer]:
    """Return the answers where the last lines of a file look like a footer."""
    match = _FOOTER.search(sentence)
    if not match:
        return []
    what = "the last line" if match[1] == "1" else f"the last {match[1]} lines"
    return [
        QuestionAnswer(f"Leave out {what}", {"skip_footer": match[1]}),
        QuestionAnswer("Read them as records" if match[1] != "1" else "Read it as a record", {"skip_footer": "0"}),
    ]


def _header_questions(project: Project) -> list[ImportQuestion]:
    names = () if project.source is None else project.source.doubts.get("names", ())
    if not names or "header" in project.reading:
        return []
    hint = f"Some column names look like values: {list_columns(names)}. Column names are not protected."
    return [ImportQuestion(_FIELDS["header"], hint, "header", _HEADER_ANSWERS)]


def _column_questions(project: Project) -> list[ImportQuestion]:
    """Return one question for all columns with the same ambiguity."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name, facts in ({} if project.source is None else project.source.questions).items():
        groups.setdefault((facts["doubt"], tuple(facts["formats"])), []).append(name)
    return [
        ImportQuestion(
            _DOUBTS[doubt].format(list_columns(names)),
            _REASONS[doubt],
            "column_formats",
            [_read_as(column_format, names) for column_format in (*formats, *(() if doubt == _WEAK else ("text",)))],
            names[0],
            doubt != _WEAK,
        )
        for (doubt, formats), names in groups.items()
        if doubt in _DOUBTS
    ]


def _read_as(column_format: str, names: Sequence[str]) -> QuestionAnswer:
    label = "Keep as text" if column_format == "text" else f"Read as {column_format}"
    return QuestionAnswer(label, {"columns": json.dumps({name: {"format": column_format} for name in names})})


def list_columns(names: Sequence[str]) -> str:
    return list_names(names, most=4, quoted=True)


def file_format(context: AppContext, project: Project) -> str:
    """Return the format of the file; that of an unreadable one is derived from its ending."""
    path, job = context.files.get(project.id), context.workers.job(project.id)
    failed = job is not None and job.is_inspection and job.state == "failed"
    if project.source is not None and not failed:
        return project.source.kind
    return format_of(path) or "" if path is not None else ""


async def dialog(request: Request) -> Response:
    """Fragment: the dialog with the current settings and a preview."""
    context, project = project_context(request)
    head = await _head(context, project, project.reading)
    if head is None:
        return pending_response()
    questions = open_questions(context, project)
    return render_page(
        request,
        "import.html",
        project=project,
        kind=file_format(context, project),
        reading=project.reading,
        columns=json.dumps(settings.column_settings(project.reading)),
        question=questions[0] if questions else None,
        settings=settings,
        encodings={name: name for name in [*settings.ENCODINGS, project.reading.get("encoding")] if name},
        **head,
    )


async def preview(request: Request) -> Response:
    """Fragment: the first records as read with the settings of a form that is not applied."""
    context, project = project_context(request)
    head = await _head(context, project, settings.settings_from_form(project.reading, request.state.form))
    return pending_response() if head is None else render_page(request, "import_preview.html", **head)


async def _head(context: AppContext, project: Project, reading: Mapping[str, Any]) -> dict[str, Any] | None:
    file = {**context.file(project), "reading": dict(reading)}
    result = await context.workers.query(project.id, "head", {"file": file, "rows": _ROWS})
    if result is None:
        return None
    return {
        "result": result,
        "error": error_for_page(result["error"]),
        "facts": settings.describe_settings(result["settings"]),
    }


async def apply(request: Request) -> Response:
    """Save the settings, and inspect the file again."""
    context, project = project_context(request)
    context.file(project)
    changed = settings.settings_from_form(project.reading, request.state.form)
    await context.workers.forget(project.id)
    context.workers.check_can_start(project.id)  # no new settings if the inspection cannot start
    project = context.store.update(
        project.id, lambda now: replace(now, reading=changed), revision=form_revision(request)
    )
    inspect_file(context, project)
    return redirect(f"/p/{project.id}/data")


routes = [
    Route("/p/{id}/import", dialog),
    Route("/p/{id}/import/preview", preview, methods=["POST"]),
    Route("/p/{id}/reading", apply, methods=["POST"]),
]

"""Rendering of templates and common responses. Everything is escaped, and an undefined variable is an error."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from shoal.errors import ShoalError
from shoal.errors.base import in_python
from shoal.errors.messages import format_number, join_names, pluralize, shorten
from shoal.report.format import format_brief, format_value
from shoal.web.errors import PageError
from shoal.web.http.forms import parse_index
from shoal.web.projects.import_settings import LABELS
from shoal.web.projects.model import STEPS, Project

SCRIPT = "shoal"
"""X-Requested-With of our own script, which expects JSON or a fragment instead of a page."""
_FLAG_WORDS = r"""--?[a-z](?:'[^']*'|"[^"]*"|[^)'"])*"""
"""A command line option, perhaps with a quoted column name, which may contain parentheses."""
_OPTION = re.compile(rf"with (\w+)=(?:\[[^\]]*\]|\S*) \({_FLAG_WORDS}\)")
_SETTING = re.compile(rf"Option '({'|'.join(LABELS)})'")
_REWORDINGS = {
    ", which shoal describe lists": "",
    "shoal hierarchy check --values lists them and offers mappings": (
        "open its hierarchy under Columns, Details, which lists them and offers to add them"
    ),
    r"name the format with format= \(--from\)": "give it the ending of its format, such as .csv, .json or .nt",
    r"generalize \(--recode [^)]*\)": "generalize them (Columns, Details, Each value becomes)",
    r"header=True \(--[^)]*\)": "that it holds names",
    r"header=False \(--[^)]*\)": "that the first line is a record",
    r"\(missing values: '\w+'; other ways are [^)]*\)": "(other ways with missing values are under Protection)",
}
"""Patterns of error messages of Python and the command line, and their wording on the page."""
_OPTION_PAGES = {
    **{name: f"Data, Change import settings ({label})" for name, label in LABELS.items()},
    **dict.fromkeys(
        ("quasi_identifiers", "identifiers", "sensitive", "kinds", "levels", "hierarchies", "keep", "drop_others"),
        "Columns",
    ),
    "missing_values": "Protection",
}
"""Where the page has the equivalent of an option."""
_version = cache(version)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("shoal.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "counted": pluralize,
        "number": format_number,
        "short": shorten,
        "figure": format_value,
        "brief": format_brief,
        "joined": join_names,
        "bytes": format_bytes,
        "here": error_for_page,
        "local_time": lambda time: datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M"),
    }
    environment.globals["hidden"] = _hidden_fields
    return environment


@pass_context
def _hidden_fields(context: Context, **fields: object) -> Markup:
    """Return hidden fields of a form: the token of the session, and those given."""
    field = Markup('<input type="hidden" name="{}" value="{}">')
    return Markup("").join(field.format(name, value) for name, value in {"csrf": context["csrf"], **fields}.items())


def render_page(request: Request, template: str, *, status: int = 200, **facts: Any) -> HTMLResponse:
    """Render a page, or a fragment for our script."""
    common = {"csrf": request.state.csrf, "path": request.url.path, "steps": STEPS, "version": _version("shoal")}
    text = _environment().get_template(template).render(**common, **facts)
    return HTMLResponse(text, status_code=status)


def render_step(request: Request, project: Project, name: str, *, status: int = 200, **facts: Any) -> HTMLResponse:
    """Render the page of a step; ``error`` is displayed on top."""
    job = request.app.state.context.workers.job(project.id)
    if job is not None:
        facts["job"] = {**job.to_dict(), "sentence": error_for_page(job.sentence)}
    facts = {"job": None, **facts, "error": error_for_page(facts.get("error", ""))}
    return render_page(request, f"{name}.html", status=status, project=project, step=name, **facts)


def pending_response() -> Response:
    """Return a 202 response: our script asks again."""
    return Response(status_code=202)


def redirect(path: str) -> Response:
    """Redirect after a POST, so that a reload repeats nothing."""
    return RedirectResponse(quote(path, safe="/?=&#"), status_code=303)


def form_revision(request: Request) -> int:
    """Return the revision of the project that a form was rendered for."""
    revision = parse_index(request.state.form.get("revision"))
    if revision is None:
        raise PageError.changed_elsewhere()
    return revision


def check_revision(request: Request, project: Project) -> None:
    """Refuse a form that was rendered for another revision of the project."""
    if form_revision(request) != project.revision:
        raise PageError.changed_elsewhere()


async def error_response(request: Request, error: ShoalError) -> Response:
    """Return an error response in one sentence: JSON for our script, else a page."""
    status = error.status if isinstance(error, PageError) else PageError.status
    sentence = error_for_page(error.sentence)
    if request.headers.get("x-requested-with") == SCRIPT:
        return JSONResponse({"error": sentence}, status_code=status)
    return render_page(request, "refused.html", status=status, sentence=sentence)


def error_for_page(sentence: str) -> str:
    """Replace options of Python and the command line in an error message by their equivalent on the page."""
    for pattern, words in _REWORDINGS.items():
        sentence = re.sub(pattern, words, sentence)
    sentence = _SETTING.sub(lambda match: f"The setting “{LABELS[match[1]]}”", sentence)
    sentence = _OPTION.sub(
        lambda match: f"under {_OPTION_PAGES[match[1]]}" if match[1] in _OPTION_PAGES else match[0], sentence
    )
    return in_python(sentence)


def safe_svg(markup: str) -> Markup:
    """Mark a chart of the report package as safe, since that escapes its text."""
    return Markup(markup)  # noqa: S704


def format_bytes(count: int) -> str:
    """Format bytes as ``12.3 MB``."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:,.1f} {unit}"
    return pluralize(count, "byte")

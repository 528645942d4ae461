"""Pages: a template and its facts. Everything is escaped, and an undefined fact is a bug and no blank."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from shoal.errors import PageError, ShoalError
from shoal.report.figures import brief, figure
from shoal.web.interface import STEPS, Project
from shoal.web.reading import LABELS
from shoal.words import counted, joined, number
from shoal.words import short as shortened

SCRIPT = "shoal"
"""What our own script says in X-Requested-With: it wants plain answers and no whole pages."""
_FLAG_WORDS = r"""--?[a-z](?:'[^']*'|"[^"]*"|[^)'"])*"""
"""An option of the command line, perhaps with the name of a column in quotation marks, which may hold parentheses."""
_OPTION = re.compile(rf"with (\w+)=(?:\[[^\]]*\]|\S*) \({_FLAG_WORDS}\)")
_FLAG = re.compile(rf" \({_FLAG_WORDS}\)")
_HEADER = re.compile(r"header=(True|False) \(--[^)]*\)")
_SETTING = re.compile(rf"Option '({'|'.join(LABELS)})'")
_FIRST_LINE = {"True": "that it holds names", "False": "that the first line is a record"}
_OTHERWISE = {
    ", which shoal describe lists": "",
    "shoal hierarchy check --values lists them and offers mappings": (
        "open its hierarchy under Columns, Details, which lists them and offers to add them"
    ),
    r"name the format with format= \(--from\)": "give it the ending of its format, such as .csv, .json or .nt",
    r"generalize \(--recode [^)]*\)": "generalize them (Columns, Details, Each value becomes)",
    r"\(missing values: '\w+'; other ways are [^)]*\)": "(other ways with missing values are under Protection)",
}
"""What is said elsewhere, as patterns, and how it is said here."""
_PLACES = {
    **{name: f"Data, Change import settings ({label})" for name, label in LABELS.items()},
    **dict.fromkeys(
        ("quasi_identifiers", "identifiers", "sensitive", "kinds", "levels", "hierarchies", "keep", "drop_others"),
        "Columns",
    ),
    "missing_values": "Protection",
}
"""Where the page has what an option does."""


@cache
def _environment() -> Environment:
    found = Environment(
        loader=PackageLoader("shoal.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"counted": counted, "number": number, "short": shortened, "figure": figure, "brief": brief}
    found.filters |= {"joined": joined, "bytes": size, "here": here}
    return found


@cache
def _version() -> str:
    return version("shoal")


def page(request: Request, template: str, *, status: int = 200, **facts: Any) -> HTMLResponse:
    """A page, or a part of one that our script puts in its place."""
    common = {"csrf": request.state.csrf, "path": request.url.path, "steps": STEPS, "version": _version()}
    text = _environment().get_template(template).render(**common, **facts)
    return HTMLResponse(text, status_code=status)


def step(request: Request, project: Project, name: str, *, status: int = 200, **facts: Any) -> HTMLResponse:
    """The page of a step; ``error`` may be a sentence on top of it."""
    job = request.app.state.workplace.jobs.of(project.id)
    told = None if job is None else job.to_dict()
    known = {"error": "", "job": told and {**told, "sentence": here(told["sentence"])}, **facts}
    known["error"] = here(known["error"])
    return page(request, f"{name}.html", status=status, project=project, step=name, **known)


def pending() -> Response:
    """The answer is on its way: our script asks again."""
    return Response(status_code=202)


def goto(path: str) -> Response:
    """See the next page; a reload of it repeats nothing."""
    return RedirectResponse(quote(path, safe="/?=&#"), status_code=303)


def revision(request: Request) -> int:
    """The state of the project that a form was filled in for."""
    text = request.state.form.get("revision")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise PageError.changed_elsewhere()
    return int(text)


def saved(request: Request, project: Project, path: str) -> Response:
    """A change was kept: our script is told the revision that it led to, everybody else sees the next page."""
    if request.headers.get("x-requested-with") == SCRIPT:
        return Response(status_code=204, headers={"X-Revision": str(project.revision)})
    return goto(path)


def refused(request: Request, error: ShoalError) -> Response:
    """What could not be done, in one sentence: as plain data for our script, else as a page."""
    status = error.status if isinstance(error, PageError) else PageError.status
    sentence = here(error.sentence)
    if request.headers.get("x-requested-with") == SCRIPT:
        return JSONResponse({"error": sentence}, status_code=status)
    return page(request, "refused.html", status=status, sentence=sentence)


def here(sentence: str) -> str:
    """The sentence of an error with the places of this page where it names options of Python and the command line."""
    for pattern, words in _OTHERWISE.items():
        sentence = re.sub(pattern, words, sentence)
    sentence = _SETTING.sub(lambda found: f"The setting “{LABELS.get(found[1], found[1])}”", sentence)
    said = _HEADER.sub(lambda found: _FIRST_LINE[found[1]], sentence)
    said = _OPTION.sub(lambda found: f"under {_PLACES[found[1]]}" if found[1] in _PLACES else found[0], said)
    return _FLAG.sub("", said)


def drawn(markup: str) -> Markup:
    """A chart that the report room drew, which escapes what it draws."""
    return Markup(markup)  # noqa: S704


def size(count: int) -> str:
    """``12.3 MB``."""
    for unit, least in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= least:
            return f"{count / least:,.1f} {unit}"
    return counted(count, "byte")

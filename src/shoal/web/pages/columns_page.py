"""Columns page: the role of each column, its kind, weight and recoding method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.domain.columns import Kind, Role
from shoal.errors import OptionError
from shoal.options.checks import check_choice
from shoal.web.context import app_context, project_context
from shoal.web.errors import PageError
from shoal.web.http.forms import Form, parse_index
from shoal.web.http.render import SCRIPT, form_revision, pending_response, redirect, render_page, render_step
from shoal.web.pages.wording import list_names
from shoal.web.projects.hierarchy_files import fitting_recodings, with_kind
from shoal.web.projects.model import (
    PROTECTED,
    ColumnChoice,
    ColumnFacts,
    Project,
    ReleaseChoices,
    SourceFile,
    effective_kind,
)

ROLES: Mapping[str, tuple[str, str]] = {
    Role.IDENTIFIER: ("removed", "Names a person by itself: a name, a number, an address. It is left out."),
    Role.QUASI_IDENTIFIER: (
        "protected",
        "Others could know it: age, sex, place, dates. Its values are made alike within groups.",
    ),
    Role.SENSITIVE: (
        "kept, watched",
        "Nobody may learn it about a person: a diagnosis, a treatment. Groups are watched for it.",
    ),
    Role.INSENSITIVE: ("kept as it is", "Others cannot know it, and it harms nobody."),
}
"""What happens to a column in each role, and what the role means."""

KINDS: Mapping[str, str] = {
    Kind.NUMERIC: "Numbers: near is what differs little.",
    Kind.ORDINAL: "Values in an order: near is what is few ranks apart.",
    Kind.NOMINAL: "Names without an order: two values are the same or not.",
    Kind.DATE: "Days: near is what is few days apart.",
    Kind.HIERARCHICAL: "Names in a tree: near is what has a low node in common. It needs a hierarchy.",
}

RECODINGS: Mapping[str, str] = {
    "mean": "the mean of its group; keeps totals and averages",
    "median": "the middle value of its group; a few extreme values do not move it",
    "interval": "an interval from the least to the greatest value of its group",
    "centroid": "the value that is nearest to all others of its group",
    "mode": "the most frequent value of its group",
    "lcs": "the lowest node of the hierarchy that is above all values of its group",
}

_COUNTED = {
    Role.IDENTIFIER: "removed",
    Role.QUASI_IDENTIFIER: "protected",
    Role.SENSITIVE: "sensitive",
    Role.INSENSITIVE: "kept as they are",
}
_MANY = 10
"""Number of quasi-identifiers above which the page asks whether all are needed."""
_WEIGHTS = (0.001, 1000.0)
_FIELDS = ("role", "kind", "weight", "recode", "keep")


@dataclass(frozen=True)
class ColumnsState:
    """Summary of the chosen roles, and warnings."""

    summary: str
    ready: bool
    warnings: tuple[tuple[str, str], ...]
    """Each with its severity: ``bad``, ``warn`` or empty."""


def columns_state(source: SourceFile, choices: ReleaseChoices) -> ColumnsState:
    counts = Counter(choice.role for choice in choices.columns)
    parts = [f"{counts[role]:,} {words}" for role, words in _COUNTED.items()]
    return ColumnsState(", ".join(parts), counts[Role.QUASI_IDENTIFIER] > 0, tuple(_warnings(source, choices)))


def _warnings(source: SourceFile, choices: ReleaseChoices) -> Iterable[tuple[str, str]]:
    pairs, roles = choices.pairs(source), {choice.role for choice in choices.columns}
    if Role.QUASI_IDENTIFIER not in roles:
        yield "bad", "No column is protected. Choose at least one quasi-identifier: what could others know of a person?"
    if unconfirmed := choices.unconfirmed(source):
        one = len(unconfirmed) == 1
        fact = f"{_listed(unconfirmed)} {'looks like an identifier' if one else 'look like identifiers'}"
        remedy = f"Drop {'it' if one else 'them'}, or confirm in its row that it names nobody"
        yield "bad", f"{fact} and would be released unchanged. {remedy}."
    sensitive = [facts.name for facts, choice in pairs if facts.looks_identifying and choice.role == Role.SENSITIVE]
    if sensitive:
        verb = "looks like an identifier" if len(sensitive) == 1 else "look like identifiers"
        yield "warn", f"{_listed(sensitive)} {verb}. Sensitive columns are released unchanged."
    insensitive = [
        facts.name for facts, choice in pairs if facts.role == Role.QUASI_IDENTIFIER and choice.role == Role.INSENSITIVE
    ]
    if insensitive:
        why = "Groups are made without it" if len(insensitive) == 1 else "Groups are made without them"
        message = f"{_listed(insensitive)} could be known to others and would be released unchanged"
        yield "warn", f"{message}. {why}, and persons can be found by such values."
    without_hierarchy = [
        facts.name
        for facts, choice in pairs
        if choice.kind == Kind.HIERARCHICAL and not choice.hierarchy and choice.role in PROTECTED
    ]
    if without_hierarchy:
        verb = "is to be hierarchical and has" if len(without_hierarchy) == 1 else "are to be hierarchical and have"
        until = "Until then its values are" if len(without_hierarchy) == 1 else "Until then their values are"
        yield "warn", f"{_listed(without_hierarchy)} {verb} no hierarchy yet. {until} understood as they were found."
    count = sum(choice.role == Role.QUASI_IDENTIFIER for choice in choices.columns)
    if count > _MANY:
        fact = "The more of them, the more each one loses, since groups must be alike in all"
        yield "", f"{count} columns are protected. {fact}. Keep those that others could really know."
    if Role.SENSITIVE not in roles:
        fact = "Where a column tells what nobody may learn about a person, such as a diagnosis, give it this role"
        yield "", f"No column is sensitive. {fact}: the next step can then keep its values diverse within groups."


def _listed(names: Sequence[str]) -> str:
    return list_names(names, most=5, quoted=True)


async def show(request: Request) -> Response:
    _, project = project_context(request)
    if project.source is None or project.choices is None:
        return redirect(f"/p/{project.id}/data")
    return _render(request, project, project.source, project.choices)


def _render(request: Request, project: Project, source: SourceFile, choices: ReleaseChoices, **facts: Any) -> Response:
    context = app_context(request)
    return render_step(
        request,
        project,
        "columns",
        rows=choices.pairs(source),
        roles=ROLES,
        kinds=KINDS,
        state=columns_state(source, choices),
        unused=context.drafts.unused(project.id, source.names),
        checks=bool(_with_hierarchy(source, choices)) and project.looked_at and context.has_file(project),
        **facts,
    )


def _with_hierarchy(source: SourceFile, choices: ReleaseChoices) -> list[tuple[int, ColumnFacts, ColumnChoice]]:
    """Return the protected columns with a hierarchy or an order, with their numbers."""
    rows = enumerate(choices.pairs(source))
    return [(n, facts, c) for n, (facts, c) in rows if (c.hierarchy or c.levels) and c.role in PROTECTED]


async def missing_values(request: Request) -> Response:
    """Fragment: columns with values that their hierarchy or order lacks, as new data may have."""
    context, project = project_context(request)
    columns, folder = _with_hierarchy(*project.file_and_choices()), context.store.hierarchies(project.id)
    params = {
        "file": context.inspected_file(project),
        "paths": {facts.name: str(folder / (choice.hierarchy or choice.levels)) for _, facts, choice in columns},
        "marks": [choice.fingerprint for _, _, choice in columns],
    }
    result = await context.workers.query(project.id, "lacking", params)
    if result is None:
        return pending_response()
    counts = [(number, facts, choice, result["lacking"][facts.name]) for number, facts, choice in columns]
    return render_page(request, "columns_lacking.html", project=project, rows=[row for row in counts if row[-1]])


async def save(request: Request) -> Response:
    """Save fields of the form, then set the role of all ticked columns."""
    context, project = project_context(request)
    form = request.state.form
    folder = context.store.hierarchies(project.id)

    def update(project: Project) -> Project:
        source, choices = project.file_and_choices()
        return replace(project, choices=replace(choices, columns=_updated_columns(source, choices, form, folder)))

    project = context.store.update(project.id, update, revision=form_revision(request))
    source, choices = project.file_and_choices()
    state = columns_state(source, choices)
    if request.headers.get("x-requested-with") == SCRIPT:
        fragment = render_page(request, "columns_state.html", project=project, state=state)
        fragment.headers["X-Revision"] = str(project.revision)
        return fragment
    if "continue" not in form:
        return redirect(f"/p/{project.id}/columns")
    if not state.ready:
        return _render(request, project, source, choices, status=422)
    return redirect(f"/p/{project.id}/protection")


async def show_details(request: Request) -> Response:
    """Details of one column: a fragment for our script, else a page."""
    _, project = project_context(request)
    number, facts, choice = requested_column(request, project)
    details: dict[str, Any] = {
        "number": number,
        "facts": facts,
        "choice": choice,
        "kind": effective_kind(facts, choice),
        "kinds": KINDS,
        "offered": _allowed_kinds(facts),
        "roles": ROLES,
        "ways": {way: RECODINGS[way] for way in fitting_recodings(facts, choice)},
        "alone": request.headers.get("x-requested-with") != SCRIPT,
    }
    if details["alone"]:
        return render_page(request, "column.html", project=project, step="columns", error="", job=None, **details)
    return render_page(request, "column_details.html", project=project, **details)


def requested_column(request: Request, project: Project) -> tuple[int, ColumnFacts, ColumnChoice]:
    source, choices = project.file_and_choices()
    number: int = request.path_params["number"]
    if number >= len(source.columns):
        raise PageError.unknown_column(len(source.columns))
    return number, source.columns[number], choices.columns[number]


def _updated_columns(source: SourceFile, choices: ReleaseChoices, form: Form, folder: Path) -> tuple[ColumnChoice, ...]:
    columns = list(choices.columns)
    design_columns = (choices.sampling_weights, choices.households, *choices.strata)
    if form.get("bulk") == "proposed":
        columns = [_with_role(choice, facts.role) for facts, choice in choices.pairs(source)]
    elif form.get("bulk") == "drop":
        columns = [
            _with_role(choice, Role.IDENTIFIER)
            if choice.role == Role.INSENSITIVE and facts.name not in design_columns
            else choice
            for facts, choice in choices.pairs(source)
        ]
    else:
        for name, value in form.items():
            field, _, text = name.partition("-")
            number = _column_number(text, columns)
            if field in _FIELDS and number is not None:
                columns[number] = _with_field(columns[number], source.columns[number], field, value, folder)
    if form.get("bulk") == "role":
        role = check_choice("role", form.get("bulk-role"), [*ROLES])
        for number in (_column_number(text, columns) for text in form.all("pick")):
            if number is not None:
                columns[number] = _with_role(columns[number], role)
    return tuple(columns)


def _with_role(choice: ColumnChoice, role: str) -> ColumnChoice:
    """Return the options with this role; a new role needs a new confirmation."""
    return choice if role == choice.role else replace(choice, role=role, keep=False)


def _column_number(text: str, columns: Sequence[ColumnChoice]) -> int | None:
    """Return the number of an existing column."""
    number = parse_index(text)
    return number if number is not None and number < len(columns) else None


def _with_field(choice: ColumnChoice, facts: ColumnFacts, field: str, value: str, folder: Path) -> ColumnChoice:
    if field == "role":
        return _with_role(choice, check_choice("role", value, [*ROLES]))
    if field == "keep":
        return replace(choice, keep=check_choice("keep", value, ("yes", "no")) == "yes")
    if field == "weight":
        return replace(choice, weight=_weight(value))
    if field == "recode":
        # a method that does not fit was chosen for the previous kind: use the default of the new one
        recode = value and check_choice("recode", value, [*RECODINGS])
        return replace(choice, recode=recode if recode in fitting_recodings(facts, choice) else "")
    kind = value and check_choice("kind", value, [*KINDS])
    if kind == choice.kind:
        return choice
    if kind and kind not in _allowed_kinds(facts):
        raise OptionError.invalid_value("kind", "one that fits the values; Shoal knows dates as 2026-03-05")
    return with_kind(facts, choice, kind, folder)


def _allowed_kinds(facts: ColumnFacts) -> list[str]:
    """Return the kinds that a column may have; only detected dates can be dates."""
    return [kind for kind in KINDS if kind != Kind.DATE or facts.kind == Kind.DATE]


def _weight(text: str) -> float:
    low, high = _WEIGHTS
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not (isfinite(weight) and low <= weight <= high):
        raise OptionError.invalid_value("weight", f"a number from {low:g} to {high:g}")
    return weight


routes = [
    Route("/p/{id}/columns", show, methods=["GET"]),
    Route("/p/{id}/columns", save, methods=["POST"]),
    Route("/p/{id}/columns/{number:int}", show_details, methods=["GET"]),
    Route("/p/{id}/columns/lacking", missing_values, methods=["GET"]),
]

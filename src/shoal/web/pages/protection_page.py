"""Protection page: k, l, t, suppression, missing values, method, and the uniqueness of the original records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.domain import EFFORTS, MISSING_POLICIES
from shoal.domain.columns import Kind, Role
from shoal.errors import ColumnError, OptionError
from shoal.errors.messages import shorten
from shoal.microaggregation import registry
from shoal.microaggregation.registry import AUTO, Method
from shoal.web.context import app_context
from shoal.web.errors import PageError
from shoal.web.http.render import (
    SCRIPT,
    form_revision,
    pending_response,
    redirect,
    render_page,
    render_step,
    saved_response,
)
from shoal.web.pages.forms import choices_from_form
from shoal.web.projects.model import Project, ReleaseChoices, SourceFile

_MAX_COMBINATIONS = {1: 3, 2: 4, 3: 3}
"""Combinations displayed, by their number of columns."""


@dataclass(frozen=True)
class OptionCard:
    """One option of a choice, in words."""

    value: str
    title: str
    words: str


_K = (
    OptionCard("3", "Inside", "A trusted organization, with access control"),
    OptionCard("5", "Under contract", "Researchers who have signed what they may not do"),
    OptionCard("10", "Public", "For everybody, with little that could harm"),
    OptionCard("20", "Public, delicate", "For everybody, where harm would be serious"),
)
_L = (
    OptionCard("", "None", "Not asked for."),
    OptionCard("2", "2", "No group gives a value away for certain."),
    OptionCard("3", "3", "Also not for those who can rule one value out."),
)
_T = (
    OptionCard("", "None", "Not asked for."),
    OptionCard("0.3", "0.3", "Groups may differ from the table somewhat."),
    OptionCard("0.2", "0.2", "Groups are much like the table: little is learned."),
)
_SUPPRESSION = (
    OptionCard("0", "None", "Every record keeps values of its own group."),
    OptionCard("0.01", "Up to 1 %", "A few outliers may lose all quasi-identifiers."),
    OptionCard("0.05", "Up to 5 %", "More of them may, where that saves the others."),
)
_MISSING = {
    "category": (
        "A value of its own",
        "Records with a gap may be grouped with each other. A group shows its value or nothing, in all of its records.",
    ),
    "wildcard": ("Could be anything", "A gap stays a gap, and counts as compatible with every value."),
    "impute": ("Filled in", "A gap gets the value of its group. The release then shows no gaps in these columns."),
    "suppress": (
        "Take all of them away",
        "A record with a gap loses all quasi-identifiers; its other columns stay.",
    ),
    "refuse": ("Refuse", "Nothing is released as long as a quasi-identifier is missing anywhere."),
}
_EFFORTS = {
    "fast": ("Fast", "Seconds; minutes for a million records. For a first look."),
    "balanced": ("Balanced", "Somewhat longer, and less is lost. The usual choice."),
    "best": ("Best", "Up to some minutes, for the release that goes out."),
}
_AUTOMATIC = OptionCard(
    AUTO,
    "Let Shoal choose",
    "Recommended. It tries several methods that fit the table, and keeps the groups whose records are nearest to each"
    " other.",
)
_DEFAULT_METHOD = "mdav"
"""First method of the list."""
_NO_SEARCH = OptionCard("", "No improving", "The method alone, as its paper describes it.")


async def protection(request: Request) -> Response:
    return _render(request, app_context(request).project(request))


def _render(request: Request, project: Project, *, error: str = "") -> Response:
    source, choices = _source_and_choices(project)
    kinds, numbered = choices.quasi_identifier_kinds(source), list(enumerate(source.columns))
    quasi, sensitive = (
        choices.columns_with_role(Role.QUASI_IDENTIFIER, source),
        choices.columns_with_role(Role.SENSITIVE, source),
    )
    return render_step(
        request,
        project,
        "protection",
        status=PageError.status if error else 200,
        error=error,
        at_hand=app_context(request).has_file(project),
        source=source,
        choices=choices,
        quasi=quasi,
        sensitive=sensitive,
        missing_cells=sum(column.missing for column in source.columns if column.name in quasi),
        levels=_K,
        diversities=_L,
        closenesses=_T,
        budgets=_SUPPRESSION,
        gaps=[OptionCard(way, *_MISSING[way]) for way in MISSING_POLICIES],
        efforts=[OptionCard(way, *_EFFORTS[way]) for way in EFFORTS],
        alone=_NO_SEARCH,
        automatic=_AUTOMATIC,
        named=_DEFAULT_METHOD if choices.method == AUTO else choices.method,
        effort=choices.effort or ("balanced" if choices.method == AUTO else ""),
        families=_families(kinds, source.records),
        others=[(i, column) for i, column in numbered if column.name not in quasi],
        weighing=[(i, column) for i, column in numbered if column.name not in quasi and column.kind == Kind.NUMERIC],
        columns=numbered,
    )


def _source_and_choices(project: Project) -> tuple[SourceFile, ReleaseChoices]:
    """Return the file and the options, if there is a quasi-identifier."""
    if project.source is None or project.choices is None:
        raise PageError.file_not_read()
    if not project.choices.columns_with_role(Role.QUASI_IDENTIFIER, project.source):
        raise ColumnError.no_quasi_identifier()
    return project.source, project.choices


def _families(kinds: list[Kind], records: int) -> dict[str, list[tuple[Method, bool]]]:
    """Return the methods by family, and whether each supports these columns and this many records."""
    families: dict[str, list[tuple[Method, bool]]] = {}
    for name, method in registry.methods().items():
        if name != AUTO:
            fits = method.supports(kinds, records=records)
            families.setdefault(method.family_summary, []).append((method, fits))
    # families without a fitting method come last
    return dict(sorted(families.items(), key=lambda pair: not any(fits for _, fits in pair[1])))


async def decide(request: Request) -> Response:
    """Save the options, and continue if requested and k is set."""
    context, form = app_context(request), request.state.form
    project = context.project(request)
    path = f"/p/{project.id}/protection"
    try:
        source, choices = _source_and_choices(project)
        new = choices_from_form(form, source, choices, choices.quasi_identifier_kinds(source))
        project = context.store.update(
            project.id, lambda found: replace(found, choices=new), revision=form_revision(request)
        )
        if "go" not in form:
            return saved_response(request, project, path)
        if new.k is None:
            raise PageError.no_k()
        return redirect(f"/p/{project.id}/run")
    except (OptionError, ColumnError, PageError) as error:
        if request.headers.get("x-requested-with") == SCRIPT or project.source is None:
            raise
        return _render(request, context.project(request), error=error.sentence)


async def exposure(request: Request) -> Response:
    """Fragment: uniqueness of the original records, for the saved quasi-identifiers and k."""
    context = app_context(request)
    project = context.project(request)
    source, choices = _source_and_choices(project)
    quasi = list(choices.columns_with_role(Role.QUASI_IDENTIFIER, source))
    params = {"file": context.inspected_file(project), "quasi_identifiers": quasi, "k": choices.k}
    result = await context.workers.query(project.id, "exposure", params)
    if result is None:
        return pending_response()
    return render_page(
        request, "exposure.html", project=project, found=result, quasi=quasi, k=choices.k, **_uniqueness_facts(result)
    )


def _uniqueness_facts(result: dict[str, Any]) -> dict[str, Any]:
    """Return counts of records and the combinations, with percentages that are rounded down, so that only all records
    are 100 %.
    """
    records, unique = result["records"], result["unique"]
    few = max((result["below_k"] or 0) - unique, 0)
    rows = [(" + ".join(map(shorten, row["columns"])), row["unique"]) for row in notable_combinations(result)]
    return {
        "few": few,
        "rest": records - unique - few,
        "combinations": [(names, count, 1000 * count // records / 10) for names, count in rows],
    }


def notable_combinations(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the combinations of one, two and three columns with most unique records.

    A combination is omitted if a part of it makes as many records unique.
    """
    selected: list[dict[str, Any]] = []
    for width, limit in _MAX_COMBINATIONS.items():
        rows = [row for row in result["combinations"] if len(row["columns"]) == width]
        rows = [row for row in sorted(rows, key=lambda row: -row["unique"]) if not _is_redundant(row, selected)]
        selected += rows[:limit]
    return selected


def _is_redundant(row: dict[str, Any], selected: list[dict[str, Any]]) -> bool:
    return any(
        set(smaller["columns"]) <= set(row["columns"]) and smaller["unique"] >= row["unique"] for smaller in selected
    )


routes = [
    Route("/p/{id}/protection", protection),
    Route("/p/{id}/protection", decide, methods=["POST"]),
    Route("/p/{id}/exposure", exposure),
]

"""Protection page: k, l, t, suppression, missing values, method, and the uniqueness of the original records."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.domain import EFFORTS, FORMULA_POLICIES, MISSING_POLICIES, check_k
from shoal.domain.columns import Kind, Role
from shoal.domain.privacy_models import PrivacyModel
from shoal.errors import ColumnError, OptionError
from shoal.errors.messages import shorten
from shoal.microaggregation import registry
from shoal.microaggregation.registry import AUTO, Method
from shoal.options.checks import check_fraction
from shoal.options.table import check_option, default
from shoal.web.context import app_context, project_context
from shoal.web.errors import PageError
from shoal.web.http.forms import Form, parse_integer
from shoal.web.http.render import SCRIPT, form_revision, pending_response, redirect, render_page, render_step
from shoal.web.projects.model import DEFAULT_EFFORT, Project, ReleaseChoices, SourceFile

_CUSTOM = "own"
"""Form value that refers to a field with a custom number, named ``k_own`` and so on."""
_MAX_DIGITS = 30
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
    "suppress": ("Take all of them away", "A record with a gap loses all quasi-identifiers; its other columns stay."),
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
_NO_SEARCH = OptionCard("", "No improving", "The method alone, as its paper describes it.")


async def show(request: Request) -> Response:
    _, project = project_context(request)
    return _render(request, project)


def _render(request: Request, project: Project, *, error: str = "") -> Response:
    source, choices = _source_and_choices(project)
    kinds, numbered = choices.quasi_identifier_kinds(source), list(enumerate(source.columns))
    quasi = choices.columns_with_role(Role.QUASI_IDENTIFIER, source)
    return render_step(
        request,
        project,
        "protection",
        status=PageError.status if error else 200,
        error=error,
        has_file=app_context(request).has_file(project),
        source=source,
        choices=choices,
        quasi=quasi,
        sensitive=choices.columns_with_role(Role.SENSITIVE, source),
        missing_cells=sum(column.missing for column in source.columns if column.name in quasi),
        levels=_K,
        diversities=_L,
        closenesses=_T,
        budgets=_SUPPRESSION,
        missing_policies=[OptionCard(way, *_MISSING[way]) for way in MISSING_POLICIES],
        efforts=[OptionCard(way, *_EFFORTS[way]) for way in EFFORTS],
        no_search=_NO_SEARCH,
        automatic=_AUTOMATIC,
        method_name=_DEFAULT_METHOD if choices.method == AUTO else choices.method,
        effort=choices.effort or (DEFAULT_EFFORT if choices.method == AUTO else ""),
        families=_families(kinds, source.records),
        others=[(i, column) for i, column in numbered if column.name not in quasi],
        numeric_columns=[
            (i, column) for i, column in numbered if column.name not in quasi and column.kind == Kind.NUMERIC
        ],
        columns=numbered,
        default=default,
        default_effort=DEFAULT_EFFORT,
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


async def save(request: Request) -> Response:
    """Save the options, and continue if requested and k is set."""
    context, project = project_context(request)
    form = request.state.form
    by_script = request.headers.get("x-requested-with") == SCRIPT
    try:
        source, choices = _source_and_choices(project)
        new = choices_from_form(form, source, choices, choices.quasi_identifier_kinds(source))
        project = context.store.update(
            project.id, lambda now: replace(now, choices=new), revision=form_revision(request)
        )
        if "go" not in form and by_script:
            return Response(status_code=204, headers={"X-Revision": str(project.revision)})
        if "go" not in form:
            return redirect(f"/p/{project.id}/protection")
        if new.k is None:
            raise PageError.no_k()
        return redirect(f"/p/{project.id}/run")
    except (OptionError, ColumnError, PageError) as error:
        if by_script or project.source is None:
            raise
        return _render(request, project_context(request)[1], error=error.sentence)


def choices_from_form(form: Form, source: SourceFile, choices: ReleaseChoices, kinds: Sequence[Kind]) -> ReleaseChoices:
    """Return the options changed by a form; kinds are those of the quasi-identifiers.

    Fields that the form lacks stay unchanged. An empty custom number leaves the option undecided.
    """
    sensitive = choices.columns_with_role(Role.SENSITIVE, source)
    parsers: dict[str, Callable[[str], float | None]] = {
        "k": lambda text: check_k(parse_integer(text, OptionError.k_not_integer()), source.records) if text else None,
        "l": lambda text: _diversity(text, source, sensitive) if text else None,
        "t": lambda text: check_fraction("t", _with_decimal_point(text)) if text else None,
        "suppression": lambda text: _suppression(text, custom=form.get("suppression") == _CUSTOM),
    }
    changes: dict[str, Any] = {} if sensitive else {"l": None, "t": None}
    for name, parse in parsers.items():
        if name in form and name not in changes:
            changes[name] = parse(_option_text(form, name))
    updated = replace(
        choices,
        missing_values=check_option("missing_values", form.get("missing_values", choices.missing_values)),
        **changes,
        **_method(form, choices, source, kinds),
        **_checkboxes(form),
        **_survey(form, source, choices),
    )
    _check_budget(updated, source)
    return updated


def _option_text(form: Form, name: str) -> str:
    """Return the text of an option with a custom number."""
    text = form.get(name)
    return (form.get(f"{name}_own") if text == _CUSTOM else text).strip()


def _diversity(text: str, source: SourceFile, sensitive: Sequence[str]) -> int:
    minimum = parse_integer(text, OptionError.invalid_value("l", "a whole number above 1"))
    PrivacyModel.parse(sensitive[0], f"distinct-l({minimum})")
    for column in source.columns:
        if column.name in sensitive and minimum > column.distinct + (column.missing > 0):  # missing is a value
            raise OptionError.infeasible(
                f"l = {minimum}",
                column=column.name,
                where="the table",
                reached=f"{column.distinct} different values",
                hint="choose a smaller l",
            )
    return minimum


def _suppression(text: str, *, custom: bool) -> float:
    """Return a fraction of the records; a custom number is a percentage."""
    if not custom:
        return check_fraction("suppression", text)
    return check_fraction("suppression (%)", _with_decimal_point(text), max_value=100) / 100 if text else 0.0


def _method(form: Form, choices: ReleaseChoices, source: SourceFile, kinds: Sequence[Kind]) -> dict[str, Any]:
    """Return the method and the effort of local search; only ``auto`` requires an effort."""
    name = _option_text(form, "method") or choices.method
    if name != AUTO and not registry.get_method(name).supports(kinds, records=source.records):
        raise OptionError.method_not_applicable(name)
    effort = form.get("effort", choices.effort)
    if effort or name == AUTO:
        effort = check_option("effort", effort or DEFAULT_EFFORT)
    seed = parse_integer(form.get("seed").strip() or str(choices.seed), OptionError.seed_not_integer())
    return {"method": name, "effort": effort, "seed": check_option("seed", seed)}


def _checkboxes(form: Form) -> dict[str, Any]:
    """Return the options of checkboxes. Browsers omit an unticked box, so a hidden field marks the form."""
    if "boxes_shown" not in form:
        return {}
    exact_means, shuffle, neutralize = (form.get(name) == "yes" for name in ("exact_means", "shuffle", "neutralize"))
    return {"exact_means": exact_means, "shuffle": shuffle, "formulas": FORMULA_POLICIES[neutralize]}


def _survey(form: Form, source: SourceFile, choices: ReleaseChoices) -> dict[str, Any]:
    """Return the columns with weights, strata and households, which the form gives by number."""
    if "survey" not in form:
        return {}
    quasi_identifiers = choices.columns_with_role(Role.QUASI_IDENTIFIER, source)
    weights, households = (_column(form.get(name), source) for name in ("sampling_weights", "households"))
    for name, what in ((weights, "the sampling weight"), (households, "the household")):
        if name in quasi_identifiers:
            raise ColumnError.quasi_identifier_in_design(name, what)
    strata = [name for name in (_column(text, source) for text in form.all("strata")) if name]
    return {"sampling_weights": weights, "households": households, "strata": tuple(dict.fromkeys(strata))}


def _column(text: str, source: SourceFile) -> str:
    """Return the name of the column with this number; empty if none is selected."""
    if not text:
        return ""
    number = parse_integer(text, OptionError.invalid_value("column", "one of the list"))
    if not 0 <= number < len(source.columns):
        raise OptionError.invalid_value("column", "one of the list")
    return source.columns[number].name


def _check_budget(choices: ReleaseChoices, source: SourceFile) -> None:
    """Refuse a suppression budget below k, where that is certain before the data is read."""
    budget = math.floor(choices.suppression * source.records * (1 + 1e-12))
    ungrouped = not choices.strata and not choices.households
    if ungrouped and choices.k is not None and choices.suppression and budget < choices.k:
        raise OptionError.suppression_budget_too_small(
            budget=budget, of=source.records, k=choices.k, units="records", min_budget=choices.k, stratum=False
        )


def _with_decimal_point(text: str) -> str:
    """Return a number with a decimal point, also if typed with a comma."""
    return text.strip()[:_MAX_DIGITS].replace(",", ".")


async def exposure(request: Request) -> Response:
    """Fragment: uniqueness of the original records, for the saved quasi-identifiers and k."""
    context, project = project_context(request)
    source, choices = _source_and_choices(project)
    quasi = list(choices.columns_with_role(Role.QUASI_IDENTIFIER, source))
    params = {"file": context.inspected_file(project), "quasi_identifiers": quasi, "k": choices.k}
    result = await context.workers.query(project.id, "exposure", params)
    if result is None:
        return pending_response()
    return render_page(
        request, "exposure.html", project=project, result=result, quasi=quasi, k=choices.k, **_uniqueness_facts(result)
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
        parts = [(set(smaller["columns"]), smaller["unique"]) for smaller in selected]
        rows = [row for row in rows if not any(part <= {*row["columns"]} and n >= row["unique"] for part, n in parts)]
        selected += sorted(rows, key=lambda row: -row["unique"])[:limit]
    return selected


routes = [
    Route("/p/{id}/protection", show),
    Route("/p/{id}/protection", save, methods=["POST"]),
    Route("/p/{id}/exposure", exposure),
]

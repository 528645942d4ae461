"""Protection: how many records must look alike, what else is asked, and who stands out until then."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import ColumnError, OptionError, PageError
from shoal.partition import registry
from shoal.partition.registry import AUTO, Method
from shoal.schema import EFFORTS, MISSING
from shoal.schema.columns import Kind, Role
from shoal.web.demands import demanded
from shoal.web.interface import Choices, Project, Source
from shoal.web.pages import SCRIPT, goto, page, pending, revision, saved, step
from shoal.web.workplace import workplace
from shoal.words import short

_MOST_SHOWN = {1: 3, 2: 4, 3: 3}
"""Combinations of so many columns in the estimate."""


@dataclass(frozen=True)
class Offer:
    """A choice in words."""

    value: str
    title: str
    words: str


_K = (
    Offer("3", "Inside", "A trusted organization, with access control"),
    Offer("5", "Under contract", "Researchers who have signed what they may not do"),
    Offer("10", "Public", "For everybody, with little that could harm"),
    Offer("20", "Public, delicate", "For everybody, where harm would be serious"),
)
_L = (
    Offer("", "None", "Not asked for."),
    Offer("2", "2", "No group gives a value away for certain."),
    Offer("3", "3", "Also not for those who can rule one value out."),
)
_T = (
    Offer("", "None", "Not asked for."),
    Offer("0.3", "0.3", "Groups may differ from the table somewhat."),
    Offer("0.2", "0.2", "Groups are much like the table: little is learned."),
)
_SUPPRESSION = (
    Offer("0", "None", "Every record keeps values of its own group."),
    Offer("0.01", "Up to 1 %", "A few outliers may lose all quasi-identifiers."),
    Offer("0.05", "Up to 5 %", "More of them may, where that saves the others."),
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
_AUTOMATIC = Offer(
    AUTO,
    "Let Shoal choose",
    "Recommended. It tries several methods that fit the table, and keeps the groups whose records are nearest to each"
    " other.",
)
_USUAL = "mdav"
"""The method that a list begins with."""
_ALONE = Offer("", "No improving", "The method alone, as its paper describes it.")


async def protection(request: Request) -> Response:
    return _shown(request, workplace(request).project(request))


def _shown(request: Request, project: Project, *, error: str = "") -> Response:
    source, choices = _decided(project)
    kinds, numbered = choices.kinds(source), list(enumerate(source.columns))
    quasi, sensitive = choices.named(Role.QUASI_IDENTIFIER, source), choices.named(Role.SENSITIVE, source)
    return step(
        request,
        project,
        "protection",
        status=PageError.status if error else 200,
        error=error,
        at_hand=workplace(request).at_hand(project),
        source=source,
        choices=choices,
        quasi=quasi,
        sensitive=sensitive,
        missing_cells=sum(column.missing for column in source.columns if column.name in quasi),
        levels=_K,
        diversities=_L,
        closenesses=_T,
        budgets=_SUPPRESSION,
        gaps=[Offer(way, *_MISSING[way]) for way in MISSING],
        efforts=[Offer(way, *_EFFORTS[way]) for way in EFFORTS],
        alone=_ALONE,
        automatic=_AUTOMATIC,
        named=_USUAL if choices.method == AUTO else choices.method,
        effort=choices.effort or ("balanced" if choices.method == AUTO else ""),
        families=_families(kinds, source.records),
        others=[(i, column) for i, column in numbered if column.name not in quasi],
        weighing=[(i, column) for i, column in numbered if column.name not in quasi and column.kind == Kind.NUMERIC],
        columns=numbered,
    )


def _decided(project: Project) -> tuple[Source, Choices]:
    """The file and the choices, if there is anything to protect."""
    if project.source is None or project.choices is None:
        raise PageError.not_read()
    if not project.choices.named(Role.QUASI_IDENTIFIER, project.source):
        raise ColumnError.no_quasi_identifier()
    return project.source, project.choices


def _families(kinds: list[Kind], records: int) -> dict[str, list[tuple[Method, bool]]]:
    """The methods by family, and whether each takes these columns and so many records."""
    found: dict[str, list[tuple[Method, bool]]] = {}
    for name, method in registry.methods().items():
        if name != AUTO:
            fits = method.takes(kinds, records=records)
            found.setdefault(method.about_family, []).append((method, fits))
    # families of which nothing fits come last
    return dict(sorted(found.items(), key=lambda pair: not any(fits for _, fits in pair[1])))


async def decide(request: Request) -> Response:
    """Keep what was decided; then go on, if that was asked for and k is known."""
    place, form = workplace(request), request.state.form
    project = place.project(request)
    path = f"/p/{project.id}/protection"
    try:
        source, choices = _decided(project)
        new = demanded(form, source, choices, choices.kinds(source))
        project = place.store.update(project.id, lambda found: replace(found, choices=new), revision=revision(request))
        if "go" not in form:
            return saved(request, project, path)
        if new.k is None:
            raise PageError.no_k()
        return goto(f"/p/{project.id}/run")
    except (OptionError, ColumnError, PageError) as error:
        if request.headers.get("x-requested-with") == SCRIPT or project.source is None:
            raise
        return _shown(request, place.project(request), error=error.sentence)


async def exposure(request: Request) -> Response:
    """Who stands out before anything is done, by the quasi-identifiers and the k that are kept."""
    place = workplace(request)
    project = place.project(request)
    source, choices = _decided(project)
    quasi = list(choices.named(Role.QUASI_IDENTIFIER, source))
    asked = {"file": place.looked(project), "quasi_identifiers": quasi, "k": choices.k}
    found = await place.desk.answer(project.id, "exposure", asked)
    if found is None:
        return pending()
    return page(request, "exposure.html", project=project, found=found, quasi=quasi, k=choices.k, **_told(found))


def _told(found: dict[str, Any]) -> dict[str, Any]:
    """The records that are unique, that have too few alike, and the rest; and combinations with shares of the records.

    Shares are never rounded up: what is not all of them must not look like it.
    """
    records, unique = found["records"], found["unique"]
    few = max((found["below_k"] or 0) - unique, 0)
    rows = [(" + ".join(map(short, row["columns"])), row["unique"]) for row in telling(found)]
    return {
        "few": few,
        "rest": records - unique - few,
        "combinations": [(names, count, 1000 * count // records / 10) for names, count in rows],
    }


def telling(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The combinations of one column, of two and of three by which most records are unique.

    One that has another in it is told only if it adds records.
    """
    shown: list[dict[str, Any]] = []
    for width, most in _MOST_SHOWN.items():
        rows = [row for row in found["combinations"] if len(row["columns"]) == width]
        rows = [row for row in sorted(rows, key=lambda row: -row["unique"]) if not _known(row, shown)]
        shown += rows[:most]
    return shown


def _known(row: dict[str, Any], shown: list[dict[str, Any]]) -> bool:
    return any(set(less["columns"]) <= set(row["columns"]) and less["unique"] >= row["unique"] for less in shown)


routes = [
    Route("/p/{id}/protection", protection),
    Route("/p/{id}/protection", decide, methods=["POST"]),
    Route("/p/{id}/exposure", exposure),
]

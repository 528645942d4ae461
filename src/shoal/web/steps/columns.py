"""Columns: what each one means to somebody who wants to find a person, and how its values are understood."""

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

from shoal.errors import OptionError, PageError
from shoal.schema.columns import Kind, Role
from shoal.web import pages
from shoal.web.guard import Form
from shoal.web.interface import Choices, ColumnChoice, ColumnFacts, Project, Source, kind_of
from shoal.web.pages import goto, page, pending, revision, step
from shoal.web.trees import fitting_ways, with_kind
from shoal.web.workplace import workplace
from shoal.words import joined, short

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
"""The word for what happens to a column, and what its role means."""

KINDS: Mapping[str, str] = {
    Kind.NUMERIC: "Numbers: near is what differs little.",
    Kind.ORDINAL: "Values in an order: near is what is few ranks apart.",
    Kind.NOMINAL: "Names without an order: two values are the same or not.",
    Kind.DATE: "Days: near is what is few days apart.",
    Kind.HIERARCHICAL: "Names in a tree: near is what has a low node in common. It needs a hierarchy.",
}

WAYS: Mapping[str, str] = {
    "mean": "the mean of its group; keeps totals and averages",
    "median": "the middle value of its group; a few extreme values do not move it",
    "interval": "an interval from the least to the greatest value of its group",
    "centroid": "the value that is nearest to all others of its group",
    "mode": "the most frequent value of its group",
    "lcs": "the lowest node of the hierarchy that is above all values of its group",
}
"""What every value becomes."""

_COUNTED = {
    Role.IDENTIFIER: "removed",
    Role.QUASI_IDENTIFIER: "protected",
    Role.SENSITIVE: "sensitive",
    Role.INSENSITIVE: "kept as they are",
}
_MANY = 10
"""Quasi-identifiers from which on one should ask whether all are needed."""
_WEIGHTS = (0.001, 1000.0)
_FIELDS = ("role", "kind", "weight", "recode", "keep")


@dataclass(frozen=True)
class State:
    """Where the step stands: what was decided, and what deserves a look before going on."""

    summary: str
    ready: bool
    warnings: tuple[tuple[str, str], ...]
    """Each with how grave it is: ``bad``, ``warn`` or nothing."""


def state(source: Source, choices: Choices) -> State:
    """What was decided so far."""
    counts = Counter(choice.role for choice in choices.columns)
    said = [f"{counts[role]:,} {words}" for role, words in _COUNTED.items()]
    return State(", ".join(said), counts[Role.QUASI_IDENTIFIER] > 0, tuple(_warnings(source, choices)))


def _warnings(source: Source, choices: Choices) -> Iterable[tuple[str, str]]:
    pairs = list(zip(source.columns, choices.columns, strict=True))
    roles = {choice.role for choice in choices.columns}
    protected = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    if Role.QUASI_IDENTIFIER not in roles:
        yield "bad", "No column is protected. Choose at least one quasi-identifier: what could others know of a person?"
    named = list(choices.unconfirmed(source))
    if named:
        one = len(named) == 1
        what = f"{_listed(named)} {'looks like an identifier' if one else 'look like identifiers'}"
        how = f"Drop {'it' if one else 'them'}, or confirm in its row that it names nobody"
        yield "bad", f"{what} and would be released unchanged. {how}."
    watched = [facts.name for facts, choice in pairs if facts.looks_identifying and choice.role == Role.SENSITIVE]
    if watched:
        verb = "looks like an identifier" if len(watched) == 1 else "look like identifiers"
        yield "warn", f"{_listed(watched)} {verb}. Sensitive columns are released unchanged."
    known = [
        facts.name for facts, choice in pairs if facts.role == Role.QUASI_IDENTIFIER and choice.role == Role.INSENSITIVE
    ]
    if known:
        why = "Groups are made without it" if len(known) == 1 else "Groups are made without them"
        said = f"{_listed(known)} could be known to others and would be released unchanged"
        yield "warn", f"{said}. {why}, and persons can be found by such values."
    bare = [
        facts.name
        for facts, choice in pairs
        if choice.kind == Kind.HIERARCHICAL and not choice.hierarchy and choice.role in protected
    ]
    if bare:
        verb = "is to be hierarchical and has" if len(bare) == 1 else "are to be hierarchical and have"
        until = "Until then its values are" if len(bare) == 1 else "Until then their values are"
        yield "warn", f"{_listed(bare)} {verb} no hierarchy yet. {until} understood as they were found."
    many = sum(choice.role == Role.QUASI_IDENTIFIER for choice in choices.columns)
    if many > _MANY:
        what = "The more of them, the more each one loses, since groups must be alike in all"
        yield "", f"{many} columns are protected. {what}. Keep those that others could really know."
    if Role.SENSITIVE not in roles:
        what = "Where a column tells what nobody may learn about a person, such as a diagnosis, give it this role"
        yield "", f"No column is sensitive. {what}: the next step can then keep its values diverse within groups."


def _listed(names: list[str]) -> str:
    """Names, the first five of them."""
    quoted = [f"“{short(name)}”" for name in names[:5]]
    return joined(quoted) if len(names) <= 5 else f"{', '.join(quoted)} and {len(names) - 5:,} more"


async def show(request: Request) -> Response:
    project = workplace(request).project(request)
    if project.source is None or project.choices is None:
        return goto(f"/p/{project.id}/data")
    return _shown(request, project, project.source, project.choices)


def _shown(request: Request, project: Project, source: Source, choices: Choices, **facts: Any) -> Response:
    rows = list(zip(source.columns, choices.columns, strict=True))
    known: dict[str, Any] = {"rows": rows, "roles": ROLES, "kinds": KINDS, "state": state(source, choices)}
    place = workplace(request)
    known["unused"] = place.drafts.unused(project.id, source.names)
    known["checks"] = bool(_meant(source, choices)) and project.looked_at and place.at_hand(project)
    return step(request, project, "columns", **known, **facts)


def _meant(source: Source, choices: Choices) -> list[tuple[int, ColumnFacts, ColumnChoice]]:
    """The columns whose values are understood by a hierarchy or an order, with their numbers."""
    rows = enumerate(zip(source.columns, choices.columns, strict=True))
    used = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    return [(n, facts, c) for n, (facts, c) in rows if (c.hierarchy or c.levels) and c.role in used]


async def lacking(request: Request) -> Response:
    """The columns with values that their hierarchy or order lacks, as a next delivery may have: a part of the page."""
    place = workplace(request)
    project = place.project(request)
    if project.source is None or project.choices is None:
        raise PageError.no_file()
    meant, folder = _meant(project.source, project.choices), place.store.hierarchies(project.id)
    asked = {
        "file": place.looked(project),
        "paths": {facts.name: str(folder / (choice.hierarchy or choice.levels)) for _, facts, choice in meant},
        "marks": [choice.fingerprint for _, _, choice in meant],
    }
    found = await place.desk.answer(project.id, "lacking", asked)
    if found is None:
        return pending()
    counts = [(number, facts, choice, found["lacking"][facts.name]) for number, facts, choice in meant]
    return page(request, "columns_lacking.html", project=project, rows=[row for row in counts if row[-1]])


async def change(request: Request) -> Response:
    """Some or all fields of the form, then a role for all columns that were ticked."""
    place, form = workplace(request), request.state.form
    project = place.project(request)
    folder = place.store.hierarchies(project.id)

    def changed(project: Project) -> Project:
        if project.source is None or project.choices is None:
            raise PageError.no_file()
        columns = _decided(project.source, project.choices, form, folder)
        return replace(project, choices=replace(project.choices, columns=columns))

    project = place.store.update(project.id, changed, revision=revision(request))
    if project.source is None or project.choices is None:
        raise PageError.no_file()
    if request.headers.get("x-requested-with") == pages.SCRIPT:
        found = page(request, "columns_state.html", project=project, state=state(project.source, project.choices))
        found.headers["X-Revision"] = str(project.revision)
        return found
    if "continue" not in form:
        return goto(f"/p/{project.id}/columns")
    if not choices_made(project):
        return _shown(request, project, project.source, project.choices, status=422)
    return goto(f"/p/{project.id}/protection")


def choices_made(project: Project) -> bool:
    """Whether a column is protected, so that one can go on."""
    return project.choices is not None and any(
        choice.role == Role.QUASI_IDENTIFIER for choice in project.choices.columns
    )


async def one(request: Request) -> Response:
    """The details of one column: a part of the page for our script, a page of its own otherwise."""
    project = workplace(request).project(request)
    number, facts, choice = column(request, project)
    kind = kind_of(facts, choice)
    known: dict[str, Any] = {
        "number": number,
        "facts": facts,
        "choice": choice,
        "kind": kind,
        "kinds": KINDS,
        "offered": _offered(facts),
        "roles": ROLES,
        "ways": {way: WAYS[way] for way in fitting_ways(facts, choice)},
        "alone": request.headers.get("x-requested-with") != pages.SCRIPT,
    }
    if known["alone"]:
        return page(request, "column.html", project=project, step="columns", error="", job=None, **known)
    return page(request, "column_details.html", project=project, **known)


def column(request: Request, project: Project) -> tuple[int, ColumnFacts, ColumnChoice]:
    """The column that a request is about, by its number."""
    source, choices = project.source, project.choices
    if source is None or choices is None:
        raise PageError.no_file()
    number: int = request.path_params["number"]
    if number >= len(source.columns):
        raise PageError.no_column(len(source.columns))
    return number, source.columns[number], choices.columns[number]


def _decided(source: Source, choices: Choices, form: Form, folder: Path) -> tuple[ColumnChoice, ...]:
    columns = list(choices.columns)
    spared = (choices.sampling_weights, choices.households, *choices.strata)
    if form.get("bulk") == "proposed":
        columns = [_in_role(choice, facts.role) for facts, choice in zip(source.columns, choices.columns, strict=True)]
    elif form.get("bulk") == "drop":
        columns = [
            _in_role(choice, Role.IDENTIFIER) if choice.role == Role.INSENSITIVE and name not in spared else choice
            for name, choice in zip(source.names, choices.columns, strict=True)
        ]
    else:
        for name, value in form.items():
            field, _, said = name.partition("-")
            number = _place(said, columns)
            if field in _FIELDS and number is not None:
                columns[number] = _with(columns[number], source.columns[number], field, value, folder)
    if form.get("bulk") == "role":
        role = _one_of("role", form.get("bulk-role"), ROLES)
        for number in (_place(said, columns) for said in form.all("pick")):
            if number is not None:
                columns[number] = _in_role(columns[number], role)
    return tuple(columns)


def _in_role(choice: ColumnChoice, role: str) -> ColumnChoice:
    """The choice with this role; with another one than before nothing is confirmed."""
    return choice if role == choice.role else replace(choice, role=role, keep=False)


def _place(said: str, columns: Sequence[ColumnChoice]) -> int | None:
    """The number of a column that is there."""
    known = said.isascii() and said.isdecimal() and len(said) < 10 and int(said) < len(columns)
    return int(said) if known else None


def _with(choice: ColumnChoice, facts: ColumnFacts, field: str, value: str, folder: Path) -> ColumnChoice:
    if field == "role":
        return _in_role(choice, _one_of("role", value, ROLES))
    if field == "keep":
        return replace(choice, keep=_one_of("keep", value, ("yes", "no")) == "yes")
    if field == "weight":
        return replace(choice, weight=_weight(value))
    if field == "recode":
        # one that does not fit was chosen for the kind before: the way of the new kind is taken
        word = _one_of("recode", value, ("", *WAYS))
        return replace(choice, recode=word if word in fitting_ways(facts, choice) else "")
    kind = _one_of("kind", value, ("", *KINDS))
    if kind == choice.kind:
        return choice
    if kind and kind not in _offered(facts):
        raise OptionError.bad_option("kind", "one that fits the values; Shoal knows dates as 2026-03-05")
    changed = with_kind(choice, kind, folder)
    return changed if changed.recode in fitting_ways(facts, changed) else replace(changed, recode="")


def _offered(facts: ColumnFacts) -> list[str]:
    """The kinds that the values of a column may have: what was not found to be dates has others among them."""
    return [kind for kind in KINDS if kind != Kind.DATE or facts.kind == Kind.DATE]


def _one_of(option: str, value: str, known: Iterable[str]) -> str:
    if value not in known:
        raise OptionError.unknown_choice(option, value, [word for word in known if word])
    return str(value)


def _weight(text: str) -> float:
    low, high = _WEIGHTS
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not (isfinite(found) and low <= found <= high):
        raise OptionError.bad_option("weight", f"a number from {low:g} to {high:g}")
    return found


routes = [
    Route("/p/{id}/columns", show, methods=["GET"]),
    Route("/p/{id}/columns", change, methods=["POST"]),
    Route("/p/{id}/columns/{number:int}", one, methods=["GET"]),
    Route("/p/{id}/columns/lacking", lacking, methods=["GET"]),
]

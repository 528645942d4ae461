"""The hierarchy of a column, or the order of its values: choose, build, look at, edit, check, take."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shoal.errors import HierarchyError, OptionError, PageError, ShoalError
from shoal.hierarchy import Hierarchy, files
from shoal.hierarchy.dates import LEVELS
from shoal.report import hierarchy as drawing
from shoal.schema.columns import Kind
from shoal.web.branches import ROWS, branches
from shoal.web.drafts import Draft
from shoal.web.edits import edited
from shoal.web.growing import Growing
from shoal.web.guard import Form
from shoal.web.interface import ColumnChoice, Project, kind_of
from shoal.web.pages import drawn, goto, page, pending, revision
from shoal.web.steps.columns import column
from shoal.web.trees import (
    MOST_LETTERS,
    MOST_NODES,
    checked,
    fitting_ways,
    hand,
    keep_levels,
    keep_tree,
    make_folder,
    read_levels,
    with_kind,
)
from shoal.web.uploads import arriving
from shoal.web.workplace import workplace
from shoal.words import short

_OPTIONS = {
    "intervals": ("width", "quantiles", "cuts"),
    "prefixes": ("lengths", "separators"),
    "dates": ("levels",),
    "frequencies": ("groups",),
    "flat": (),
    "wordnet": ("under", "rule", "top", "leaf", "senses"),
}
"""The ways to build a hierarchy, and the fields of their forms."""
_ENDINGS = (".csv", ".tsv", ".txt", ".json", ".nt", ".skos")
_WORDNET = {"index": "index.noun", "data": "data.noun"}
_MOST_FILE = 8_000_000
_MOST_WORDNET = 64_000_000
_MOST_OTHERS = 50
_MOST_DRAWN = 150
_MOST_PARENTS = 1_000
_MOST_LEVELS = 2_000


def _at(request: Request) -> Growing:
    place = workplace(request)
    project = place.project(request)
    return Growing(place, project, *column(request, project))


async def _known(values: Awaitable[dict[str, Any] | None]) -> tuple[dict[str, Any] | None, str]:
    """The answer, or the sentence why there is none."""
    try:
        return await values, ""
    except ShoalError as error:
        return None, error.sentence


async def show(request: Request) -> Response:
    at = _at(request)
    draft = at.draft()
    settled, (values, absent) = await asyncio.gather(at.settle(draft), _known(at.values()))
    ready = settled and (values is not None or bool(absent))
    counts = None if values is None else values["counts"]
    facts: dict[str, Any] = {
        "at": at,
        "ready": ready,
        "values": values,
        "absent": absent,
        "told": draft.told,
        **_order(at, counts or {}),
        "kind": kind_of(at.facts, at.choice),
        "dates": tuple(LEVELS),
        "wordnet": _wordnet_files(at.wordnet),
        "most": MOST_NODES,
        "most_letters": MOST_LETTERS,
        "most_file": _MOST_FILE,
        "most_wordnet": _MOST_WORDNET,
        "tree": None,
    }
    error, draft.error = draft.error if ready else "", "" if ready else draft.error
    facts |= {"project": at.project, "step": "columns", "error": error, "job": None}

    def shown() -> Response:
        tree = draft.present if ready else None
        seen = {} if tree is None else _seen(request, at, draft, tree, counts)
        return page(request, "hierarchy.html", **facts | seen)

    return await asyncio.to_thread(shown)  # a large tree takes its time, and others ask meanwhile


def _seen(
    request: Request, at: Growing, draft: Draft, tree: Hierarchy, counts: Mapping[str, int] | None
) -> dict[str, Any]:
    """What the page shows of a tree."""
    top = min(_whole(request.query_params.get("top", ""), len(tree) - 1), len(tree) - 1)
    most = min(max(_whole(request.query_params.get("rows", ""), ROWS), ROWS), MOST_NODES)
    taken = bool(at.choice.hierarchy)
    leaves = set(tree.leaves)
    inner = [name for name in reversed(tree.nodes) if name not in leaves]
    picture = drawing.picture(tree, counts, title=short(at.facts.name), depth=_drawn_depth(tree), styled=False)
    return {
        "tree": tree,
        "mark": tree.fingerprint,
        "size": drawing.size(tree),
        "changed": not taken or tree.fingerprint != draft.taken,
        "taken": taken,
        "undoable": len(draft.states) > 1,
        "picture": drawn(picture),
        "branches": branches(tree, counts, top=top, most=most),
        "top": top,
        "rows": most,
        "parents": inner[:_MOST_PARENTS],
        "coverage": None if counts is None else _covered(tree, counts),
    }


def _covered(tree: Hierarchy, counts: Mapping[str, int]) -> dict[str, int]:
    """Whether the tree has every value: the counts of `hierarchy.coverage`, without seeking what is meant."""
    lacking = [records for value, records in counts.items() if value not in tree]
    return {
        "distinct": len(counts),
        "records": sum(counts.values()),
        "missing_values": len(lacking),
        "missing_records": sum(lacking),
    }


def _order(at: Growing, counts: Mapping[str, int]) -> dict[str, list[str]]:
    """The order of values that is kept, else the one in which they are found; and the values that it lacks."""
    kept = (read_levels(at.levels) if at.choice.levels or at.choice.levels_aside else None) or []
    known = set(kept)
    lacking = [value for value in counts if value not in known] if kept else []
    return {"order": kept or (list(counts) if len(counts) <= _MOST_LEVELS else []), "lacking": lacking}


def _drawn_depth(tree: Hierarchy) -> int | None:
    """As many levels as a picture has room for, at least two."""
    depths = sorted(tree.depths)
    return None if len(depths) <= _MOST_DRAWN else max(depths[_MOST_DRAWN] - 1, 2)


async def ready(request: Request) -> Response:
    """Whether the page can be shown again with all that was asked for."""
    at = _at(request)
    settled, (values, absent) = await asyncio.gather(at.settle(at.draft()), _known(at.values()))
    if not settled or (values is None and not absent):
        return pending()
    return Response("", media_type="text/html")


async def offers(request: Request) -> Response:
    """Hierarchies that fit: those that can be built, and those that other columns and projects have."""
    at = _at(request)
    others = _others(at)[:_MOST_OTHERS]
    paths = [at.place.store.hierarchies(project.id) / name for project, _, name in others]
    asked = {**at.asked(), "paths": [str(path) for path in paths], "marks": [_stamp(path) for path in paths]}
    values, found = await asyncio.gather(
        at.values(), at.place.desk.answer(at.project.id, "matches", asked, about=str(at.number))
    )
    if values is None or found is None:
        return pending()
    shared = [
        {"project": project, "number": number, "matches": matches}
        for (project, number, _), matches in zip(others, found["matches"], strict=True)
        if matches
    ]
    shared.sort(key=lambda other: -other["matches"])
    return page(request, "hierarchy_offers.html", at=at, project=at.project, values=values, shared=shared)


def _others(at: Growing) -> list[tuple[Project, int, str]]:
    """The columns of all projects that have a hierarchy, but for this one, with the names of its file."""
    return [
        (project, number, choice.hierarchy)
        for project in at.place.store.all()
        if project.choices is not None and project.source is not None
        for number, choice in enumerate(project.choices.columns[: len(project.source.columns)])
        if choice.hierarchy and (project.id, number) != (at.project.id, at.number)
    ]


async def missing(request: Request) -> Response:
    """The values that the tree lacks, with what they may mean."""
    at = _at(request)
    draft = at.draft()
    tree = draft.present
    if tree is None:
        raise HierarchyError.empty()
    path = at.scratch / f"{at.number}.json"
    asked = {**at.asked(), "path": str(path), "fingerprint": tree.fingerprint}
    if draft.handed != tree.fingerprint or not path.is_file():
        hand(path, tree)
        draft.handed = tree.fingerprint
    found = await at.place.desk.answer(at.project.id, "coverage", asked, about=str(at.number))
    if found is None:
        return pending()
    lacking = [
        {"value": value, "records": records, "near": _near(value, found)} for value, records in found["missing"].items()
    ]
    facts: dict[str, Any] = {"mark": tree.fingerprint, "found": found, "lacking": lacking, "root": tree.root}
    return page(request, "hierarchy_missing.html", at=at, project=at.project, **facts)


def _near(value: str, found: Mapping[str, Any]) -> str:
    if value in found["mappings"]:
        return str(found["mappings"][value])
    return str(found["suggestions"].get(value, [""])[0])


async def build(request: Request) -> Response:
    """Ask for a hierarchy in one of the ways; the page shows it when it is there, and nothing is taken yet."""
    at, form = _at(request), request.state.form
    way = form.get("way")
    if way == "copy":
        return _asked(at, _copied(at, form))
    if way not in _OPTIONS:
        raise PageError.no_way()
    options = {name: "\n".join(form.all(name))[:100_000] for name in _OPTIONS[way]}
    wish = {**at.asked(), "way": way, "options": options}
    if way == "wordnet":
        if not all(_wordnet_files(at.wordnet).values()):
            raise PageError.no_wordnet()
        stamps = [_stamp(path) for path in sorted(at.wordnet.iterdir())]
        wish |= {"path": str(at.wordnet), "marks": stamps}
    return _asked(at, wish)


def _asked(at: Growing, wish: Mapping[str, Any]) -> Response:
    draft = at.draft()
    draft.wish, draft.told, draft.error = wish, {}, ""
    return goto(at.address)


def _copied(at: Growing, form: Form) -> dict[str, Any]:
    other, number = at.place.store.read(form.get("project")), _whole(form.get("column"), -1)
    names = [name for project, known, name in _others(at) if (project.id, known) == (other.id, number)]
    if not names:
        raise PageError.no_way()
    path = at.place.store.hierarchies(other.id) / names[0]
    return {"way": "file", "path": str(path), "name": path.name, "marks": [_stamp(path)]}


async def upload(request: Request) -> Response:
    """A file with a hierarchy, as raw bytes."""
    at = _at(request)
    name = unquote(request.headers.get("x-file-name", ""))
    ending = Path(name).suffix.lower()
    path = at.scratch / f"{at.number}-file{ending if ending in _ENDINGS else '.csv'}"
    digest = await _received(request, at, path, most=_MOST_FILE)
    _asked(at, {"way": "file", "path": str(path), "name": name, "marks": [digest]})
    return JSONResponse({"location": at.address})


async def wordnet(request: Request) -> Response:
    """One of the two files of WordNet, as raw bytes: kept until the page ends, for all projects."""
    at, name = _at(request), _WORDNET.get(request.path_params["part"], "")
    if not name:
        raise PageError.no_way()
    part = at.wordnet / f".{name}"
    digest = await _received(request, at, part, most=_MOST_WORDNET)
    with part.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    (at.wordnet / (name if packed else f"{name}.gz")).unlink(missing_ok=True)
    part.replace(at.wordnet / (f"{name}.gz" if packed else name))
    # another address each time: to go to another place of the same page would not show it again
    return JSONResponse({"location": f"{at.address}?had={digest[:8]}#wordnet"})


async def _received(request: Request, at: Growing, path: Path, *, most: int) -> str:
    """Put the body of a request into a private file, once it is whole; its fingerprint."""
    async with arriving(request, at.place.scratch, most=most, refusal=PageError.long_hierarchy(most)) as part:
        with part.open("rb") as file:
            digest = await asyncio.to_thread(hashlib.file_digest, file, "sha256")
        at.place.store.read(at.project.id)  # it may be deleted by now
        make_folder(path.parent)
        part.replace(path)
    return digest.hexdigest()


def _wordnet_files(folder: Path) -> dict[str, bool]:
    """Which of the files of WordNet are there."""
    return {part: (folder / name).is_file() or (folder / f"{name}.gz").is_file() for part, name in _WORDNET.items()}


def _stamp(path: Path) -> str:
    """What changes with a file."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{found.st_size} {found.st_mtime_ns}"


async def edit(request: Request) -> Response:
    """One change of the tree that the form was made from."""
    at, form = _at(request), request.state.form
    draft = at.draft()
    tree = draft.present
    if tree is None or form.get("mark") != tree.fingerprint:
        raise PageError.changed_elsewhere()
    changed = tree
    try:
        changed = checked(edited(tree, form))
        draft.put(changed)
        draft.told = {}
    except HierarchyError as error:
        draft.error = error.sentence
    top = _whole(form.get("top"), len(tree) - 1)
    name = tree.nodes[min(top, len(tree) - 1)]
    where = changed.number(name) if name in changed else len(changed) - 1
    rows = _whole(form.get("rows"), ROWS)
    place = "" if where == len(changed) - 1 and rows == ROWS else f"?top={where}&rows={rows}"
    return goto(f"{at.address}{place}#{'main' if draft.error else 'tree'}")


async def undo(request: Request) -> Response:
    at = _at(request)
    at.draft().undo()
    return goto(f"{at.address}#tree")


async def discard(request: Request) -> Response:
    """Back to the hierarchy that is used, or to none."""
    at = _at(request)
    if at.draft().wish is not None:  # and nobody waits for what is being built
        await at.place.desk.forget(at.project.id)
    at.place.drafts.forget(at.project.id, at.number)
    return goto(at.address)


async def take(request: Request) -> Response:
    """Use the hierarchy from now on."""
    at, form = _at(request), request.state.form
    tree = at.draft().present
    if tree is None or form.get("mark") != tree.fingerprint or revision(request) != at.project.revision:
        raise PageError.changed_elsewhere()
    try:
        keep_tree(at.tree, tree)
    except HierarchyError as error:
        at.draft().error = error.sentence
        return goto(at.address)
    _decide(at, replace(at.choice, hierarchy_aside=at.tree.name), Kind.HIERARCHICAL)
    at.draft().taken = tree.fingerprint
    return goto(at.address)


async def order(request: Request) -> Response:
    """Use an order of values from now on."""
    at, form = _at(request), request.state.form
    if revision(request) != at.project.revision:
        raise PageError.changed_elsewhere()
    levels = [line.removesuffix("\r") for line in form.get("levels").split("\n") if line.strip()]
    try:
        keep_levels(at.levels, levels)
    except OptionError as error:
        at.draft().error = error.sentence
        return goto(at.address)
    _decide(at, replace(at.choice, levels_aside=at.levels.name), Kind.ORDINAL)
    return goto(f"{at.address}#order")


async def remove(request: Request) -> Response:
    """Use neither a hierarchy nor an order any more; their files go too."""
    at = _at(request)
    if revision(request) != at.project.revision:
        raise PageError.changed_elsewhere()
    _decide(at, replace(at.choice, hierarchy="", levels="", hierarchy_aside="", levels_aside=""), "")
    for path in (at.tree, at.levels):
        path.unlink(missing_ok=True)
    at.place.drafts.forget(at.project.id, at.number)
    return goto(at.address)


def _decide(at: Growing, choice: ColumnChoice, kind: str) -> None:
    """Keep what was decided about the column: its kind, and with it the file that was written for it."""
    choice = with_kind(choice, str(kind), at.folder)
    choice = replace(choice, recode=choice.recode if choice.recode in fitting_ways(at.facts, choice) else "")

    def changed(project: Project) -> Project:
        if project.choices is None:
            raise PageError.no_file()
        return replace(project, choices=project.choices.with_column(at.number, **choice.to_dict()))

    at.place.store.update(at.project.id, changed, revision=at.project.revision)


async def download(request: Request) -> Response:
    """The tree that the page shows, as a file."""
    at = _at(request)
    tree = at.draft().present
    if tree is None:
        raise HierarchyError.empty()
    wanted = "arx" if request.query_params.get("format") == "arx" else "json"
    ending, kind = ("csv", "text/csv") if wanted == "arx" else ("json", "application/json")
    name = f"hierarchy-{at.number + 1}.{ending}"
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(files.text(tree, wanted).encode(errors="replace"), media_type=kind, headers=headers)


async def style(_: Request) -> Response:
    """What the picture of a tree looks like, which reports have inside."""
    return Response(drawing.STYLE, media_type="text/css")


def _whole(text: str, default: int) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else default


_ROOT = "/p/{id}/columns/{number:int}/hierarchy"
routes = [
    Route("/static/tree.css", style, methods=["GET"]),
    Route(_ROOT, show, methods=["GET"]),
    *(Route(f"{_ROOT}/{answer.__name__}", answer, methods=["GET"]) for answer in (ready, offers, missing, download)),
    *(
        Route(f"{_ROOT}/{action.__name__}", action, methods=["POST"])
        for action in (build, upload, edit, undo, discard, take, order, remove)
    ),
    Route(_ROOT + "/wordnet/{part}", wordnet, methods=["POST"]),
]

"""Hierarchy page: build, view, edit, check and apply the hierarchy of a column, or the order of its values."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shoal.domain.columns import Kind
from shoal.errors import HierarchyError, OptionError, ShoalError
from shoal.errors.messages import shorten
from shoal.hierarchy import Hierarchy, formats
from shoal.hierarchy.builders import DATE_LEVELS
from shoal.report import hierarchy_drawing as drawing
from shoal.web.context import project_context
from shoal.web.errors import PageError
from shoal.web.http.forms import Form, parse_index
from shoal.web.http.render import check_revision, pending_response, redirect, render_page, safe_svg
from shoal.web.http.uploads import receive_body
from shoal.web.pages.columns_page import requested_column
from shoal.web.pages.hierarchy_view import ROWS, apply_edit, hierarchy_view
from shoal.web.projects.hierarchy_drafts import HierarchyDraft, HierarchyEditor
from shoal.web.projects.hierarchy_files import (
    MAX_CHARACTERS,
    MAX_NODES,
    check_size,
    make_private_folder,
    read_levels,
    with_kind,
    write_for_worker,
    write_hierarchy,
    write_levels,
)
from shoal.web.projects.model import ColumnChoice, Project, effective_kind

_METHODS = {
    "intervals": ("width", "quantiles", "cuts"),
    "prefixes": ("lengths", "separators"),
    "dates": ("levels",),
    "frequencies": ("groups",),
    "flat": (),
    "wordnet": ("under", "rule", "top", "leaf", "senses"),
}
"""Methods to build a hierarchy, and the fields of their forms."""
_ENDINGS = (".csv", ".tsv", ".txt", ".json", ".nt", ".skos")
_WORDNET = {"index": "index.noun", "data": "data.noun"}
_MAX_FILE = 8_000_000
_MAX_WORDNET = 64_000_000
_MAX_OTHERS = 50
_MAX_DRAWN = 150
_MAX_PARENTS = 1_000
_MAX_LEVELS = 2_000


def _editor(request: Request) -> HierarchyEditor:
    context, project = project_context(request)
    return HierarchyEditor(context, project, *requested_column(request, project))


async def _results(editor: HierarchyEditor) -> tuple[bool, dict[str, Any] | None, str]:
    """Return whether the page can be rendered, the values of the column, and an error message if there are none."""

    async def count() -> tuple[dict[str, Any] | None, str]:
        try:
            return await editor.values(), ""
        except ShoalError as error:
            return None, error.sentence

    built, (values, failure) = await asyncio.gather(editor.finish_build(editor.draft()), count())
    return built and (values is not None or bool(failure)), values, failure


async def show(request: Request) -> Response:
    editor = _editor(request)
    draft = editor.draft()
    ready, values, failure = await _results(editor)
    counts = None if values is None else values["counts"]
    facts: dict[str, Any] = {
        "editor": editor,
        "ready": ready,
        "values": values,
        "values_error": failure,
        "builder_notes": draft.builder_notes,
        **_order(editor, counts or {}),
        "kind": effective_kind(editor.facts, editor.choice),
        "dates": tuple(DATE_LEVELS),
        "wordnet": _wordnet_files(editor.wordnet_folder),
        "most": MAX_NODES,
        "most_letters": MAX_CHARACTERS,
        "most_file": _MAX_FILE,
        "most_wordnet": _MAX_WORDNET,
        "tree": None,
    }
    facts |= {"project": editor.project, "step": "columns", "error": draft.error if ready else "", "job": None}
    if ready:
        draft.error = ""

    def render() -> Response:
        tree = draft.current if ready else None
        tree_facts = {} if tree is None else _tree_facts(request, editor, draft, tree, counts)
        return render_page(request, "hierarchy.html", **facts | tree_facts)

    return await asyncio.to_thread(render)  # a large hierarchy takes time; do not block other requests


def _tree_facts(
    request: Request, editor: HierarchyEditor, draft: HierarchyDraft, tree: Hierarchy, counts: Mapping[str, int] | None
) -> dict[str, Any]:
    top = min(_index(request.query_params.get("top", ""), len(tree) - 1), len(tree) - 1)
    max_rows = min(max(_index(request.query_params.get("rows", ""), ROWS), ROWS), MAX_NODES)
    taken = bool(editor.choice.hierarchy)
    leaves = set(tree.leaves)
    inner = [name for name in reversed(tree.nodes) if name not in leaves]
    picture = drawing.draw_svg(tree, counts, title=shorten(editor.facts.name), depth=_drawn_depth(tree), styled=False)
    return {
        "tree": tree,
        "mark": tree.fingerprint,
        "size": drawing.size_text(tree),
        "changed": not taken or tree.fingerprint != draft.used_fingerprint,
        "taken": taken,
        "undoable": len(draft.states) > 1,
        "picture": safe_svg(picture),
        "branches": hierarchy_view(tree, counts, top=top, max_rows=max_rows),
        "top": top,
        "rows": max_rows,
        "parents": inner[:_MAX_PARENTS],
        "coverage": None if counts is None else _coverage_counts(tree, counts),
    }


def _coverage_counts(tree: Hierarchy, counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of `hierarchy.coverage`, without suggestions for missing values."""
    missing = [records for value, records in counts.items() if value not in tree]
    return {
        "distinct": len(counts),
        "records": sum(counts.values()),
        "missing_values": len(missing),
        "missing_records": sum(missing),
    }


def _order(editor: HierarchyEditor, counts: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the stored order of values, else the order in the file, and the values that it lacks."""
    order = (read_levels(editor.levels_path) if editor.choice.levels or editor.choice.levels_aside else None) or []
    values = set(order)
    unordered = [value for value in counts if value not in values] if order else []
    return {"order": order or (list(counts) if len(counts) <= _MAX_LEVELS else []), "missing_values": unordered}


def _drawn_depth(tree: Hierarchy) -> int | None:
    """Return the number of levels that fit a picture, at least two."""
    depths = sorted(tree.depths)
    return None if len(depths) <= _MAX_DRAWN else max(depths[_MAX_DRAWN] - 1, 2)


async def ready(request: Request) -> Response:
    """Whether the page can be rendered with all results."""
    is_ready, _, _ = await _results(_editor(request))
    return Response("", media_type="text/html") if is_ready else pending_response()


async def offers(request: Request) -> Response:
    """Fragment: suggested hierarchies, and those of other columns and projects."""
    editor = _editor(request)
    others = _other_columns(editor)[:_MAX_OTHERS]
    paths = [editor.context.store.hierarchies(project.id) / name for project, _, name in others]
    params = {
        **editor.column_params(),
        "paths": [str(path) for path in paths],
        "marks": [_stamp(path) for path in paths],
    }
    values, result = await asyncio.gather(editor.values(), editor.query("matches", params))
    if values is None or result is None:
        return pending_response()
    shared = [
        {"project": project, "number": number, "matches": matches}
        for (project, number, _), matches in zip(others, result["matches"], strict=True)
        if matches
    ]
    shared.sort(key=lambda other: -other["matches"])
    return render_page(
        request, "hierarchy_offers.html", editor=editor, project=editor.project, values=values, shared=shared
    )


def _other_columns(editor: HierarchyEditor) -> list[tuple[Project, int, str]]:
    """Return all other columns with a hierarchy, in all projects, with the names of its file."""
    return [
        (project, number, choice.hierarchy)
        for project in editor.context.store.all()
        if project.choices is not None and project.source is not None
        for number, choice in enumerate(project.choices.columns[: len(project.source.columns)])
        if choice.hierarchy and (project.id, number) != (editor.project.id, editor.number)
    ]


async def missing(request: Request) -> Response:
    """Fragment: values that the hierarchy lacks, with suggested nodes."""
    editor = _editor(request)
    draft = editor.draft()
    tree = draft.current
    if tree is None:
        raise HierarchyError.empty()
    path = editor.scratch / f"{editor.number}.json"
    params = {**editor.column_params(), "path": str(path), "fingerprint": tree.fingerprint}
    if draft.written_fingerprint != tree.fingerprint or not path.is_file():
        write_for_worker(path, tree)
        draft.written_fingerprint = tree.fingerprint
    result = await editor.query("coverage", params)
    if result is None:
        return pending_response()
    rows = [
        {"value": value, "records": records, "near": _suggested_node(value, result)}
        for value, records in result["missing"].items()
    ]
    facts: dict[str, Any] = {"mark": tree.fingerprint, "result": result, "rows": rows, "root": tree.root}
    return render_page(request, "hierarchy_missing.html", editor=editor, project=editor.project, **facts)


def _suggested_node(value: str, result: Mapping[str, Any]) -> str:
    if value in result["mappings"]:
        return str(result["mappings"][value])
    return str(result["suggestions"].get(value, [""])[0])


async def build(request: Request) -> Response:
    """Start to build a hierarchy; it becomes the draft of the column."""
    editor, form = _editor(request), request.state.form
    way = form.get("way")
    if way == "copy":
        return _start_build(editor, _copy_params(editor, form))
    if way not in _METHODS:
        raise PageError.unknown_hierarchy_source()
    options = {name: "\n".join(form.all(name))[:100_000] for name in _METHODS[way]}
    params = {**editor.column_params(), "way": way, "options": options}
    if way == "wordnet":
        if not all(_wordnet_files(editor.wordnet_folder).values()):
            raise PageError.wordnet_not_available()
        stamps = [_stamp(path) for path in sorted(editor.wordnet_folder.iterdir())]
        params |= {"path": str(editor.wordnet_folder), "marks": stamps}
    return _start_build(editor, params)


def _start_build(editor: HierarchyEditor, params: Mapping[str, Any]) -> Response:
    draft = editor.draft()
    draft.build_params, draft.builder_notes, draft.error = params, {}, ""
    return redirect(editor.address)


def _copy_params(editor: HierarchyEditor, form: Form) -> dict[str, Any]:
    other, number = editor.context.store.read(form.get("project")), parse_index(form.get("column"))
    names = [name for project, index, name in _other_columns(editor) if (project.id, index) == (other.id, number)]
    if not names:
        raise PageError.unknown_hierarchy_source()
    path = editor.context.store.hierarchies(other.id) / names[0]
    return {"way": "file", "path": str(path), "name": path.name, "marks": [_stamp(path)]}


async def upload(request: Request) -> Response:
    editor = _editor(request)
    name = unquote(request.headers.get("x-file-name", ""))
    ending = Path(name).suffix.lower()
    path = editor.scratch / f"{editor.number}-file{ending if ending in _ENDINGS else '.csv'}"
    digest = await _save_body(request, editor, path, most=_MAX_FILE)
    _start_build(editor, {"way": "file", "path": str(path), "name": name, "marks": [digest]})
    return JSONResponse({"location": editor.address})


async def wordnet(request: Request) -> Response:
    """Upload one of the two WordNet files as raw bytes; they serve all projects until exit."""
    editor, name = _editor(request), _WORDNET.get(request.path_params["part"], "")
    if not name:
        raise PageError.unknown_hierarchy_source()
    part = editor.wordnet_folder / f".{name}"
    digest = await _save_body(request, editor, part, most=_MAX_WORDNET)
    with part.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    (editor.wordnet_folder / (name if packed else f"{name}.gz")).unlink(missing_ok=True)
    part.replace(editor.wordnet_folder / (f"{name}.gz" if packed else name))
    # a new query string each time: a change of only the fragment would not reload the page
    return JSONResponse({"location": f"{editor.address}?had={digest[:8]}#wordnet"})


async def _save_body(request: Request, editor: HierarchyEditor, path: Path, *, most: int) -> str:
    """Store the body of a request in a private file; return its SHA-256."""
    async with receive_body(
        request, editor.context.scratch, max_bytes=most, too_large=PageError.hierarchy_too_large(most)
    ) as part:
        with part.open("rb") as file:
            digest = await asyncio.to_thread(hashlib.file_digest, file, "sha256")
        editor.context.store.read(editor.project.id)  # raises if it was deleted meanwhile
        make_private_folder(path.parent)
        part.replace(path)
    return digest.hexdigest()


def _wordnet_files(folder: Path) -> dict[str, bool]:
    return {part: (folder / name).is_file() or (folder / f"{name}.gz").is_file() for part, name in _WORDNET.items()}


def _stamp(path: Path) -> str:
    """Return size and modification time of a file as a cache key."""
    try:
        status = path.stat()
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


async def edit(request: Request) -> Response:
    """Apply one edit to the hierarchy that the form was rendered for."""
    editor, form = _editor(request), request.state.form
    draft = editor.draft()
    tree = draft.current
    if tree is None or form.get("mark") != tree.fingerprint:
        raise PageError.changed_elsewhere()
    changed = tree
    try:
        changed = check_size(apply_edit(tree, form))
        draft.push(changed)
        draft.builder_notes = {}
    except HierarchyError as error:
        draft.error = error.sentence
    name = tree.nodes[min(_index(form.get("top"), len(tree) - 1), len(tree) - 1)]
    top_number = changed.number(name) if name in changed else len(changed) - 1
    rows = _index(form.get("rows"), ROWS)
    query = "" if top_number == len(changed) - 1 and rows == ROWS else f"?top={top_number}&rows={rows}"
    return redirect(f"{editor.address}{query}#{'main' if draft.error else 'tree'}")


async def undo(request: Request) -> Response:
    editor = _editor(request)
    editor.draft().undo()
    return redirect(f"{editor.address}#tree")


async def discard(request: Request) -> Response:
    editor = _editor(request)
    if editor.draft().build_params is not None:  # cancel the running build
        await editor.context.workers.forget(editor.project.id)
    editor.context.drafts.remove(editor.project.id, editor.number)
    return redirect(editor.address)


async def take(request: Request) -> Response:
    editor, form = _editor(request), request.state.form
    tree = editor.draft().current
    check_revision(request, editor.project)
    if tree is None or form.get("mark") != tree.fingerprint:
        raise PageError.changed_elsewhere()
    try:
        write_hierarchy(editor.hierarchy_path, tree)
    except HierarchyError as error:
        editor.draft().error = error.sentence
        return redirect(editor.address)
    _save_choice(editor, replace(editor.choice, hierarchy_aside=editor.hierarchy_path.name), Kind.HIERARCHICAL)
    editor.draft().used_fingerprint = tree.fingerprint
    return redirect(editor.address)


async def order(request: Request) -> Response:
    editor, form = _editor(request), request.state.form
    check_revision(request, editor.project)
    levels = [line.removesuffix("\r") for line in form.get("levels").split("\n") if line.strip()]
    try:
        write_levels(editor.levels_path, levels)
    except OptionError as error:
        editor.draft().error = error.sentence
        return redirect(editor.address)
    _save_choice(editor, replace(editor.choice, levels_aside=editor.levels_path.name), Kind.ORDINAL)
    return redirect(f"{editor.address}#order")


async def remove(request: Request) -> Response:
    """Remove the hierarchy and the order, with their files."""
    editor = _editor(request)
    check_revision(request, editor.project)
    _save_choice(editor, replace(editor.choice, hierarchy="", levels="", hierarchy_aside="", levels_aside=""), "")
    for path in (editor.hierarchy_path, editor.levels_path):
        path.unlink(missing_ok=True)
    editor.context.drafts.remove(editor.project.id, editor.number)
    return redirect(editor.address)


def _save_choice(editor: HierarchyEditor, choice: ColumnChoice, kind: str) -> None:
    """Save the kind of the column, with its file."""
    choice = with_kind(editor.facts, choice, kind, editor.folder)

    def update(project: Project) -> Project:
        _, choices = project.file_and_choices()
        return replace(project, choices=choices.with_column(editor.number, **choice.to_dict()))

    editor.context.store.update(editor.project.id, update, revision=editor.project.revision)


async def download(request: Request) -> Response:
    editor = _editor(request)
    tree = editor.draft().current
    if tree is None:
        raise HierarchyError.empty()
    file_format = "arx" if request.query_params.get("format") == "arx" else "json"
    ending, media_type = ("csv", "text/csv") if file_format == "arx" else ("json", "application/json")
    name = f"hierarchy-{editor.number + 1}.{ending}"
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(formats.to_text(tree, file_format).encode(errors="replace"), media_type=media_type, headers=headers)


def _index(text: str, default: int) -> int:
    index = parse_index(text)
    return default if index is None else index


_ROOT = "/p/{id}/columns/{number:int}/hierarchy"
routes = [
    Route(_ROOT, show, methods=["GET"]),
    *(Route(f"{_ROOT}/{answer.__name__}", answer, methods=["GET"]) for answer in (ready, offers, missing, download)),
    *(
        Route(f"{_ROOT}/{action.__name__}", action, methods=["POST"])
        for action in (build, upload, edit, undo, discard, take, order, remove)
    ),
    Route(_ROOT + "/wordnet/{part}", wordnet, methods=["POST"]),
]

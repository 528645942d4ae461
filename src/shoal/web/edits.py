"""Edits as the forms of the page ask for them: nodes by their numbers, other names as they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from shoal.errors import HierarchyError, PageError
from shoal.hierarchy import Hierarchy, editing
from shoal.web.guard import Form


def edited(tree: Hierarchy, form: Form) -> Hierarchy:
    """The tree after what the form asks for."""
    if form.get("action") not in _EDITS:
        raise PageError.no_way()
    return _EDITS[form.get("action")](tree, form)


def _chosen(tree: Hierarchy, form: Form) -> list[str]:
    numbers = {int(said) for said in form.all("node") if said.isdecimal() and len(said) < 10}
    return [tree.nodes[number] for number in sorted(numbers) if number < len(tree)]


def _rename(tree: Hierarchy, form: Form) -> Hierarchy:
    chosen = _chosen(tree, form)
    if len(chosen) != 1:
        raise HierarchyError.one_to_rename(len(chosen))
    return editing.renamed(tree, chosen[0], form.get("name").strip())


def _move(tree: Hierarchy, form: Form) -> Hierarchy:
    return editing.moved(tree, _chosen(tree, form), form.get("under"))


def _group(tree: Hierarchy, form: Form) -> Hierarchy:
    return editing.grouped(tree, _chosen(tree, form), form.get("name").strip())


def _dissolve(tree: Hierarchy, form: Form) -> Hierarchy:
    return editing.dissolved(tree, _chosen(tree, form))


def _add(tree: Hierarchy, form: Form) -> Hierarchy:
    values = [value for value, _ in _lacking(form)]
    if not values:
        raise HierarchyError.nothing_given()
    return editing.added(tree, values, form.get("under"))


def _match(tree: Hierarchy, form: Form) -> Hierarchy:
    near = {value: node for value, node in _lacking(form) if node}
    if not near:
        raise HierarchyError.nothing_given()
    return tree.with_values(near)


def _lacking(form: Form) -> list[tuple[str, str]]:
    """The values that were ticked, each with the node that it may mean."""
    ticked = set(form.all("lacking"))
    fields = dict(form.items())
    return [
        (value, fields.get(f"near-{name.removeprefix('value-')}", ""))
        for name, value in form.items()
        if name.startswith("value-") and name.removeprefix("value-") in ticked
    ]


_EDITS: Mapping[str, Callable[[Hierarchy, Form], Hierarchy]] = {
    "rename": _rename,
    "move": _move,
    "group": _group,
    "dissolve": _dissolve,
    "add": _add,
    "match": _match,
}

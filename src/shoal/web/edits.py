"""Edits of a hierarchy by forms: nodes are given by number, new names as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from shoal.errors import HierarchyError, PageError
from shoal.hierarchy import Hierarchy, editing
from shoal.web.guard import Form


def apply_edit(tree: Hierarchy, form: Form) -> Hierarchy:
    """Return the hierarchy after the edit of a form."""
    if form.get("action") not in _EDITS:
        raise PageError.unknown_hierarchy_source()
    return _EDITS[form.get("action")](tree, form)


def _selected(tree: Hierarchy, form: Form) -> list[str]:
    numbers = {int(text) for text in form.all("node") if text.isdecimal() and len(text) < 10}
    return [tree.nodes[number] for number in sorted(numbers) if number < len(tree)]


def _rename(tree: Hierarchy, form: Form) -> Hierarchy:
    selected = _selected(tree, form)
    if len(selected) != 1:
        raise HierarchyError.rename_several(len(selected))
    return editing.rename(tree, selected[0], form.get("name").strip())


def _move(tree: Hierarchy, form: Form) -> Hierarchy:
    return editing.move(tree, _selected(tree, form), form.get("under"))


def _group(tree: Hierarchy, form: Form) -> Hierarchy:
    return editing.group(tree, _selected(tree, form), form.get("name").strip())


def _dissolve(tree: Hierarchy, form: Form) -> Hierarchy:
    return editing.dissolve(tree, _selected(tree, form))


def _add(tree: Hierarchy, form: Form) -> Hierarchy:
    values = [value for value, _ in _missing_values(form)]
    if not values:
        raise HierarchyError.no_nodes_given()
    return editing.add(tree, values, form.get("under"))


def _match(tree: Hierarchy, form: Form) -> Hierarchy:
    mappings = {value: node for value, node in _missing_values(form) if node}
    if not mappings:
        raise HierarchyError.no_nodes_given()
    return tree.with_values(mappings)


def _missing_values(form: Form) -> list[tuple[str, str]]:
    """Return the ticked values, each with the suggested node."""
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

"""A hierarchy as nested lists, cut to a size that a page can display."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from shoal.errors import HierarchyError
from shoal.hierarchy import Hierarchy, edit
from shoal.web.errors import PageError
from shoal.web.http.forms import Form, parse_index

ROWS = 300
"""Nodes that a list contains by default."""


@dataclass(frozen=True)
class HierarchyRow:
    """A node in the list."""

    number: int
    name: str
    records: int | None
    """Records at or below it; None if they are not counted."""
    own: int
    """Records with this value itself."""
    below: int
    opens: bool = False
    """Whether its children follow."""
    closes: int = 0
    """Number of lists that end after it."""


@dataclass(frozen=True)
class HierarchyView:
    rows: tuple[HierarchyRow, ...]
    path: tuple[tuple[int, str], ...]
    """From the root down to the top node."""
    whole: int
    """Number of nodes at or below the top node."""


def hierarchy_view(
    hierarchy: Hierarchy, counts: Mapping[str, int] | None, *, top: int, max_rows: int = ROWS
) -> HierarchyView:
    """Return the top node and the nodes below it: as many complete levels as fit, and of the first level as many nodes
    as fit.
    """
    records, sizes = _sums(hierarchy, counts or {})
    first = top - sizes[top] + 1  # a node and its descendants have consecutive numbers
    depth = _depth(hierarchy, first, top, max_rows)
    rows: list[HierarchyRow] = []
    levels: list[int] = []
    stack = [top]
    while stack:
        number = stack.pop()
        name, level = hierarchy.nodes[number], hierarchy.depths[number] - hierarchy.depths[top]
        children = [hierarchy.number(child) for child in hierarchy.children(name)]
        opens = bool(children) and level < depth
        if opens:
            stack += reversed(children[:max_rows] if level == 0 else children)
        count = None if counts is None else records[number]
        rows.append(HierarchyRow(number, name, count, (counts or {}).get(name, 0), sizes[number] - 1, opens))
        levels.append(level)
    closes = [max(level - following, 0) for level, following in zip(levels, [*levels[1:], 0], strict=True)]
    path = tuple((hierarchy.number(name), name) for name in reversed(hierarchy.path(hierarchy.nodes[top])))
    return HierarchyView(
        tuple(replace(row, closes=lists) for row, lists in zip(rows, closes, strict=True)), path, sizes[top]
    )


def _sums(hierarchy: Hierarchy, counts: Mapping[str, int]) -> tuple[list[int], list[int]]:
    """Return the records and the nodes at or below each node."""
    records, sizes = [counts.get(name, 0) for name in hierarchy], [1] * len(hierarchy)
    for number, parent in enumerate(hierarchy.parents[:-1]):
        records[parent] += records[number]
        sizes[parent] += sizes[number]
    return records, sizes


def _depth(hierarchy: Hierarchy, first: int, top: int, max_rows: int) -> int:
    """Return the number of levels to display below the top, at least one."""
    levels = [0] * hierarchy.levels
    for number in range(first, top + 1):
        levels[hierarchy.depths[number] - hierarchy.depths[top]] += 1
    total = 0
    for depth, nodes in enumerate(levels):
        total += nodes
        if total > max_rows:
            return max(depth - 1, 1)
    return len(levels)


def apply_edit(tree: Hierarchy, form: Form) -> Hierarchy:
    action, name, under = form.get("action"), form.get("name").strip(), form.get("under")
    numbers = {number for number in map(parse_index, form.all("node")) if number is not None and number < len(tree)}
    selected, missing = [tree.nodes[number] for number in sorted(numbers)], _missing_values(form)
    if action == "rename":
        if len(selected) != 1:
            raise HierarchyError.rename_several(len(selected))
        return edit.rename(tree, selected[0], name)
    if action == "move":
        return edit.move(tree, selected, under)
    if action == "group":
        return edit.group(tree, selected, name)
    if action == "dissolve":
        return edit.dissolve(tree, selected)
    if action == "match":
        missing = [(value, node) for value, node in missing if node]
    elif action != "add":
        raise PageError.unknown_hierarchy_source()
    if not missing:
        raise HierarchyError.no_nodes_given()
    return tree.with_values(dict(missing)) if action == "match" else edit.add(tree, [v for v, _ in missing], under)


def _missing_values(form: Form) -> list[tuple[str, str]]:
    """Return the ticked values, each with the suggested node."""
    ticked = set(form.all("lacking"))
    fields = dict(form.items())
    return [
        (value, fields.get(f"near-{name.removeprefix('value-')}", ""))
        for name, value in form.items()
        if name.startswith("value-") and name.removeprefix("value-") in ticked
    ]

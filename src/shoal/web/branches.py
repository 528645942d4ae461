"""A hierarchy as nested lists, cut to a size that a page can display."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.hierarchy import Hierarchy

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
    """Nodes below it."""
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

    @property
    def shown(self) -> int:
        return len(self.rows)


def hierarchy_view(
    hierarchy: Hierarchy, counts: Mapping[str, int] | None, *, top: int, max_rows: int = ROWS
) -> HierarchyView:
    """Return the top node and the nodes below it: as many complete levels as fit, and of the first level as many nodes
    as fit.
    """
    records, sizes = _sums(hierarchy, counts or {})
    first = top - sizes[top] + 1  # a node and its descendants have consecutive numbers
    depth = _depth(hierarchy, first, top, max_rows)
    rows: list[dict[str, Any]] = []
    stack = [top]
    while stack:
        number = stack.pop()
        level = hierarchy.depths[number] - hierarchy.depths[top]
        children = [hierarchy.number(name) for name in hierarchy.children(hierarchy.nodes[number])]
        opens = bool(children) and level < depth
        visible = children[:max_rows] if level == 0 else children
        name = hierarchy.nodes[number]
        rows.append(
            {
                "number": number,
                "name": name,
                "records": None if counts is None else records[number],
                "own": (counts or {}).get(name, 0),
                "below": sizes[number] - 1,
                "opens": opens,
                "level": level,
            }
        )
        if opens:
            stack += reversed(visible)
    levels = [row.pop("level") for row in rows]
    ends = [
        current - following if following <= current else 0
        for current, following in zip(levels, [*levels[1:], 0], strict=True)
    ]
    branch_rows = tuple(HierarchyRow(**row, closes=closes) for row, closes in zip(rows, ends, strict=True))
    path = tuple((hierarchy.number(name), name) for name in reversed(hierarchy.path(hierarchy.nodes[top])))
    return HierarchyView(branch_rows, path, sizes[top])


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

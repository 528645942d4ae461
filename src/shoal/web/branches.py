"""A hierarchy as nested lists: what a page shows of it, and what it leaves out where it is large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.hierarchy import Hierarchy

ROWS = 300
"""Nodes that a list shows unless more are asked for."""


@dataclass(frozen=True)
class Branch:
    """A node in the list."""

    number: int
    name: str
    records: int | None
    """At or below it; None where they are not counted."""
    own: int
    """With this value itself."""
    below: int
    """The nodes below it."""
    opens: bool = False
    """Whether its children follow."""
    closes: int = 0
    """How many lists end after it."""


@dataclass(frozen=True)
class Branches:
    rows: tuple[Branch, ...]
    path: tuple[tuple[int, str], ...]
    """From the root down to the node on top."""
    whole: int
    """The nodes at or below the one on top."""

    @property
    def shown(self) -> int:
        return len(self.rows)


def branches(hierarchy: Hierarchy, counts: Mapping[str, int] | None, *, top: int, most: int = ROWS) -> Branches:
    """The node on top and what is below it: as many whole levels as fit, and of the first level what fits."""
    records, sizes = _sums(hierarchy, counts or {})
    first = top - sizes[top] + 1  # what is at or below a node is a run of numbers
    depth = _depth(hierarchy, first, top, most)
    rows: list[dict[str, Any]] = []
    waiting = [top]
    while waiting:
        number = waiting.pop()
        level = hierarchy.depths[number] - hierarchy.depths[top]
        children = [hierarchy.number(name) for name in hierarchy.children(hierarchy.nodes[number])]
        opens = bool(children) and level < depth
        shown = children[:most] if level == 0 else children
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
            waiting += reversed(shown)
    levels = [row.pop("level") for row in rows]
    ends = [here - after if after <= here else 0 for here, after in zip(levels, [*levels[1:], 0], strict=True)]
    found = tuple(Branch(**row, closes=closes) for row, closes in zip(rows, ends, strict=True))
    path = tuple((hierarchy.number(name), name) for name in reversed(hierarchy.path(hierarchy.nodes[top])))
    return Branches(found, path, sizes[top])


def _sums(hierarchy: Hierarchy, counts: Mapping[str, int]) -> tuple[list[int], list[int]]:
    """The records and the nodes at or below each node."""
    records, sizes = [counts.get(name, 0) for name in hierarchy], [1] * len(hierarchy)
    for number, parent in enumerate(hierarchy.parents[:-1]):
        records[parent] += records[number]
        sizes[parent] += sizes[number]
    return records, sizes


def _depth(hierarchy: Hierarchy, first: int, top: int, most: int) -> int:
    """How many levels below the top are shown: at least one."""
    levels = [0] * hierarchy.levels
    for number in range(first, top + 1):
        levels[hierarchy.depths[number] - hierarchy.depths[top]] += 1
    shown = 0
    for depth, nodes in enumerate(levels):
        shown += nodes
        if shown > most:
            return max(depth - 1, 1)
    return len(levels)

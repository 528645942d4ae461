"""A table of two columns, a child and its parent, in any order; a header ``child,parent`` is no edge."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import HierarchyError
from shoal.hierarchy.tree import Hierarchy

HEADER = ("child", "parent")


def is_header(row: Sequence[str]) -> bool:
    return tuple(field.strip().lower() for field in row) == HEADER


def from_rows(rows: Sequence[Sequence[str]], *, places: Sequence[str]) -> Hierarchy:
    """The tree of these rows; ``places`` says where each stands, such as ``line 7``."""
    first = 1 if rows and is_header(rows[0]) else 0
    pairs = []
    for row, place in zip(rows[first:], places[first:], strict=True):
        if len(row) != 2:
            raise HierarchyError.odd_line(place, "a child and its parent")
        pairs.append((row[0], row[1]))
    return Hierarchy.from_edges(pairs, places=places[first:])


def to_rows(hierarchy: Hierarchy) -> list[Sequence[str]]:
    """The header and all edges, parents first."""
    return [HEADER, *hierarchy.edges()]

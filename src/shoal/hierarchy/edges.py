"""Edges format: two columns, child and parent, in any row order, with an optional header ``child,parent``."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import HierarchyError
from shoal.hierarchy.tree import Hierarchy

EDGE_HEADER = ("child", "parent")


def is_edge_header(row: Sequence[str]) -> bool:
    return tuple(field.strip().lower() for field in row) == EDGE_HEADER


def from_edge_rows(rows: Sequence[Sequence[str]], *, places: Sequence[str]) -> Hierarchy:
    """Build the tree from edge rows; ``places`` locates each row in messages, such as ``line 7``."""
    first = 1 if rows and is_edge_header(rows[0]) else 0
    pairs = []
    for row, place in zip(rows[first:], places[first:], strict=True):
        if len(row) != 2:
            raise HierarchyError.invalid_line(place, "a child and its parent")
        pairs.append((row[0], row[1]))
    return Hierarchy.from_edges(pairs, places=places[first:])


def to_edge_rows(hierarchy: Hierarchy) -> list[Sequence[str]]:
    """Return the header and all edges, parents first."""
    return [EDGE_HEADER, *hierarchy.edges()]

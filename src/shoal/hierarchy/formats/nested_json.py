"""Nested names: ``{"animal": {"bird": {"pigeon": {}}, "fish": ["cod", "eel"]}}``, in Python or as JSON.

A name has an object of names, a list of leaves, or nothing: ``{}``, ``[]``, ``""`` or null.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from shoal.errors import HierarchyError
from shoal.hierarchy.tree import Hierarchy


class _Pairs(list[tuple[str, object]]):
    """Entries of a JSON object, including duplicate names."""


def from_json(text: str) -> Hierarchy:
    """Build the tree from nested names in JSON."""
    try:
        # numbers are rejected later; as floats, none is too long to parse
        nested = json.loads(text, object_pairs_hook=_Pairs, parse_int=float)
    except json.JSONDecodeError as error:
        raise HierarchyError.invalid_json(error.lineno) from None
    except RecursionError:
        raise HierarchyError.too_deep("JSON") from None
    return from_dict(nested)


def from_dict(nested: object) -> Hierarchy:
    """Build the tree from nested names; the only name at the top is the root."""
    if not isinstance(nested, Mapping | _Pairs):
        raise HierarchyError.not_nested("at the top")
    top = _children(nested, "at the top")
    if len(top) > 1:
        raise HierarchyError.two_roots(len(top))
    edges: list[tuple[str, str]] = []
    seen: dict[str, tuple[str, str]] = {}
    stack = [(name, "", below) for name, below in top]
    while stack:
        name, parent, inside = stack.pop()
        place = f"node {len(seen) + 1:,}"
        if not isinstance(name, str):
            raise HierarchyError.not_nested(place)
        if not name.strip():
            raise HierarchyError.unnamed_node(place)
        if name in seen:
            other, first = seen[name]
            same = parent == other or not other
            raise (HierarchyError.duplicate_node if same else HierarchyError.two_parents)(place, first=first)
        seen[name] = parent, place
        if parent:
            edges.append((name, parent))
        stack += [(child, name, below) for child, below in reversed(_children(inside, place))]
    if len(seen) == 1:
        raise HierarchyError.one_node()
    return Hierarchy.from_edges(edges)


def _children(inside: Any, place: str) -> list[tuple[Any, Any]]:
    if inside is None or (isinstance(inside, str) and not inside):
        return []
    if isinstance(inside, _Pairs):
        return inside
    if isinstance(inside, Mapping):
        return list(inside.items())
    if not isinstance(inside, list | tuple):
        raise HierarchyError.not_nested(place)
    return [(leaf, None) for leaf in inside]


def to_dict(hierarchy: Hierarchy) -> dict[str, Any]:
    """Return nested names; a leaf has an empty dictionary."""
    tables: list[dict[str, Any]] = [{} for _ in hierarchy.nodes]
    for number, parent in enumerate(hierarchy.parents[:-1]):
        tables[parent][hierarchy.nodes[number]] = tables[number]
    return {hierarchy.root: tables[-1]}


def to_json(hierarchy: Hierarchy) -> str:
    """Format nested names as JSON."""
    try:
        return json.dumps(to_dict(hierarchy), ensure_ascii=False, indent=2) + "\n"
    except RecursionError:
        raise HierarchyError.too_deep("JSON") from None

"""Edits of a hierarchy. Each returns a new tree and keeps the order of siblings."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.errors import HierarchyError
from shoal.hierarchy.tree import Edge, Hierarchy


def rename(hierarchy: Hierarchy, node: str, name: str) -> Hierarchy:
    """Rename a node."""
    number = hierarchy.number(node)
    if name != node:
        _check_new_name(hierarchy, name)
    return Hierarchy((*hierarchy.nodes[:number], name, *hierarchy.nodes[number + 1 :]), hierarchy.parents)


def move(hierarchy: Hierarchy, nodes: Iterable[str], under: str) -> Hierarchy:
    """Move subtrees: make these nodes the last children of another node.

    A node below another one of them moves with it.
    """
    chosen = _check_nodes(hierarchy, nodes)
    if set(hierarchy.path(under)) & chosen:
        raise HierarchyError.parent_below_node()
    tops = {node for node in chosen if not set(hierarchy.path(node)[1:]) & chosen}
    changed = {node for node in tops if hierarchy.parent(node) != under}
    unchanged = [edge for edge in hierarchy.edges() if edge[0] not in changed]
    return Hierarchy.from_edges([*unchanged, *((node, under) for node in hierarchy.nodes if node in changed)])


def group(hierarchy: Hierarchy, nodes: Iterable[str], name: str) -> Hierarchy:
    """Group siblings under a new node, at the position of the first of them."""
    chosen = _check_nodes(hierarchy, nodes)
    parents = {hierarchy.parent(node) for node in chosen}
    if len(parents) > 1:
        raise HierarchyError.not_siblings(len(parents))
    _check_new_name(hierarchy, name)
    edges: list[Edge] = []
    for child, parent in hierarchy.edges():
        if child in chosen:
            edges += [(name, parent), (child, name)]  # the first pair may repeat: `from_edges` allows it
        else:
            edges.append((child, parent))
    return Hierarchy.from_edges(edges)


def dissolve(hierarchy: Hierarchy, nodes: Iterable[str]) -> Hierarchy:
    """Remove nodes: the children of each take its position."""
    chosen = _check_nodes(hierarchy, nodes)
    # in postorder, the children of a node come after its left siblings and before its right ones
    remaining = [node for node in hierarchy.nodes[:-1] if node not in chosen]
    if not remaining:
        raise HierarchyError.one_node()
    return Hierarchy.from_edges(
        (node, next(above for above in hierarchy.path(node)[1:] if above not in chosen)) for node in remaining
    )


def add(hierarchy: Hierarchy, values: Iterable[str], under: str) -> Hierarchy:
    """Add leaves below a node, in this order."""
    leaves = list(dict.fromkeys(values))
    hierarchy.number(under)
    existing = sum(value in hierarchy for value in leaves)
    if existing:
        raise HierarchyError.name_taken(existing)
    return hierarchy.with_values(dict.fromkeys(leaves, under))


def _check_nodes(hierarchy: Hierarchy, nodes: Iterable[str]) -> set[str]:
    """Check the given nodes: at least one, and not the root."""
    chosen = set(nodes)
    if not chosen:
        raise HierarchyError.no_nodes_given()
    for node in chosen:
        hierarchy.number(node)
    if hierarchy.root in chosen:
        raise HierarchyError.root_not_movable()
    return chosen


def _check_new_name(hierarchy: Hierarchy, name: str) -> None:
    if not name.strip():
        raise HierarchyError.blank_name()
    if name in hierarchy:
        raise HierarchyError.name_taken()

"""Edits of a hierarchy. Each gives a new tree or says why there is none; the order of siblings stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shoal.errors import HierarchyError
from shoal.hierarchy.tree import Edge, Hierarchy


def renamed(hierarchy: Hierarchy, node: str, name: str) -> Hierarchy:
    """One node under another name."""
    number = hierarchy.number(node)
    if name != node:
        _check_new(hierarchy, name)
    return Hierarchy((*hierarchy.nodes[:number], name, *hierarchy.nodes[number + 1 :]), hierarchy.parents)


def moved(hierarchy: Hierarchy, nodes: Iterable[str], under: str) -> Hierarchy:
    """These nodes, each with all that is below it, as the last children of another node.

    A node that is below another one of them goes with it.
    """
    chosen = _below_root(hierarchy, nodes)
    if set(hierarchy.path(under)) & chosen:
        raise HierarchyError.under_itself()
    tops = {node for node in chosen if not set(hierarchy.path(node)[1:]) & chosen}
    going = {node for node in tops if hierarchy.parent(node) != under}
    stay = [edge for edge in hierarchy.edges() if edge[0] not in going]
    return Hierarchy.from_edges([*stay, *((node, under) for node in hierarchy.nodes if node in going)])


def grouped(hierarchy: Hierarchy, nodes: Iterable[str], name: str) -> Hierarchy:
    """Siblings under a new node, which stands where the first of them stood."""
    chosen = _below_root(hierarchy, nodes)
    parents = {hierarchy.parent(node) for node in chosen}
    if len(parents) > 1:
        raise HierarchyError.not_siblings(len(parents))
    _check_new(hierarchy, name)
    edges: list[Edge] = []
    for child, parent in hierarchy.edges():
        if child in chosen:
            edges += [(name, parent), (child, name)]  # the first of these pairs may stand more than once
        else:
            edges.append((child, parent))
    return Hierarchy.from_edges(edges)


def dissolved(hierarchy: Hierarchy, nodes: Iterable[str]) -> Hierarchy:
    """The tree without these nodes: what is below each goes up into its place. A leaf is gone."""
    chosen = _below_root(hierarchy, nodes)
    above = {child: parent for child, parent in hierarchy.edges() if child in chosen}
    # in postorder, what takes the place of a node comes after its left siblings and before its right ones
    kept = [node for node in hierarchy.nodes[:-1] if node not in chosen]
    if not kept:
        raise HierarchyError.one_node()
    return Hierarchy.from_edges((node, _kept_above(hierarchy, node, above)) for node in kept)


def added(hierarchy: Hierarchy, values: Iterable[str], under: str) -> Hierarchy:
    """New leaves below a node, in this order."""
    found = list(dict.fromkeys(values))
    hierarchy.number(under)
    there = sum(value in hierarchy for value in found)
    if there:
        raise HierarchyError.name_taken(there)
    return hierarchy.with_values(dict.fromkeys(found, under))


def _kept_above(hierarchy: Hierarchy, node: str, gone: Mapping[str, str]) -> str:
    parent = hierarchy.nodes[hierarchy.parents[hierarchy.number(node)]]
    while parent in gone:
        parent = gone[parent]
    return parent


def _below_root(hierarchy: Hierarchy, nodes: Iterable[str]) -> set[str]:
    """The nodes that were named: at least one, and not the root."""
    chosen = set(nodes)
    if not chosen:
        raise HierarchyError.nothing_given()
    for node in chosen:
        hierarchy.number(node)
    if hierarchy.root in chosen:
        raise HierarchyError.root_stays()
    return chosen


def _check_new(hierarchy: Hierarchy, name: str) -> None:
    if not name.strip():
        raise HierarchyError.blank_name()
    if name in hierarchy:
        raise HierarchyError.name_taken()

"""Distances between the nodes of a hierarchy, as matrices over all nodes.

Every distance is between 0, for a node and itself, and 1. With depth counted from 1 at the root and c the least common
subsumer (LCS) of a and b:

* ``wu-palmer``: 1 − 2·depth(c)/(depth(a) + depth(b)), Wu and Palmer 1994.
* ``path``: edges between a and b, divided by their maximum, 2·(levels − 1).
* ``leacock-chodorow``: 1 − s(a, b)/s(a, a) with s = −log(nodes on the path/(2·levels)), Leacock and Chodorow 1998.
* ``information``: 1 − 2·I(c)/(I(a) + I(b)), Lin 1998, where the information content I is −log of the proportion of the
  records at or below a node.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy.tree import Hierarchy
from shoal.options.table import DISTANCES

FloatMatrix = NDArray[np.float64]
IntMatrix = NDArray[np.int64]


def lcs_depths(hierarchy: Hierarchy) -> IntMatrix:
    """Return the depth of the least common subsumer of every two nodes."""
    n, sizes = len(hierarchy), subtree_sizes(hierarchy)
    depths = np.ones((n, n), dtype=np.int64)
    # from the root down: a node has the LCS of its parent with other nodes, and is the LCS within its own subtree
    for number in range(n - 2, -1, -1):
        depths[number] = depths[hierarchy.parents[number]]
        depths[number, number - sizes[number] + 1 : number + 1] = hierarchy.depths[number]
    return depths


def subtree_sizes(hierarchy: Hierarchy) -> list[int]:
    """Return the number of nodes at or below each node: its subtree is the range of numbers that ends with its own."""
    sizes = [1] * len(hierarchy)
    for number, parent in enumerate(hierarchy.parents[:-1]):
        sizes[parent] += sizes[number]
    return sizes


def distances(
    hierarchy: Hierarchy,
    *,
    distance: str = "wu-palmer",
    counts: Mapping[str, int] | None = None,
    levels: int | None = None,
) -> FloatMatrix:
    """Return the distance between every two nodes, in the order of their numbers.

    ``counts`` is the number of records of each value, for ``information`` only. ``levels`` is that of the complete
    hierarchy if this one is pruned.
    """
    if distance not in DISTANCES:
        raise OptionError.unknown_choice("distance", distance, DISTANCES)
    depths, common = np.array(hierarchy.depths, dtype=np.int64), lcs_depths(hierarchy)
    if distance == "information":
        return _information(hierarchy, common, counts or {})
    both = depths[:, None] + depths[None, :]
    if distance == "wu-palmer":
        return 1.0 - 2.0 * common / both
    levels = levels or hierarchy.levels
    edges = both - 2 * common
    if distance == "path":
        return np.asarray(edges / max(2 * (levels - 1), 1), dtype=np.float64)
    return np.asarray(np.log(edges + 1.0) / np.log(2.0 * levels))


def _information(hierarchy: Hierarchy, common: IntMatrix, counts: Mapping[str, int]) -> FloatMatrix:
    """Lin's distance; 0 between two nodes without information content, as the root."""
    total = sum(counts.values())
    if not total:
        raise OptionError.invalid_value("counts", "the number of records of each value, at least one of them above 0")
    below = [counts.get(name, 0) for name in hierarchy.nodes]
    for number, parent in enumerate(hierarchy.parents[:-1]):
        below[parent] += below[number]
    # a node without records counts as one with a single record
    content = -np.log(np.maximum(below, 1) / total) + 0.0
    shared = content[_lcs_numbers(hierarchy, common)]
    both = content[:, None] + content[None, :]
    return np.where(both > 0, 1.0 - 2.0 * shared / np.where(both > 0, both, 1.0), 0.0)


def _lcs_numbers(hierarchy: Hierarchy, common: IntMatrix) -> IntMatrix:
    """Return the number of the least common subsumer of every two nodes: the ancestor of one at the LCS's depth."""
    numbers = np.empty_like(common)
    for number, name in enumerate(hierarchy.nodes):
        ancestors = np.array([hierarchy.number(node) for node in hierarchy.path(name)[::-1]], dtype=np.int64)
        numbers[number] = ancestors[common[number] - 1]
    return numbers


def centroid(hierarchy: Hierarchy, counts: Mapping[str, float], *, distance: str = "wu-palmer") -> str:
    """Return the semantic centroid: the first node with the smallest weighted sum of distances to the values."""
    if not counts:
        raise HierarchyError.no_nodes_given()
    whole = {name: int(count) for name, count in counts.items()}
    table = distances(hierarchy, distance=distance, counts=whole)
    rows = [hierarchy.number(name) for name in counts]
    return hierarchy.nodes[int(np.argmin(np.array(list(counts.values()), dtype=np.float64) @ table[rows]))]


def prune(hierarchy: Hierarchy, numbers: set[int]) -> Hierarchy:
    """Keep these nodes and their ancestors. No other node can be closer to them than one of their ancestors."""
    retained = {len(hierarchy) - 1}
    for start in numbers:
        number = start
        while number not in retained:
            retained.add(number)
            number = hierarchy.parents[number]
    order = sorted(retained)
    new_numbers = {number: new for new, number in enumerate(order)}
    return Hierarchy(
        tuple(hierarchy.nodes[number] for number in order),
        tuple(new_numbers[hierarchy.parents[number]] for number in order),
    )

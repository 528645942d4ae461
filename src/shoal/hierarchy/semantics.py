"""What a hierarchy says about distance: tables over all its nodes, made once.

Every distance is from 0, for a node and itself, to at most 1. With depth counted from 1 at the root and c the least
common subsumer of a and b:

* ``wu-palmer``: 1 − 2·depth(c)/(depth(a) + depth(b)), Wu and Palmer 1994.
* ``path``: edges between a and b, divided by the most there can be, 2·(levels − 1).
* ``leacock-chodorow``: 1 − s(a, b)/s(a, a) with s = −log(nodes on the path/(2·levels)), Leacock and Chodorow 1998.
* ``information``: 1 − 2·I(c)/(I(a) + I(b)), Lin 1998, where I is −log of the share of the records at or below a node:
  what is rare in the data at hand says more.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy.tree import Hierarchy

DISTANCES = ("wu-palmer", "path", "leacock-chodorow", "information")

FloatMatrix = NDArray[np.float64]
IntMatrix = NDArray[np.int64]


def common_depths(hierarchy: Hierarchy) -> IntMatrix:
    """The depth of the least common subsumer of any two nodes."""
    n, sizes = len(hierarchy), subtree_sizes(hierarchy)
    depths = np.ones((n, n), dtype=np.int64)
    # from the root down: a node shares with others what its parent shares, and with those below it itself
    for number in range(n - 2, -1, -1):
        depths[number] = depths[hierarchy.parents[number]]
        depths[number, number - sizes[number] + 1 : number + 1] = hierarchy.depths[number]
    return depths


def subtree_sizes(hierarchy: Hierarchy) -> list[int]:
    """For each node how many nodes are at or below it: the run of numbers that ends with its own."""
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
    """The distance between any two nodes, in the order of their numbers.

    ``counts`` are the records of each value, for ``information`` only; ``levels`` are those of the whole hierarchy
    where this is a part of it.
    """
    if distance not in DISTANCES:
        raise OptionError.unknown_choice("distance", distance, DISTANCES)
    depths, common = np.array(hierarchy.depths, dtype=np.int64), common_depths(hierarchy)
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
    """Lin's distance. Where two nodes say nothing at all, as the root does, nothing lies between them."""
    total = sum(counts.values())
    if not total:
        raise OptionError.bad_option("counts", "the number of records of each value, at least one of them above 0")
    below = [counts.get(name, 0) for name in hierarchy.nodes]
    for number, parent in enumerate(hierarchy.parents[:-1]):
        below[parent] += below[number]
    # a node without any record says as much as one of a single record
    said = -np.log(np.maximum(below, 1) / total) + 0.0
    shared = said[_common(hierarchy, common)]
    both = said[:, None] + said[None, :]
    return np.where(both > 0, 1.0 - 2.0 * shared / np.where(both > 0, both, 1.0), 0.0)


def _common(hierarchy: Hierarchy, common: IntMatrix) -> IntMatrix:
    """The number of the least common subsumer of any two nodes: the ancestor of one at the depth of it."""
    found = np.empty_like(common)
    for number, name in enumerate(hierarchy.nodes):
        above = np.array([hierarchy.number(node) for node in hierarchy.path(name)[::-1]], dtype=np.int64)
        found[number] = above[common[number] - 1]
    return found


def distance(
    hierarchy: Hierarchy, one: str, other: str, *, by: str = "wu-palmer", counts: Mapping[str, int] | None = None
) -> float:
    """The distance between two nodes."""
    table = distances(hierarchy, distance=by, counts=counts)
    return float(table[hierarchy.number(one), hierarchy.number(other)])


def centroid(hierarchy: Hierarchy, counts: Mapping[str, float], *, distance: str = "wu-palmer") -> str:
    """The node with the least sum of distances to these values, each as often as it occurs; of several, the first."""
    if not counts:
        raise HierarchyError.nothing_given()
    whole = {name: int(count) for name, count in counts.items()}
    table = distances(hierarchy, distance=distance, counts=whole)
    rows = [hierarchy.number(name) for name in counts]
    return hierarchy.nodes[int(np.argmin(np.array(list(counts.values()), dtype=np.float64) @ table[rows]))]


def pruned(hierarchy: Hierarchy, numbers: set[int]) -> Hierarchy:
    """These nodes and those above them. No other node can be nearer to them than one of those above them."""
    kept = {len(hierarchy) - 1}
    for start in numbers:
        number = start
        while number not in kept:
            kept.add(number)
            number = hierarchy.parents[number]
    order = sorted(kept)
    place = {number: at for at, number in enumerate(order)}
    return Hierarchy(
        tuple(hierarchy.nodes[number] for number in order),
        tuple(place[hierarchy.parents[number]] for number in order),
    )

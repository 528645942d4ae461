"""Replace the categories of every group by one node: the semantic centroid, the mode, or the least common subsumer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from shoal.hierarchy import Hierarchy
from shoal.values import FloatMatrix, FloatVector, IntVector

Node = Callable[[IntVector, IntVector, int, FloatMatrix, Hierarchy, FloatVector | None], IntVector]
"""From the codes and labels of the records, the number of groups, the distances, the hierarchy and what the records
weigh: a node a group."""

_CELLS = 20_000_000


def centroid(
    codes: IntVector,
    labels: IntVector,
    groups: int,
    distance: FloatMatrix,
    _: Hierarchy,
    weights: FloatVector | None = None,
) -> IntVector:
    """The node with the least sum of distances to the records of the group, by their weights; of several, the first.

    Without a hierarchy this is the most frequent value, and with ranks the lower median.
    """
    group, code, count = _occurrences(codes, labels, len(distance), weights)
    nodes = np.empty(groups, dtype=np.int64)
    nodes[group] = code  # right where a group has one value only
    several = np.flatnonzero(np.bincount(group, minlength=groups)[group] > 1)
    for rows in _slices(group[several], len(distance)):
        at = several[rows]
        starts = np.flatnonzero(np.diff(group[at], prepend=-1))
        costs = np.add.reduceat(distance[code[at]] * count[at, None], starts, axis=0)
        nodes[group[at][starts]] = np.argmin(costs, axis=1)
    return nodes


def mode(
    codes: IntVector,
    labels: IntVector,
    groups: int,
    distance: FloatMatrix,
    _: Hierarchy,
    weights: FloatVector | None = None,
) -> IntVector:
    """The most frequent value of the group, or that of most weight; of several, the first."""
    group, code, count = _occurrences(codes, labels, len(distance), weights)
    nodes = np.empty(groups, dtype=np.int64)
    order = np.lexsort((-code, count, group))
    nodes[group[order]] = code[order]  # the last one stays
    return nodes


def lcs(
    codes: IntVector,
    labels: IntVector,
    groups: int,
    _: FloatMatrix,
    hierarchy: Hierarchy,
    _weights: FloatVector | None = None,
) -> IntVector:
    """The lowest node at or above all values of the group: in postorder, at or above the first and the last of them.

    Weights change nothing here.
    """
    low, high = np.full(groups, len(hierarchy)), np.full(groups, -1)
    np.minimum.at(low, labels, codes)
    np.maximum.at(high, labels, codes)
    parents, depths = np.array(hierarchy.parents), np.array(hierarchy.depths)
    while (apart := low != high).any():
        lower = depths[low] >= depths[high]
        low, high = np.where(apart & lower, parents[low], low), np.where(apart & ~lower, parents[high], high)
    return low


nodes: Mapping[str, Node] = {"centroid": centroid, "mode": mode, "lcs": lcs}


def _occurrences(
    codes: IntVector, labels: IntVector, width: int, weights: FloatVector | None
) -> tuple[IntVector, IntVector, FloatVector | IntVector]:
    """The different values of each group and how often they occur, or how much they weigh, group by group and by code.

    Without weights they are counted in whole numbers.
    """
    keys = labels * width + codes
    if weights is None:
        key, count = np.unique(keys, return_counts=True)
        return key // width, key % width, count
    key, place = np.unique(keys, return_inverse=True)
    return key // width, key % width, np.bincount(place, weights, minlength=len(key))


def _slices(group: IntVector, width: int) -> list[IntVector]:
    """Rows of whole groups, so many at a time that their costs fit into memory."""
    if not len(group):
        return []
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    share = starts * width // _CELLS
    return np.split(np.arange(len(group)), starts[np.flatnonzero(np.diff(share)) + 1])

"""Replace the categories of each group by one node: semantic centroid, mode, or least common subsumer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from shoal.domain import FloatMatrix, FloatVector, IntVector
from shoal.hierarchy import Hierarchy

NodeFunction = Callable[[IntVector, IntVector, int, FloatMatrix, Hierarchy, FloatVector | None], IntVector]
"""Takes codes and labels of the records, the number of groups, distances, the hierarchy and record weights; returns a
node per group.
"""

_CELLS = 20_000_000


def centroid(
    codes: IntVector,
    labels: IntVector,
    groups: int,
    distance: FloatMatrix,
    _: Hierarchy,
    weights: FloatVector | None = None,
) -> IntVector:
    """Return the node with the least weighted sum of distances to the records of each group; ties go to the first.

    Without a hierarchy this is the most frequent value; with ranks it is the lower median.
    """
    group, code, count = _occurrences(codes, labels, len(distance), weights)
    nodes = np.empty(groups, dtype=np.int64)
    nodes[group] = code  # final for groups with a single value
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
    """Return the most frequent value of each group, or the one of most weight; ties go to the first."""
    group, code, count = _occurrences(codes, labels, len(distance), weights)
    nodes = np.empty(groups, dtype=np.int64)
    order = np.lexsort((-code, count, group))
    nodes[group[order]] = code[order]  # the last assignment wins
    return nodes


def lcs(
    codes: IntVector,
    labels: IntVector,
    groups: int,
    _: FloatMatrix,
    hierarchy: Hierarchy,
    _weights: FloatVector | None = None,
) -> IntVector:
    """Return the lowest node at or above all values of each group: in postorder, of its first and last value.

    Weights have no effect.
    """
    low, high = np.full(groups, len(hierarchy)), np.full(groups, -1)
    np.minimum.at(low, labels, codes)
    np.maximum.at(high, labels, codes)
    parents, depths = np.array(hierarchy.parents), np.array(hierarchy.depths)
    while (apart := low != high).any():
        lower = depths[low] >= depths[high]
        low, high = np.where(apart & lower, parents[low], low), np.where(apart & ~lower, parents[high], high)
    return low


NODE_FUNCTIONS: Mapping[str, NodeFunction] = {"centroid": centroid, "mode": mode, "lcs": lcs}


def _occurrences(
    codes: IntVector, labels: IntVector, width: int, weights: FloatVector | None
) -> tuple[IntVector, IntVector, FloatVector | IntVector]:
    """Return the distinct values of each group and their counts or weights, by group and code.

    Without weights the counts are integers.
    """
    keys = labels * width + codes
    if weights is None:
        key, count = np.unique(keys, return_counts=True)
        return key // width, key % width, count
    key, place = np.unique(keys, return_inverse=True)
    return key // width, key % width, np.bincount(place, weights, minlength=len(key))


def _slices(group: IntVector, width: int) -> list[IntVector]:
    """Split the rows at groups, so that the costs of each slice fit into memory."""
    if not len(group):
        return []
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    block = starts * width // _CELLS
    return np.split(np.arange(len(group)), starts[np.flatnonzero(np.diff(block)) + 1])

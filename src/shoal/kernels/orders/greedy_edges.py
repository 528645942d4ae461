"""Greedy edge order: the shortest edges join points into paths until one path has all points.

``adjacent`` has the one or two neighbors of a point on its path; ``NONE`` marks a missing one.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.domain import IntMatrix, IntVector, Space
from shoal.kernels.box_tree.box_tree import median_order
from shoal.kernels.distance import squared_distance
from shoal.kernels.graphs.neighbor_forest import find_root
from shoal.kernels.graphs.neighbor_lists import nearest_neighbors
from shoal.kernels.jit import inline, kernel

NONE = -1
"""A missing neighbor."""
N_NEIGHBORS = 5
"""Nearest points of each path end that are candidates for an edge."""


def no_edges(n: int) -> IntMatrix:
    """The adjacency of n points without edges."""
    return np.full((n, 2), NONE)


def greedy_path(space: Space, neighbors: IntMatrix) -> IntVector:
    """An order of all points: add the shortest edge, then the next one that keeps paths, and so on.

    Candidate edges join near points: first any two, then ends of the remaining paths, and so on. Consecutive points of
    the median order are candidates too, so that there are enough where all points share the same few neighbors.
    """
    n = len(space.matrix)
    adjacent, union_find, ends, missing = no_edges(n), np.arange(n), np.arange(n), n - 1
    neighbors = neighbors[:, :N_NEIGHBORS]
    while missing > 0:
        sorted_ends = median_order(space.sketched_points, ends.copy(), -(-len(ends) // 2))
        pairs = np.column_stack(
            [
                np.append(np.repeat(ends, neighbors.shape[1]), sorted_ends[:-1]),
                np.append(neighbors.ravel(), sorted_ends[1:]),
            ]
        )
        missing -= add_edges(adjacent, union_find, pairs[np.argsort(edge_lengths(space, pairs), kind="stable")])
        if missing > 0:
            ends = np.flatnonzero(adjacent[:, 1] == NONE)
            neighbors = ends[nearest_neighbors(space.take(ends), N_NEIGHBORS)]
    return path_order(adjacent)


@kernel
def edge_lengths(space, pairs):
    result = np.empty(len(pairs))
    for i in range(len(pairs)):
        result[i] = distance(space, pairs[i, 0], pairs[i, 1])
    return result


@kernel
def distance(space, one, other):
    return math.sqrt(squared_distance(space, space.matrix[one], space.matrix[other]))


@kernel
def add_edges(adjacent, union_find, pairs):
    """Add edges in this order if both points are ends of different paths; the number added."""
    added = 0
    for one, other in pairs:
        if adjacent[one, 1] == NONE and adjacent[other, 1] == NONE:
            path, other_path = find_root(union_find, one), find_root(union_find, other)
            if path != other_path:
                union_find[max(path, other_path)] = min(path, other_path)
                add_edge(adjacent, one, other)
                added += 1
    return added


@inline
def add_edge(adjacent, one, other):
    """Add an edge between two ends."""
    adjacent[one, 0 if adjacent[one, 0] == NONE else 1] = other
    adjacent[other, 0 if adjacent[other, 0] == NONE else 1] = one


@kernel
def path_order(adjacent):
    """The points of the only path, from its lower end."""
    order, previous, current = np.empty(len(adjacent), dtype=np.int64), NONE, 0
    while adjacent[current, 1] != NONE:
        current += 1
    for i in range(len(adjacent)):
        order[i] = current
        previous, current = current, adjacent[current, 1] if adjacent[current, 0] == previous else adjacent[current, 0]
    return order

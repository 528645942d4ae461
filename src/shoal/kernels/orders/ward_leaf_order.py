"""Leaf order of Ward's tree: clusters merge pairwise, and their paths join at their nearest ends.

The distance of two clusters of s and t records is s·t / (s + t) times the squared distance of their centers. A
nearest-neighbor chain leads from cluster to nearest cluster until two are each other's nearest; these merge, and the
chain continues from what is left of it. For numbers this yields the same tree as merging the nearest pair of all. With
categories a union may be nearer to a cluster than both its parts, and the chain may return to a cluster that it
contains: it continues from there, with distances that only decrease, so that it ends.

A cluster is named after its lowest point. The remaining clusters occupy the first places of the arrays, in no order, so
that the inner loops read contiguous memory and vectorize.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import BoolVector, FloatMatrix, FloatVector, IntMatrix, IntVector, Progress, Space
from shoal.kernels.distance import add_costs, find_center
from shoal.kernels.graphs.neighbor_lists import median_cells
from shoal.kernels.graphs.spanning_tree import BLOCK, nearest_position
from shoal.kernels.jit import SLICE, inline, kernel
from shoal.kernels.orders.greedy_edges import add_edge, distance, no_edges, path_order

REMAINING, CHAIN_LENGTH = range(2)
"""Fields of ``counts``."""
NONE = -1
"""The predecessor of the first cluster of a chain."""
CELL_SIZE = 50_000
"""Points of a tree at most: one of this size takes some ten seconds, one of twice the size four times that."""


class WardClusters(NamedTuple):
    """By place: centers (``columns``), ``sizes`` in records, costs of category nodes, ``names``, both path ``ends``.

    ``position`` is the place of a name. ``chain`` lists names; ``in_chain`` marks them. ``distance`` is a work array.
    """

    columns: FloatMatrix
    sizes: FloatVector
    costs: FloatMatrix
    names: IntVector
    ends: IntMatrix
    position: IntVector
    chain: IntVector
    in_chain: BoolVector
    distance: FloatVector
    counts: IntVector


def leaf_order(space: Space, weights: IntVector, *, progress: Progress) -> IntVector:
    """An order of weighted points that keeps every cluster of the tree contiguous.

    With several cells, each has its own tree.
    """
    orders: list[IntVector] = []
    done = 0
    for rows in median_cells(space, CELL_SIZE):
        report = _offset_progress(done, progress, len(weights))
        orders.append(rows[tree_leaf_order(space.take(rows), weights[rows], progress=report)])
        done += len(rows)
    return np.concatenate(orders)


def _offset_progress(done: int, progress: Progress, total: int) -> Progress:
    return lambda n, _: progress(done + n, total)


def tree_leaf_order(space: Space, weights: IntVector, *, progress: Progress) -> IntVector:
    """The order of the points of one tree."""
    n, p = space.matrix.shape
    clusters = WardClusters(
        columns=space.matrix.T.copy(),
        sizes=weights.astype(np.float64),
        costs=np.zeros((n, len(space.sketch))),
        names=np.arange(n),
        ends=np.column_stack([np.arange(n), np.arange(n)]),
        position=np.arange(n),
        chain=np.zeros(n, dtype=np.int64),
        in_chain=np.zeros(n, dtype=np.bool_),
        distance=np.empty(n),
        counts=np.array([n, 0]),
    )
    if len(space.widths):
        init_costs(space, clusters)
    adjacent = no_edges(n)
    while clusters.counts[REMAINING] > 1:
        follow_chain(space, clusters, adjacent, max(1, SLICE // (int(clusters.counts[REMAINING]) * (p + 2))))
        progress(n - int(clusters.counts[REMAINING]), n)
    return path_order(adjacent)


@kernel
def init_costs(space, clusters):
    """The costs of the category nodes as the center of each point."""
    for row in range(len(clusters.names)):
        add_costs(space, clusters.costs[row], space.matrix[row], clusters.sizes[row])


@kernel
def follow_chain(space, clusters, adjacent, passes):
    """Follow the chain for some steps, and merge two clusters wherever it ends."""
    chain, in_chain, counts = clusters.chain, clusters.in_chain, clusters.counts
    while passes > 0 and counts[REMAINING] > 1:
        passes -= 1
        if counts[CHAIN_LENGTH] == 0:
            push(clusters, clusters.names[0])
        last = counts[CHAIN_LENGTH] - 1
        name, previous = chain[last], chain[last - 1] if last > 0 else NONE
        neighbor = nearest_cluster(space, clusters, name, previous)
        if neighbor == previous:
            in_chain[name], in_chain[previous] = False, False
            counts[CHAIN_LENGTH] -= 2
            one, other = clusters.position[name], clusters.position[previous]
            merge(space, clusters, adjacent, min(one, other), max(one, other))
        elif in_chain[neighbor]:  # it came nearer through merges
            while chain[counts[CHAIN_LENGTH] - 1] != neighbor:
                counts[CHAIN_LENGTH] -= 1
                in_chain[chain[counts[CHAIN_LENGTH]]] = False
        else:
            push(clusters, neighbor)


@inline
def push(clusters, name):
    clusters.chain[clusters.counts[CHAIN_LENGTH]], clusters.in_chain[name] = name, True
    clusters.counts[CHAIN_LENGTH] += 1


@kernel
def nearest_cluster(space, clusters, name, previous):
    """The nearest other cluster; of several, the previous one of the chain, then the lowest name."""
    remaining, index, distance = clusters.counts[REMAINING], clusters.position[name], clusters.distance
    for first in range(0, remaining, BLOCK):
        block_distances(space, clusters, index, first, min(first + BLOCK, remaining))
    distance[index] = np.inf
    neighbor = nearest_position(distance[:remaining], clusters.names)
    if previous != NONE and distance[clusters.position[previous]] <= distance[neighbor]:
        return previous
    return clusters.names[neighbor]


@kernel
def block_distances(space, clusters, index, first, last):
    """The distances of one cluster to those of a block; free of branches, so that it vectorizes."""
    result, sizes, size = clusters.distance[first:last], clusters.sizes[first:last], clusters.sizes[index]
    for i in range(len(result)):
        result[i] = 0.0
    for j in range(space.n_numeric):
        column, value = clusters.columns[j, first:last], clusters.columns[j, index]
        for i in range(len(result)):
            difference = column[i] - value
            result[i] += difference * difference
    for j in range(len(space.widths)):
        codes = clusters.columns[space.n_numeric + j]
        row = space.table_offsets[j] + space.widths[j] * int(codes[index])
        for i in range(len(result)):
            result[i] += space.squared_distances[row + int(codes[first + i])]
    for i in range(len(result)):
        result[i] *= size * sizes[i] / (size + sizes[i])


@kernel
def merge(space, clusters, adjacent, index, other_index):
    """Merge the cluster at a later place into the one at a place; the last of all moves to the free place."""
    columns, sizes, costs, names = clusters.columns, clusters.sizes, clusters.costs, clusters.names
    last = clusters.counts[REMAINING] - 1
    join_paths(space, adjacent, clusters.ends[index], clusters.ends[other_index])
    size = sizes[index] + sizes[other_index]
    sums, center = np.empty(space.n_numeric + costs.shape[1]), np.empty(len(columns))
    for j in range(space.n_numeric):
        sums[j] = sizes[index] * columns[j, index] + sizes[other_index] * columns[j, other_index]
    for node in range(costs.shape[1]):
        costs[index, node] += costs[other_index, node]
        sums[space.n_numeric + node] = costs[index, node]
        costs[other_index, node] = costs[last, node]
    find_center(space, sums, size, center)
    for j in range(len(columns)):
        columns[j, index], columns[j, other_index] = center[j], columns[j, last]
    sizes[index], sizes[other_index] = size, sizes[last]
    names[index], names[other_index] = min(names[index], names[other_index]), names[last]
    for i in range(2):
        clusters.ends[other_index, i] = clusters.ends[last, i]
    clusters.position[names[other_index]], clusters.position[names[index]] = other_index, index
    clusters.counts[REMAINING] = last


@kernel
def join_paths(space, adjacent, ends, others):
    """Join two paths at their nearest ends; the first one then has the remaining ends."""
    best, end, start = np.inf, 0, 0
    for i in range(2):
        for j in range(2):
            length = distance(space, ends[i], others[j])
            if length < best:
                best, end, start = length, i, j
    add_edge(adjacent, ends[end], others[start])
    ends[0], ends[1] = ends[1 - end], others[1 - start]

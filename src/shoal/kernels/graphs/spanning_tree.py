"""Minimum spanning tree of the records, and removal of its longest edges.

A tree is stored as the parent of each record: ``parents``, with ``ROOT`` above the root. The edge of a record leads to
its parent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatMatrix, FloatVector, IntVector, Progress, Space
from shoal.kernels.jit import SLICE, kernel

ROOT = -1
"""The parent of a root."""
BLOCK = 1024
"""Records compared at a time: their distances stay in the L1 cache."""


class SpanningTree(NamedTuple):
    """A spanning tree under construction.

    By record: ``parents`` and ``lengths`` (squared) of the edges. ``order`` lists the records as they joined. Records
    outside the tree occupy the first places of the other arrays, in no order: ``columns`` of the matrix, ``rows``, and
    the ``nearest`` record of the tree with its squared ``distance``.
    """

    parents: IntVector
    lengths: FloatVector
    order: IntVector
    columns: FloatMatrix
    rows: IntVector
    nearest: IntVector
    distance: FloatVector


def minimum_spanning_tree(space: Space, *, progress: Progress) -> SpanningTree:
    """The minimum spanning tree, by Prim's algorithm from the first record."""
    n, p = space.matrix.shape
    tree = SpanningTree(
        parents=np.full(n, ROOT),
        lengths=np.zeros(n),
        order=np.zeros(n, dtype=np.int64),
        columns=space.matrix[1:].T.copy(),
        rows=np.arange(1, n),
        nearest=np.full(n - 1, ROOT),
        distance=np.full(n - 1, np.inf),
    )
    batch = max(1, SLICE // (n * p))
    for start in range(1, n, batch):
        stop = min(start + batch, n)
        prim_steps(space, tree, start, stop)
        progress(stop, n)
    return tree


def cut_longest(tree: SpanningTree, k: int, *, progress: Progress) -> IntVector:
    """Labels of the components after removing edges, longest first, while both sides keep k records."""
    n = len(tree.parents)
    edges = np.lexsort((np.arange(n), -tree.lengths))
    parents, sizes = tree.parents.copy(), subtree_sizes(tree.parents, tree.order)
    position = 0
    while position < n:
        position = cut_edges(parents, sizes, edges, k, position, SLICE)
        progress(n, n)
    return find_roots(parents, tree.order)


@kernel
def prim_steps(space, tree, start, stop):
    """Steps start to stop of Prim's algorithm: the nearest outside record joins the tree."""
    for step in range(start, stop):
        last_added, outside = tree.order[step - 1], len(tree.order) - step
        for first in range(0, outside, BLOCK):
            update_nearest(space, tree, first, min(first + BLOCK, outside), last_added)
        place = nearest_position(tree.distance[:outside], tree.rows)
        row, last = tree.rows[place], outside - 1
        tree.parents[row], tree.lengths[row], tree.order[step] = tree.nearest[place], tree.distance[place], row
        tree.rows[place], tree.nearest[place] = tree.rows[last], tree.nearest[last]
        tree.distance[place] = tree.distance[last]
        for j in range(len(tree.columns)):
            tree.columns[j, place] = tree.columns[j, last]


@kernel
def update_nearest(space, tree, first, last, last_added):
    """Compare a block of outside records with the last added one; free of branches, so that it vectorizes."""
    distances, best, nearest = np.zeros(BLOCK), tree.distance[first:last], tree.nearest[first:last]
    point = space.matrix[last_added]
    for j in range(space.n_numeric):
        column = tree.columns[j, first:last]
        for i in range(len(column)):
            difference = column[i] - point[j]
            distances[i] += difference * difference
    for j in range(len(space.widths)):
        codes = tree.columns[space.n_numeric + j]
        row = space.table_offsets[j] + space.widths[j] * int(point[space.n_numeric + j])
        for i in range(last - first):
            distances[i] += space.squared_distances[row + int(codes[first + i])]
    for i in range(len(best)):
        is_nearer = distances[i] < best[i]
        best[i] = distances[i] if is_nearer else best[i]
        nearest[i] = last_added if is_nearer else nearest[i]


@kernel
def nearest_position(distance, rows):
    """The position of the least distance; of several, that of the lowest row."""
    best, least = 0, np.inf
    for place in range(len(distance)):
        if distance[place] <= least and (distance[place] < least or rows[place] < rows[best]):
            best, least = place, distance[place]
    return best


@kernel
def subtree_sizes(parents, order):
    sizes = np.ones(len(parents), dtype=np.int64)
    for i in range(len(order) - 1, 0, -1):
        sizes[parents[order[i]]] += sizes[order[i]]
    return sizes


@kernel
def cut_edges(parents, sizes, edges, k, start, budget):
    """Remove the edges, from the start-th on, that leave k records on both sides; return where it stopped.

    A kept edge need not be checked again: its sides only shrink.
    """
    for i in range(start, len(edges)):
        if budget <= 0:
            return i
        budget -= 1
        row = edges[i]
        if sizes[row] < k or parents[row] == ROOT:
            continue
        root = parents[row]
        while parents[root] != ROOT:
            root = parents[root]
            budget -= 1
        if sizes[root] - sizes[row] >= k:
            ancestor = parents[row]
            parents[row] = ROOT
            while ancestor != ROOT:
                sizes[ancestor] -= sizes[row]
                ancestor = parents[ancestor]
    return len(edges)


@kernel
def find_roots(parents, order):
    labels = np.empty(len(parents), dtype=np.int64)
    for row in order:
        labels[row] = row if parents[row] == ROOT else labels[parents[row]]
    return labels

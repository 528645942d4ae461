"""The minimum spanning tree of the records, and its longest edges cut.

A tree is kept as the record above each record: ``up``, with ``ROOT`` above the root. The edge of a record is the
one that leads up from it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import SLICE, kernel
from shoal.values import FloatMatrix, FloatVector, IntVector, Progress, Space

ROOT = -1
"""What lies above a root."""
BLOCK = 1024
"""Records outside that are compared at a time: their distances stay in the nearest cache."""


class Spanning(NamedTuple):
    """A tree in the making.

    ``up`` and ``length`` (squared) of an edge are by record, ``order`` is the order of joining. The records outside
    lie in the first places of the other arrays, in no order: ``columns`` of the matrix, ``rows``, and the
    ``nearest`` record inside with its squared ``distance``.
    """

    up: IntVector
    length: FloatVector
    order: IntVector
    columns: FloatMatrix
    rows: IntVector
    nearest: IntVector
    distance: FloatVector


def minimum_spanning_tree(space: Space, *, progress: Progress) -> Spanning:
    """The tree of least length, by Prim from the first record."""
    n, p = space.matrix.shape
    tree = Spanning(
        up=np.full(n, ROOT),
        length=np.zeros(n),
        order=np.zeros(n, dtype=np.int64),
        columns=space.matrix[1:].T.copy(),
        rows=np.arange(1, n),
        nearest=np.full(n - 1, ROOT),
        distance=np.full(n - 1, np.inf),
    )
    step = max(1, SLICE // (n * p))
    for start in range(1, n, step):
        stop = min(start + step, n)
        span(space, tree, start, stop)
        progress(stop, n)
    return tree


def cut_longest(tree: Spanning, k: int, *, progress: Progress) -> IntVector:
    """Labels of the parts that remain when edges are cut, longest first, as long as both sides keep k records."""
    n = len(tree.up)
    edges = np.lexsort((np.arange(n), -tree.length))
    up, size = tree.up.copy(), count(tree.up, tree.order)
    done = 0
    while done < n:
        done = cut(up, size, edges, k, done, SLICE)
        progress(n, n)
    labels: IntVector = roots(up, tree.order)
    return labels


@kernel
def span(space, tree, start, stop):
    """Prim: the record outside that is nearest to the tree joins, from the start-th of all to the last before stop."""
    for turn in range(start, stop):
        newest, left = tree.order[turn - 1], len(tree.order) - turn
        for first in range(0, left, BLOCK):
            approach(space, tree, first, min(first + BLOCK, left), newest)
        place = closest(tree.distance[:left], tree.rows)
        row, last = tree.rows[place], left - 1
        tree.up[row], tree.length[row], tree.order[turn] = tree.nearest[place], tree.distance[place], row
        tree.rows[place], tree.nearest[place] = tree.rows[last], tree.nearest[last]
        tree.distance[place] = tree.distance[last]
        for j in range(len(tree.columns)):
            tree.columns[j, place] = tree.columns[j, last]


@kernel
def approach(space, tree, first, last, newest):
    """Compare a block of records outside with the record that joined last; without branches, so that it vectorizes."""
    found, distance, nearest = np.zeros(BLOCK), tree.distance[first:last], tree.nearest[first:last]
    point = space.matrix[newest]
    for j in range(space.numbers):
        column = tree.columns[j, first:last]
        for i in range(len(column)):
            difference = column[i] - point[j]
            found[i] += difference * difference
    for j in range(len(space.widths)):
        row, codes = space.starts[j] + space.widths[j] * int(point[space.numbers + j]), tree.columns[space.numbers + j]
        for i in range(last - first):
            found[i] += space.square[row + int(codes[first + i])]
    for i in range(len(distance)):
        closer = found[i] < distance[i]
        distance[i] = found[i] if closer else distance[i]
        nearest[i] = newest if closer else nearest[i]


@kernel
def closest(distance, rows):
    """The place of the least distance; of several, that of the lowest row."""
    best, least = 0, np.inf
    for place in range(len(distance)):
        if distance[place] <= least and (distance[place] < least or rows[place] < rows[best]):
            best, least = place, distance[place]
    return best


@kernel
def count(up, order):
    """The number of records at and under each record."""
    size = np.ones(len(up), dtype=np.int64)
    for i in range(len(order) - 1, 0, -1):
        size[up[order[i]]] += size[order[i]]
    return size


@kernel
def cut(up, size, edges, k, start, budget):
    """Cut those edges, from the start-th on, that leave k records on both sides; where it stopped.

    An edge that was kept need not be looked at again: its sides only shrink.
    """
    for i in range(start, len(edges)):
        if budget <= 0:
            return i
        budget -= 1
        row = edges[i]
        if size[row] < k or up[row] == ROOT:
            continue
        root = up[row]
        while up[root] != ROOT:
            root = up[root]
            budget -= 1
        if size[root] - size[row] >= k:
            above = up[row]
            up[row] = ROOT
            while above != ROOT:
                size[above] -= size[row]
                above = up[above]
    return len(edges)


@kernel
def roots(up, order):
    """The root of the tree that each record is in."""
    labels = np.empty(len(up), dtype=np.int64)
    for row in order:
        labels[row] = row if up[row] == ROOT else labels[up[row]]
    return labels

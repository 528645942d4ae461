"""Forest of trees of at least k records, grown over nearest neighbors and split while trees are large.

As in `spanning_tree`, ``parents`` has the parent of each record. Edges have no direction for the splits: any record can
be made the root of its tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import IntVector, Progress, Space
from shoal.kernels.box_tree.box_tree import build_tree
from shoal.kernels.box_tree.neighbors import HEAP_COST, nearest
from shoal.kernels.centroids import centroid_of, farthest_from_point
from shoal.kernels.distance import copy
from shoal.kernels.graphs.spanning_tree import ROOT
from shoal.kernels.jit import SLICE, kernel


class Forest(NamedTuple):
    """Trees over all records, by record; ``rows`` and ``order`` are lists.

    ``rows`` lists the records tree by tree, each in ascending order. ``sizes`` counts the records of a subtree, and
    ``heavy_child`` is the root of the largest one below a record. ``order`` has children before parents. ``pending``
    (children not yet counted) and ``side`` (of a split) are work arrays.
    """

    space: Space
    parents: IntVector
    rows: IntVector
    sizes: IntVector
    heavy_child: IntVector
    order: IntVector
    pending: IntVector
    side: IntVector


def grow(space: Space, k: int, *, progress: Progress) -> tuple[IntVector, IntVector]:
    """The parent of each record and the root of its tree, in a forest of trees of at least k records."""
    n, p = space.matrix.shape
    tree = build_tree(space, np.arange(n))
    parents, union_find, sizes = np.full(n, ROOT), np.arange(n), np.ones(n, dtype=np.int64)
    step = max(1, SLICE // (n * p + HEAP_COST * k))
    linked, before = 0, -1
    while linked > before:
        before = linked
        for start in range(0, n, step):
            linked += link(tree, parents, union_find, sizes, k, np.arange(start, min(start + step, n)))
            progress(linked, n)
    return parents, np.array([find_root(union_find, row) for row in range(n)])


def decompose(space: Space, parents: IntVector, roots: IntVector, k: int, *, progress: Progress) -> IntVector:
    """Labels after splitting, repeatedly, every tree of more than max(2k - 1, 3k - 5) records."""
    n = len(parents)
    rows = np.argsort(roots, kind="stable")
    starts = np.flatnonzero(np.diff(roots[rows], prepend=ROOT))
    stack = np.zeros((n // k, 2), dtype=np.int64)
    top = len(starts)
    stack[:top, 0], stack[:top, 1] = starts, np.append(starts[1:], n)
    forest = Forest(space, parents.copy(), rows, *(np.zeros(n, dtype=np.int64) for _ in range(5)))
    labels = np.zeros(n, dtype=np.int64)
    while top > 0:
        top = split_trees(forest, labels, stack, top, k, SLICE)
        progress(n, n)
    return labels


@kernel
def find_root(union_find, row):
    """The root of a record's tree, by union-find with path halving."""
    while union_find[row] != row:
        union_find[row] = union_find[union_find[row]]
        row = union_find[row]
    return row


@kernel
def link(tree, parents, union_find, sizes, k, rows):
    """Link each of these roots whose tree has fewer than k records to the nearest record of another tree.

    Return the number of linked roots.
    """
    linked = 0
    for row in rows:
        if parents[row] == ROOT and sizes[row] < k:
            parents[row] = nearest_outside(tree, union_find, k, row)
            union_find[row] = find_root(union_find, parents[row])
            sizes[union_find[row]] += sizes[row]
            linked += 1
    return linked


@kernel
def nearest_outside(tree, union_find, k, row):
    """The record of another tree nearest to a root: one of the k nearest, mostly one of the first two."""
    count = 2
    while True:
        distance, neighbors = np.empty(count), np.empty(count, dtype=np.int64)
        nearest(tree, tree.space.matrix[row], distance, neighbors)
        for other in neighbors:
            if find_root(union_find, other) != row:
                return other
        count = min(2 * count, k)


@kernel
def split_trees(forest, labels, stack, top, k, budget):
    """Split the trees on the stack until all are small or the budget of cells is spent; the new stack size.

    A tree is a range of ``forest.rows``; its start is the label of its records.
    """
    while top > 0 and budget > 0:
        start, stop = stack[top - 1]
        rows = forest.rows[start:stop]
        budget -= len(rows) * forest.space.matrix.shape[1]
        if len(rows) <= max(2 * k - 1, 3 * k - 5):
            labels[rows] = start
            top -= 1
        else:
            root = farthest_from_point(forest.space, rows, centroid_of(forest.space, rows))
            root_at(forest, rows, root)
            while len(rows) - forest.sizes[forest.heavy_child[root]] < k - 1:
                root = forest.heavy_child[root]
            root_at(forest, rows, root)
            size = split_tree(forest, rows, root, k)
            stack[top - 1, 1] = start + size
            stack[top, 0], stack[top, 1] = start + size, stop
            top += 1
    return top


@kernel
def root_at(forest, rows, root):
    """Make a record the root of its tree, and compute subtree sizes from the leaves up."""
    parents, sizes, heavy_child, pending = forest.parents, forest.sizes, forest.heavy_child, forest.pending
    reverse_path(parents, root)
    for row in rows:
        sizes[row], heavy_child[row], pending[row] = 1, ROOT, 0
    for row in rows:
        if row != root:
            pending[parents[row]] += 1
    position = 0
    for row in rows:
        while row != ROOT and pending[row] == 0:
            pending[row] = -1
            forest.order[position] = row
            position += 1
            parent = parents[row]
            if parent != ROOT:
                pending[parent] -= 1
                sizes[parent] += sizes[row]
                rival = heavy_child[parent]
                if rival == ROOT or sizes[row] > sizes[rival] or (sizes[row] == sizes[rival] and row < rival):
                    heavy_child[parent] = row
            row = parent


@kernel
def reverse_path(parents, row):
    """Reverse the edges between a record and its root."""
    child = ROOT
    while row != ROOT:
        parent = parents[row]
        parents[row] = child
        child, row = row, parent


@kernel
def split_tree(forest, rows, root, k):
    """Split a tree at or below its root, and list one part before the other; the size of the first."""
    side, heaviest = forest.side, forest.sizes[forest.heavy_child[root]]
    hub_record, min_records = root, k - 1
    if len(rows) - heaviest == k - 1:
        hub_record, min_records = forest.heavy_child[root], heaviest - 1
    n_marked = mark_children(forest, rows, hub_record, min_records)
    side_of_hub = n_marked == k - 1 or (heaviest < k and len(rows) - n_marked - 1 >= k)
    side[hub_record] = 1 if side_of_hub else 0
    side[root] = side[hub_record]
    detach(forest, rows, hub_record)
    for i in range(len(rows) - 1, -1, -1):
        row = forest.order[i]
        if side[row] == ROOT:
            side[row] = side[forest.parents[row]]
    return partition_rows(forest, rows)


@kernel
def mark_children(forest, rows, hub_record, min_records):
    """Mark children of a record, the largest first, until their subtrees have that many records; the number."""
    parents, side, first = forest.parents, forest.side, forest.heavy_child[hub_record]
    n_marked = forest.sizes[first]
    for row in rows:
        side[row] = ROOT
        if parents[row] == hub_record:
            side[row] = 1 if row == first or n_marked < min_records else 0
            if row != first and side[row] == 1:
                n_marked += forest.sizes[row]
    return n_marked


@kernel
def detach(forest, rows, hub_record):
    """Detach the children on the other side from a record; the first of them becomes the parent of the others."""
    first_detached = ROOT
    for row in rows:
        if forest.parents[row] == hub_record and forest.side[row] != forest.side[hub_record]:
            forest.parents[row] = first_detached
            if first_detached == ROOT:
                first_detached = row


@kernel
def partition_rows(forest, rows):
    """List the records of side 1 before those of side 0, each in their order; the number of the former."""
    ones, zeros = 0, 0
    for row in rows:
        if forest.side[row] == 1:
            rows[ones] = row
            ones += 1
        else:
            forest.order[zeros] = row
            zeros += 1
    copy(forest.order[:zeros], rows[ones:])
    return ones

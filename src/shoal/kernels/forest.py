"""Trees of at least k records each, grown over nearest neighbors, and cut in two where they are large.

As in ``spanning``, ``up`` tells the record above each record. An edge has no direction for the cuts: any record
can be made the root of its tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.groups import farthest_of, middle
from shoal.kernels.jit import SLICE, kernel
from shoal.kernels.search import SORTED, nearest
from shoal.kernels.space import copy
from shoal.kernels.spanning import ROOT
from shoal.kernels.tree import plant
from shoal.values import IntVector, Progress, Space


class Forest(NamedTuple):
    """Trees over all records; everything is by record, but for ``rows`` and ``order``.

    ``rows`` lists the records tree by tree, those of a tree in ascending order. ``weight`` counts the records at
    and under a record, and ``heavy`` is the child with the most of them. ``order`` has children before parents;
    ``waiting`` and ``part`` are marks of a walk over a tree.
    """

    space: Space
    up: IntVector
    rows: IntVector
    weight: IntVector
    heavy: IntVector
    order: IntVector
    waiting: IntVector
    part: IntVector


def grow(space: Space, k: int, *, progress: Progress) -> tuple[IntVector, IntVector]:
    """The record above each record and the root of its tree, in a forest of trees of at least k records."""
    n, p = space.matrix.shape
    tree = plant(space, np.arange(n))
    up, head, size = np.full(n, ROOT), np.arange(n), np.ones(n, dtype=np.int64)
    step = max(1, SLICE // (n * p + SORTED * k))
    linked, before = 0, -1
    while linked > before:
        before = linked
        for start in range(0, n, step):
            linked += link(tree, up, head, size, k, np.arange(start, min(start + step, n)))
            progress(linked, n)
    return up, np.array([root_of(head, row) for row in range(n)])


def decompose(space: Space, up: IntVector, roots: IntVector, k: int, *, progress: Progress) -> IntVector:
    """Labels of the parts after every tree of more than max(2k - 1, 3k - 5) records was cut in two, repeatedly."""
    n = len(up)
    rows = np.argsort(roots, kind="stable")
    first = np.flatnonzero(np.diff(roots[rows], prepend=ROOT))
    stack = np.zeros((n // k, 2), dtype=np.int64)
    top = len(first)
    stack[:top, 0], stack[:top, 1] = first, np.append(first[1:], n)
    forest = Forest(space, up.copy(), rows, *(np.zeros(n, dtype=np.int64) for _ in range(5)))
    labels = np.zeros(n, dtype=np.int64)
    while top > 0:
        top = divide(forest, labels, stack, top, k, SLICE)
        progress(n, n)
    return labels


@kernel
def root_of(head, row):
    """The root of the tree that a record is in; the way there is halved for the next time."""
    while head[row] != row:
        head[row] = head[head[row]]
        row = head[row]
    return row


@kernel
def link(tree, up, head, size, k, rows):
    """Hang the tree of each of these roots, if it has fewer than k records, on the nearest record of another tree.

    Gives the number of roots that were hung.
    """
    linked = 0
    for row in rows:
        if up[row] == ROOT and size[row] < k:
            up[row] = nearest_outside(tree, head, k, row)
            head[row] = root_of(head, up[row])
            size[head[row]] += size[row]
            linked += 1
    return linked


@kernel
def nearest_outside(tree, head, k, row):
    """The record nearest to a root that is not in its tree: one of the k nearest is, mostly one of the first two."""
    want = 2
    while True:
        distance, near = np.empty(want), np.empty(want, dtype=np.int64)
        nearest(tree, tree.space.matrix[row], distance, near)
        for other in near:
            if root_of(head, other) != row:
                return other
        want = min(2 * want, k)


@kernel
def divide(forest, labels, stack, top, k, budget):
    """Cut the trees on the stack until all are small or the budget of cells is spent; what is left on the stack.

    A tree is a stretch of ``forest.rows``, and the label of its records is where it starts.
    """
    while top > 0 and budget > 0:
        start, stop = stack[top - 1]
        rows = forest.rows[start:stop]
        budget -= len(rows) * forest.space.matrix.shape[1]
        if len(rows) <= max(2 * k - 1, 3 * k - 5):
            labels[rows] = start
            top -= 1
        else:
            candidate = farthest_of(forest.space, rows, middle(forest.space, rows))
            weigh(forest, rows, candidate)
            while len(rows) - forest.weight[forest.heavy[candidate]] < k - 1:
                candidate = forest.heavy[candidate]
            weigh(forest, rows, candidate)
            size = halve(forest, rows, candidate, k)
            stack[top - 1, 1] = start + size
            stack[top, 0], stack[top, 1] = start + size, stop
            top += 1
    return top


@kernel
def weigh(forest, rows, root):
    """Make a record the root of its tree, and count the records at and under each, from the leaves up."""
    up, weight, heavy, waiting = forest.up, forest.weight, forest.heavy, forest.waiting
    reroot(up, root)
    for row in rows:
        weight[row], heavy[row], waiting[row] = 1, ROOT, 0
    for row in rows:
        if row != root:
            waiting[up[row]] += 1
    seen = 0
    for row in rows:
        while row != ROOT and waiting[row] == 0:
            waiting[row] = -1
            forest.order[seen] = row
            seen += 1
            above = up[row]
            if above != ROOT:
                waiting[above] -= 1
                weight[above] += weight[row]
                rival = heavy[above]
                if rival == ROOT or weight[row] > weight[rival] or (weight[row] == weight[rival] and row < rival):
                    heavy[above] = row
            row = above


@kernel
def reroot(up, row):
    """Turn the edges between a record and its root."""
    below = ROOT
    while row != ROOT:
        above = up[row]
        up[row] = below
        below, row = row, above


@kernel
def halve(forest, rows, root, k):
    """Cut a tree in two at the root or below it, and list the one part before the other; the size of that one."""
    part, heaviest = forest.part, forest.weight[forest.heavy[root]]
    joint, least = root, k - 1
    if len(rows) - heaviest == k - 1:
        joint, least = forest.heavy[root], heaviest - 1
    gathered = gather(forest, rows, joint, least)
    with_joint = gathered == k - 1 or (heaviest < k and len(rows) - gathered - 1 >= k)
    part[joint] = 1 if with_joint else 0
    part[root] = part[joint]
    sever(forest, rows, joint)
    for i in range(len(rows) - 1, -1, -1):
        row = forest.order[i]
        if part[row] == ROOT:
            part[row] = part[forest.up[row]]
    return arrange(forest, rows)


@kernel
def gather(forest, rows, joint, least):
    """Mark children of a record, the heaviest first, until there are so many records under them; how many."""
    up, part, first = forest.up, forest.part, forest.heavy[joint]
    gathered = forest.weight[first]
    for row in rows:
        part[row] = ROOT
        if up[row] == joint:
            part[row] = 1 if row == first or gathered < least else 0
            if row != first and part[row] == 1:
                gathered += forest.weight[row]
    return gathered


@kernel
def sever(forest, rows, joint):
    """Take the children in the other part from a record; the first of them stands above the others from now on."""
    hub = ROOT
    for row in rows:
        if forest.up[row] == joint and forest.part[row] != forest.part[joint]:
            forest.up[row] = hub
            if hub == ROOT:
                hub = row


@kernel
def arrange(forest, rows):
    """List the records of part 1 before those of part 0, each in the order they had; the number of the former."""
    ones, zeros = 0, 0
    for row in rows:
        if forest.part[row] == 1:
            rows[ones] = row
            ones += 1
        else:
            forest.order[zeros] = row
            zeros += 1
    copy(forest.order[:zeros], rows[ones:])
    return ones

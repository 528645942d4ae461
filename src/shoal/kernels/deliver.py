"""Records of a new table and the groups of an earlier one: to the nearest center, and on where a group stays small.

The centers lie in a tree and never move; a group that is closed is taken out of it.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import SLICE, kernel
from shoal.kernels.search import nearest
from shoal.kernels.tree import plant, remove
from shoal.values import FloatMatrix, IntVector, Space


def nearest_groups(points: FloatMatrix, centers: FloatMatrix) -> IntVector:
    """For each point the group whose center is nearest; of several, the first."""
    tree = plant(Space.of_numbers(centers), np.arange(len(centers)))
    order = np.lexsort(points.T)  # so that equal points, of which a table may have many, are looked up once
    labels, step = np.empty(len(points), dtype=np.int64), max(1, SLICE // centers.size)
    for start in range(0, len(points), step):
        place(tree, points, order[start : start + step], labels)
    return labels


def without_small(points: FloatMatrix, centers: FloatMatrix, labels: IntVector, k: int) -> IntVector:
    """Labels such that every group with points has at least k; there are at least k points.

    The smallest group is closed, of several the first: each of its points goes to the nearest center among the groups
    that have points. That is repeated until no group is too small.
    """
    labels, sizes = labels.copy(), np.bincount(labels, minlength=len(centers))
    tree = plant(Space.of_numbers(centers), np.flatnonzero(sizes))
    close_small(tree, points, labels, sizes, k)
    return labels


@kernel
def place(tree, points, rows, labels):
    """Label these points with the nearest of the centers in the tree; one that equals the last is not searched for."""
    distance, found = np.empty(1), np.empty(1, dtype=np.int64)
    for i in range(len(rows)):
        if i == 0 or (points[rows[i]] != points[rows[i - 1]]).any():
            nearest(tree, points[rows[i]], distance, found)
        labels[rows[i]] = found[0]


@kernel
def close_small(tree, points, labels, sizes, k):
    """Close groups of fewer than k points, the smallest first. Groups only grow, so that each size comes once."""
    first, after = np.full(len(sizes), -1), np.full(len(points), -1)
    for row in range(len(points)):
        after[row], first[labels[row]] = first[labels[row]], row
    distance, found = np.empty(1), np.empty(1, dtype=np.int64)
    for size in range(1, k):
        for group in range(len(sizes)):
            if sizes[group] == size:
                remove(tree, group)
                sizes[group], row = 0, first[group]
                while row >= 0:
                    nearest(tree, points[row], distance, found)
                    labels[row], following = found[0], after[row]
                    after[row], first[found[0]] = first[found[0]], row
                    sizes[found[0]] += 1
                    row = following

"""Assign the records of a new table to the groups of an earlier one, and close groups that stay too small.

The centers are in a tree and never move; a closed group leaves the tree.
"""

from __future__ import annotations

import numpy as np

from shoal.domain import FloatMatrix, IntVector, Space
from shoal.kernels.box_tree.box_tree import build_tree, remove
from shoal.kernels.box_tree.neighbors import nearest
from shoal.kernels.jit import SLICE, kernel


def assign_to_nearest(points: FloatMatrix, centers: FloatMatrix) -> IntVector:
    """Return the group with the nearest center for each point; ties go to the lowest number."""
    tree = build_tree(Space.of_numbers(centers), np.arange(len(centers)))
    order = np.lexsort(points.T)  # so that equal points are searched once
    labels, step = np.empty(len(points), dtype=np.int64), max(1, SLICE // centers.size)
    for start in range(0, len(points), step):
        assign_rows(tree, points, order[start : start + step], labels)
    return labels


def close_small_groups(points: FloatMatrix, centers: FloatMatrix, labels: IntVector, k: int) -> IntVector:
    """Return labels such that every group with points has at least k of them; there are at least k points.

    The smallest group is closed (the first of equal ones): each of its points goes to the nearest center of the groups
    that have points. This is repeated until no group is too small.
    """
    labels, sizes = labels.copy(), np.bincount(labels, minlength=len(centers))
    tree = build_tree(Space.of_numbers(centers), np.flatnonzero(sizes))
    close_groups(tree, points, labels, sizes, k)
    return labels


@kernel
def assign_rows(tree, points, rows, labels):
    """Assign these points to the nearest center in the tree, searching once for consecutive equal points."""
    distance, group = np.empty(1), np.empty(1, dtype=np.int64)
    for i in range(len(rows)):
        if i == 0 or (points[rows[i]] != points[rows[i - 1]]).any():
            nearest(tree, points[rows[i]], distance, group)
        labels[rows[i]] = group[0]


@kernel
def close_groups(tree, points, labels, sizes, k):
    """Close groups of fewer than k points, the smallest first; groups only grow, so each size comes once."""
    first, after = np.full(len(sizes), -1), np.full(len(points), -1)
    for row in range(len(points)):
        after[row], first[labels[row]] = first[labels[row]], row
    distance, group = np.empty(1), np.empty(1, dtype=np.int64)
    for size in range(1, k):
        for closing in range(len(sizes)):
            if sizes[closing] == size:
                remove(tree, closing)
                sizes[closing], row = 0, first[closing]
                while row >= 0:
                    nearest(tree, points[row], distance, group)
                    labels[row], following = group[0], after[row]
                    after[row], first[group[0]] = first[group[0]], row
                    sizes[group[0]] += 1
                    row = following

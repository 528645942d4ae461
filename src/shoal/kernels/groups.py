"""Groups that stand: their centers, and the leftovers that join them."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import kernel
from shoal.kernels.space import add, copy, exact, find_center


@kernel
def centroids(space, labels, count):
    """The centers of the groups 0 .. count - 1, each summed in the order of the rows; others are left out."""
    starts = np.zeros(count + 1, dtype=np.int64)
    for label in labels:
        if label >= 0:
            starts[label + 1] += 1
    for group in range(count):
        starts[group + 1] += starts[group]
    rows, filled = np.empty(starts[count], dtype=np.int64), np.zeros(count, dtype=np.int64)
    for row in range(len(labels)):
        group = labels[row]
        if group >= 0:
            rows[starts[group] + filled[group]] = row
            filled[group] += 1
    centers = np.empty((count, space.matrix.shape[1]))
    for group in range(count):
        copy(middle(space, rows[starts[group] : starts[group + 1]]), centers[group])
    return centers


@kernel
def errors(space, labels, count):
    """The squared distance of each record to the center of its group."""
    centers, found = centroids(space, labels, count), np.empty(len(labels))
    for row in range(len(labels)):
        found[row] = exact(space, space.matrix[row], centers[labels[row]])
    return found


@kernel
def nearest_group(space, centers, point):
    """The group whose center is nearest to a point; of several, the one built first."""
    best, who = np.inf, 0
    for group in range(len(centers)):
        distance = exact(space, centers[group], point)
        if distance < best:
            best, who = distance, group
    return who


@kernel
def join_nearest(space, labels, centers, rows):
    """Each of these rows joins the group with the nearest center; the centers stay as they were."""
    for row in rows:
        labels[row] = nearest_group(space, centers, space.matrix[row])


@kernel
def middle(space, rows):
    """The center of these rows, summed in this order."""
    sums, center = np.zeros(space.numbers + len(space.sketch)), np.empty(space.matrix.shape[1])
    for row in rows:
        add(space, sums, space.matrix[row], 1.0)
    find_center(space, sums, len(rows), center)
    return center


@kernel
def spread(space, rows):
    """The SSE of these rows: their squared distances to their center, in this order."""
    center, total = middle(space, rows), 0.0
    for row in rows:
        total += exact(space, space.matrix[row], center)
    return total


@kernel
def farthest_of(space, rows, point):
    """The first of these rows that are farthest from a point."""
    who, far = rows[0], -1.0
    for row in rows:
        distance = exact(space, space.matrix[row], point)
        if distance > far:
            who, far = row, distance
    return who

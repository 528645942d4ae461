"""Centroids of groups, squared errors, and assignment to the nearest centroid."""

from __future__ import annotations

import numpy as np

from shoal.domain import IntVector, Space
from shoal.kernels.distance import add, copy, find_center, squared_distance
from shoal.kernels.jit import kernel


@kernel
def centroids(space, labels, count):
    """Return the centroids of groups 0 .. count - 1, summed in row order; other labels are ignored."""
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
        copy(centroid_of(space, rows[starts[group] : starts[group + 1]]), centers[group])
    return centers


@kernel
def squared_errors(space, labels, count):
    """Return the squared distance of each record to the centroid of its group."""
    centers, errors = centroids(space, labels, count), np.empty(len(labels))
    for row in range(len(labels)):
        errors[row] = squared_distance(space, space.matrix[row], centers[labels[row]])
    return errors


def squared_error(space: Space, labels: IntVector) -> float:
    """Return the sum of squared distances to the centroids of the groups."""
    return float(squared_errors(space, labels, int(labels.max()) + 1).sum())


@kernel
def nearest_group(space, centers, point):
    """Return the group whose centroid is nearest to a point; ties go to the lowest number."""
    best, nearest = np.inf, 0
    for group in range(len(centers)):
        distance = squared_distance(space, centers[group], point)
        if distance < best:
            best, nearest = distance, group
    return nearest


@kernel
def assign_to_nearest(space, labels, centers, rows):
    """Assign each row to the group with the nearest center; the centers do not move."""
    for row in rows:
        labels[row] = nearest_group(space, centers, space.matrix[row])


@kernel
def centroid_of(space, rows):
    """Return the centroid of these rows, summed in this order."""
    sums, center = np.zeros(space.n_numeric + len(space.sketch)), np.empty(space.matrix.shape[1])
    for row in rows:
        add(space, sums, space.matrix[row], 1.0)
    find_center(space, sums, len(rows), center)
    return center


@kernel
def sse(space, rows):
    """Return the SSE of these rows: squared distances to their centroid, summed in this order."""
    center, total = centroid_of(space, rows), 0.0
    for row in rows:
        total += squared_distance(space, space.matrix[row], center)
    return total


@kernel
def farthest_from_point(space, rows, point):
    """Return the first of these rows that is farthest from a point."""
    farthest, largest = rows[0], -1.0
    for row in rows:
        distance = squared_distance(space, space.matrix[row], point)
        if distance > largest:
            farthest, largest = row, distance
    return farthest

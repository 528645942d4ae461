"""Groups that stand: their centroids, and the leftovers that join them."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import kernel
from shoal.kernels.search import exact


@kernel
def centroids(matrix, labels, count):
    """The means of the groups 0 .. count - 1, each summed in the order of the rows; others are left out."""
    sums, sizes = np.zeros((count, matrix.shape[1])), np.zeros(count, dtype=np.int64)
    for row in range(len(labels)):
        if labels[row] >= 0:
            sizes[labels[row]] += 1
            for j in range(matrix.shape[1]):
                sums[labels[row], j] += matrix[row, j]
    for group in range(count):
        for j in range(matrix.shape[1]):
            sums[group, j] /= sizes[group]
    return sums


@kernel
def nearest_group(centers, point):
    """The group whose centroid is nearest to a point; of several, the one built first."""
    best, who = np.inf, 0
    for group in range(len(centers)):
        distance = exact(centers[group], point)
        if distance < best:
            best, who = distance, group
    return who


@kernel
def join_nearest(matrix, labels, centers, rows):
    """Each of these rows joins the group with the nearest centroid; the centroids stay as they were."""
    for row in rows:
        labels[row] = nearest_group(centers, matrix[row])


@kernel
def middle(matrix, rows):
    """The mean of these rows, in this order."""
    mean = np.zeros(matrix.shape[1])
    for row in rows:
        for j in range(matrix.shape[1]):
            mean[j] += matrix[row, j]
    return mean / len(rows)


@kernel
def spread(matrix, rows):
    """The SSE of these rows: their squared distances to their mean, in this order."""
    mean, total = middle(matrix, rows), 0.0
    for row in rows:
        total += exact(matrix[row], mean)
    return total


@kernel
def farthest_of(matrix, rows, point):
    """The first of these rows that are farthest from a point."""
    who, far = rows[0], -1.0
    for row in rows:
        distance = exact(matrix[row], point)
        if distance > far:
            who, far = row, distance
    return who

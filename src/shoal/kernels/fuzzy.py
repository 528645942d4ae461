"""Fuzzy c-means: every record belongs to every center, more to the near ones.

The membership of a record in a center at squared distance d is d**(-e) over the sum of such terms, where
e = 1 / (m - 1). Only exponents m = 1 + 2**-power are taken: then powers are squares and square roots, which are
the same to the last bit on every machine. Memberships are never stored; each record adds its share at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import SLICE, kernel, part
from shoal.kernels.search import exact
from shoal.values import FloatMatrix, FloatVector, IntVector

ITERATIONS = 10
"""Times at most that the centers move in one run."""
NEGLIGIBLE = 1e-12
"""A membership below this part of the largest counts as none."""


class Cloud(NamedTuple):
    """Records and centers; ``sums`` and ``totals`` are those of a center's records, ``weights`` those of one record."""

    matrix: FloatMatrix
    labels: IntVector
    centers: FloatMatrix
    sums: FloatMatrix
    totals: FloatVector
    weights: FloatVector


def c_means(matrix: FloatMatrix, centers: FloatMatrix, power: int, *, tick: Callable[[], None]) -> Cloud:
    """Move the centers until no record changes its nearest one; ``tick`` is called now and then."""
    labels = np.full(len(matrix), -1, dtype=np.int64)
    cloud = Cloud(
        matrix, labels, centers.copy(), np.empty_like(centers), np.empty(len(centers)), np.empty(len(centers))
    )
    step = max(1, SLICE // (4 * centers.size))
    for _ in range(ITERATIONS):
        cloud.sums[:], cloud.totals[:], moved = 0.0, 0.0, 0
        for start in range(0, len(matrix), step):
            moved += scatter(cloud, power, start, min(start + step, len(matrix)))
            tick()
        if moved == 0:
            break
        move(cloud)
    return cloud


@kernel
def scatter(cloud, power, start, stop):
    """Label these records with their nearest centers, and add them to all centers; how many labels have changed."""
    moved = 0
    for row in range(start, stop):
        record = cloud.matrix[row]
        nearest = measure(cloud, record)
        moved += cloud.labels[row] != nearest
        cloud.labels[row] = nearest
        total = compare(cloud, nearest, power)
        for center in range(len(cloud.weights)):
            if cloud.weights[center] > 0.0:
                share = to_the_m(cloud.weights[center] / total, power)
                cloud.totals[center] += share
                for j in range(len(record)):
                    cloud.sums[center, j] += share * record[j]
    return moved


@part
def measure(cloud, record):
    """The squared distances from a record to all centers, into the weights; the first of the nearest."""
    nearest = 0
    for center in range(len(cloud.weights)):
        cloud.weights[center] = exact(cloud.centers[center], record)
        if cloud.weights[center] < cloud.weights[nearest]:
            nearest = center
    return nearest


@part
def compare(cloud, nearest, power):
    """Turn squared distances into memberships, as parts of the largest one; their sum."""
    least, total = cloud.weights[nearest], 0.0
    for center in range(len(cloud.weights)):
        weight = 1.0
        if cloud.weights[center] > least:
            weight = least / cloud.weights[center]
            for _ in range(power):
                weight *= weight
            if weight < NEGLIGIBLE:
                weight = 0.0
        cloud.weights[center] = weight
        total += weight
    return total


@part
def to_the_m(membership, power):
    """A membership raised to m = 1 + 2**-power."""
    root = membership
    for _ in range(power):
        root = math.sqrt(root)
    return membership * root


@kernel
def move(cloud):
    """Each center moves to the weighted mean of its records; one without any stays."""
    for center in range(len(cloud.totals)):
        if cloud.totals[center] > 0.0:
            for j in range(cloud.centers.shape[1]):
                cloud.centers[center, j] = cloud.sums[center, j] / cloud.totals[center]

"""Fuzzy c-means: every record belongs to every center, with a higher membership in near ones.

The membership of a record in a center at squared distance d is d**(-e) divided by the sum of such terms, with
e = 1 / (m - 1). Only exponents m = 1 + 2**-power are supported: powers are then squares and square roots, which are the
same to the last bit on every machine. With such exponents all but a few memberships are negligible. So the centers are
in a box tree, and a record contributes to the near ones only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.domain import FloatMatrix, FloatVector, IntVector, Space
from shoal.kernels.box_tree.box_tree import build_tree
from shoal.kernels.box_tree.neighbors import HEAP_COST, NO_RECORD, nearest
from shoal.kernels.distance import add, find_center, zero_sums
from shoal.kernels.jit import SLICE, inline, kernel

MAX_ITERATIONS = 5
"""Largest number of updates of the centers in one run."""
MIN_MEMBERSHIP = 1e-6
"""A membership below this fraction of the largest is set to 0."""
FIRST_CENTERS = 8
"""Centers searched first; doubled while the last one is not negligible."""


class FuzzyClusters(NamedTuple):
    """Records and centers; ``sums`` and ``totals`` add up the weighted records of a center."""

    space: Space
    labels: IntVector
    centers: FloatMatrix
    sums: FloatMatrix
    totals: FloatVector


def c_means(space: Space, centers: FloatMatrix, power: int, *, tick: Callable[[], None]) -> FuzzyClusters:
    """Update the centers until no record changes its nearest one; ``tick`` is called regularly."""
    n, sums = len(space.matrix), np.empty((len(centers), len(zero_sums(space))))
    clusters = FuzzyClusters(space, np.full(n, -1, dtype=np.int64), centers.copy(), sums, np.empty(len(centers)))
    step = max(1, SLICE // (4 * centers.size + HEAP_COST * len(centers)))
    for _ in range(MAX_ITERATIONS):
        clusters.sums[:], clusters.totals[:], changed = 0.0, 0.0, 0
        tree = build_tree(space.with_points(clusters.centers), np.arange(len(centers)))
        for start in range(0, n, step):
            changed += assign(clusters, tree, power, start, min(start + step, n))
            tick()
        if changed == 0:
            break
        update_centers(clusters)
    return clusters


@kernel
def assign(clusters, tree, power, start, stop):
    """Label these records with their nearest centers and add them to near ones; the number of changed labels."""
    changed = 0
    for row in range(start, stop):
        record = clusters.space.matrix[row]
        weights, centers = memberships(tree, record, power)
        changed += clusters.labels[row] != centers[0]
        clusters.labels[row] = centers[0]
        total = 0.0
        for weight in weights:
            total += weight
        for i in range(len(centers)):
            if weights[i] > 0.0:
                share = power_m(weights[i] / total, power)
                clusters.totals[centers[i]] += share
                add(clusters.space, clusters.sums[centers[i]], record, share)
    return changed


@kernel
def memberships(tree, record, power):
    """The centers near a record, nearest first, and its memberships as fractions of the largest one."""
    count, searching = FIRST_CENTERS, True
    while searching:
        weights, centers = np.empty(count), np.empty(count, dtype=np.int64)
        nearest(tree, record, weights, centers)
        to_memberships(weights, power)
        searching = weights[count - 1] > 0.0 and centers[count - 1] != NO_RECORD
        count *= 2
    return weights, centers


@inline
def to_memberships(weights, power):
    """Convert squared distances, in ascending order, to memberships as fractions of the largest one."""
    least = weights[0]
    for i in range(len(weights)):
        weight = 1.0
        if weights[i] > least:
            weight = least / weights[i]
            for _ in range(power):
                weight *= weight
            if weight < MIN_MEMBERSHIP:
                weight = 0.0
        weights[i] = weight


@inline
def power_m(membership, power):
    """A membership to the power m = 1 + 2**-power."""
    root = membership
    for _ in range(power):
        root = math.sqrt(root)
    return membership * root


@kernel
def update_centers(clusters):
    """Set each center to the weighted center of its records; one without records stays."""
    for center in range(len(clusters.totals)):
        if clusters.totals[center] > 0.0:
            find_center(clusters.space, clusters.sums[center], clusters.totals[center], clusters.centers[center])

"""Fuzzy c-means: every record belongs to every center, more to the near ones.

The membership of a record in a center at squared distance d is d**(-e) over the sum of such terms, where
e = 1 / (m - 1). Only exponents m = 1 + 2**-power are taken: then powers are squares and square roots, which are
the same to the last bit on every machine. With such exponents all but a few memberships are next to nothing, so the
centers lie in a tree, and a record adds its share at once to those near to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import SLICE, kernel, part
from shoal.kernels.search import NOBODY, SORTED, nearest
from shoal.kernels.space import add, find_center, no_sums
from shoal.kernels.tree import plant
from shoal.values import FloatMatrix, FloatVector, IntVector, Space

ITERATIONS = 5
"""Times at most that the centers move in one run."""
NEGLIGIBLE = 1e-6
"""A membership below this part of the largest counts as none."""
FEW = 8
"""Centers that are looked for at first; twice as many as long as the last one is not negligible."""


class Cloud(NamedTuple):
    """Records and centers; ``sums`` and ``totals`` are those of a center's records."""

    space: Space
    labels: IntVector
    centers: FloatMatrix
    sums: FloatMatrix
    totals: FloatVector


def c_means(space: Space, centers: FloatMatrix, power: int, *, tick: Callable[[], None]) -> Cloud:
    """Move the centers until no record changes its nearest one; ``tick`` is called now and then."""
    n, sums = len(space.matrix), np.empty((len(centers), len(no_sums(space))))
    cloud = Cloud(space, np.full(n, -1, dtype=np.int64), centers.copy(), sums, np.empty(len(centers)))
    step = max(1, SLICE // (4 * centers.size + SORTED * len(centers)))
    for _ in range(ITERATIONS):
        cloud.sums[:], cloud.totals[:], moved = 0.0, 0.0, 0
        tree = plant(space.with_points(cloud.centers), np.arange(len(centers)))
        for start in range(0, n, step):
            moved += scatter(cloud, tree, power, start, min(start + step, n))
            tick()
        if moved == 0:
            break
        move(cloud)
    return cloud


@kernel
def scatter(cloud, tree, power, start, stop):
    """Label these records with their nearest centers, and add them to those near; how many labels have changed."""
    moved = 0
    for row in range(start, stop):
        record = cloud.space.matrix[row]
        weights, centers = around(tree, record, power)
        moved += cloud.labels[row] != centers[0]
        cloud.labels[row] = centers[0]
        total = 0.0
        for weight in weights:
            total += weight
        for i in range(len(centers)):
            if weights[i] > 0.0:
                share = to_the_m(weights[i] / total, power)
                cloud.totals[centers[i]] += share
                add(cloud.space, cloud.sums[centers[i]], record, share)
    return moved


@kernel
def around(tree, record, power):
    """The centers near a record, nearest first, and the memberships in them as parts of the largest one."""
    want, searching = FEW, True
    while searching:
        weights, centers = np.empty(want), np.empty(want, dtype=np.int64)
        nearest(tree, record, weights, centers)
        compare(weights, power)
        searching = weights[want - 1] > 0.0 and centers[want - 1] != NOBODY
        want *= 2
    return weights, centers


@part
def compare(weights, power):
    """Turn squared distances, the least first, into memberships as parts of the largest one."""
    least = weights[0]
    for i in range(len(weights)):
        weight = 1.0
        if weights[i] > least:
            weight = least / weights[i]
            for _ in range(power):
                weight *= weight
            if weight < NEGLIGIBLE:
                weight = 0.0
        weights[i] = weight


@part
def to_the_m(membership, power):
    """A membership raised to m = 1 + 2**-power."""
    root = membership
    for _ in range(power):
        root = math.sqrt(root)
    return membership * root


@kernel
def move(cloud):
    """Each center moves to the weighted center of its records; one without any stays."""
    for center in range(len(cloud.totals)):
        if cloud.totals[center] > 0.0:
            find_center(cloud.space, cloud.sums[center], cloud.totals[center], cloud.centers[center])

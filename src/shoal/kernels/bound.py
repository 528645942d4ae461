"""The least share that a record can have in the SSE of a partition."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import SLICE, kernel
from shoal.kernels.search import SORTED, nearest
from shoal.kernels.tree import plant
from shoal.values import FloatMatrix, FloatVector, IntMatrix, Progress, Space


def shares(space: Space, k: int, *, progress: Progress) -> FloatVector:
    """The least share of every record, in any group of k to 2k - 1 records."""
    n = len(space.matrix)
    tree = plant(space, np.arange(n))
    least = np.empty(n)
    step = max(1, SLICE // (n * space.matrix.shape[1] + SORTED * k))
    for start in range(0, n, step):
        stop = min(start + step, n)
        fill(tree, k, least, start, stop)
        progress(stop, n)
    return least


@kernel
def fill(tree, k, least, start, stop):
    """The least share of these rows: the sum of the s - 1 smallest squared distances by 2s, for the best s."""
    most = min(2 * k - 1, len(least))
    distance, rows = np.empty(most), np.empty(most, dtype=np.int64)
    for row in range(start, stop):
        nearest(tree, tree.space.matrix[row], distance, rows)
        total, best = 0.0, np.inf
        for size in range(1, most + 1):
            total += distance[size - 1]
            if size >= k:
                best = min(best, total / (2 * size))
        least[row] = best


def neighbors(space: Space, count: int) -> tuple[IntMatrix, FloatMatrix]:
    """The nearest records of every record, itself included, in order of distance, then row; and their distances."""
    n = len(space.matrix)
    tree, rows, distance = plant(space, np.arange(n)), np.empty((n, count), dtype=np.int64), np.empty((n, count))
    step = max(1, SLICE // (n * space.matrix.shape[1] + SORTED * count))
    for start in range(0, n, step):
        list_nearest(tree, rows, distance, start, min(start + step, n))
    return rows, distance


@kernel
def list_nearest(tree, rows, distance, start, stop):
    """Fill the lists of these rows."""
    for row in range(start, stop):
        nearest(tree, tree.space.matrix[row], distance[row], rows[row])

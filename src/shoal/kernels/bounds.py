"""Lower bounds of the SSE of any partition: from the neighbors of each record, and by a search of all partitions."""

from __future__ import annotations

import numpy as np

from shoal.domain import FloatMatrix, FloatVector, IntMatrix, Progress, Space
from shoal.kernels.box_tree.box_tree import build_tree
from shoal.kernels.box_tree.neighbors import HEAP_COST, nearest
from shoal.kernels.jit import SLICE, kernel


def record_bounds(space: Space, k: int, *, progress: Progress) -> FloatVector:
    """The lower bound of each record's contribution, over groups of k to 2k - 1 records."""
    n = len(space.matrix)
    tree = build_tree(space, np.arange(n))
    bounds = np.empty(n)
    step = max(1, SLICE // (n * space.matrix.shape[1] + HEAP_COST * k))
    for start in range(0, n, step):
        stop = min(start + step, n)
        fill_record_bounds(tree, k, bounds, start, stop)
        progress(stop, n)
    return bounds


@kernel
def fill_record_bounds(tree, k, bounds, start, stop):
    """Bound these rows: the sum of the s - 1 smallest squared distances divided by 2s, for the best size s."""
    max_size = min(2 * k - 1, len(bounds))
    distance, rows = np.empty(max_size), np.empty(max_size, dtype=np.int64)
    for row in range(start, stop):
        nearest(tree, tree.space.matrix[row], distance, rows)
        total, best = 0.0, np.inf
        for size in range(1, max_size + 1):
            total += distance[size - 1]
            if size >= k:
                best = min(best, total / (2 * size))
        bounds[row] = best


def neighbors(space: Space, count: int) -> tuple[IntMatrix, FloatMatrix]:
    """The nearest records of every record, itself included, by distance, then row; and their squared distances."""
    n = len(space.matrix)
    tree, rows, distance = build_tree(space, np.arange(n)), np.empty((n, count), dtype=np.int64), np.empty((n, count))
    step = max(1, SLICE // (n * space.matrix.shape[1] + HEAP_COST * count))
    for start in range(0, n, step):
        fill_neighbors(tree, rows, distance, start, min(start + step, n))
    return rows, distance


@kernel
def fill_neighbors(tree, rows, distance, start, stop):
    for row in range(start, stop):
        nearest(tree, tree.space.matrix[row], distance[row], rows[row])


def subset_costs(distances: FloatMatrix) -> FloatVector:
    """The SSE of every subset, indexed by its bit mask, from the squared distances of the records."""
    pairs, sizes = np.zeros(1), np.zeros(1, dtype=np.int64)
    for i in range(len(distances)):
        new_pairs = np.zeros(1)
        for j in range(i):
            new_pairs = np.concatenate([new_pairs, new_pairs + distances[i, j]])
        pairs, sizes = np.concatenate([pairs, pairs + new_pairs]), np.concatenate([sizes, sizes + 1])
    return pairs / np.maximum(sizes, 1)


@kernel
def best_partition_cost(costs, k):
    """The least cost of a partition of all records into groups of at least k; infinite if there is none."""
    best = np.full(len(costs), np.inf)
    best[0] = 0.0
    for subset in range(1, len(costs)):
        lowest = subset & -subset
        rest = subset ^ lowest
        others = rest
        while True:  # every group with the lowest record of the subset
            group = lowest | others
            if best[subset ^ group] + costs[group] < best[subset] and popcount(group) >= k:
                best[subset] = best[subset ^ group] + costs[group]
            if others == 0:
                break
            others = (others - 1) & rest
    return best[-1]


@kernel
def popcount(bits):
    total = 0
    while bits:
        bits &= bits - 1
        total += 1
    return total

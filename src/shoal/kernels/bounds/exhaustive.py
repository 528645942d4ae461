"""Optimal partition of a few records, by dynamic programming over all subsets."""

from __future__ import annotations

import numpy as np

from shoal.domain import FloatMatrix, FloatVector
from shoal.kernels.jit import kernel


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
    """The number of ones."""
    total = 0
    while bits:
        bits &= bits - 1
        total += 1
    return total

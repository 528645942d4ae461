"""The best partition of a few records, by looking at all subsets."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import kernel
from shoal.values import FloatMatrix, FloatVector


def costs(apart: FloatMatrix) -> FloatVector:
    """The SSE of every subset, by the number whose bits tell its records, from their squared distances."""
    pairs, sizes = np.zeros(1), np.zeros(1, dtype=np.int64)
    for i in range(len(apart)):
        to = np.zeros(1)
        for j in range(i):
            to = np.concatenate([to, to + apart[i, j]])
        pairs, sizes = np.concatenate([pairs, pairs + to]), np.concatenate([sizes, sizes + 1])
    return pairs / np.maximum(sizes, 1)


@kernel
def least(costs, k):
    """The least cost of a partition of all records into groups of at least k; infinite where there is none."""
    best = np.full(len(costs), np.inf)
    best[0] = 0.0
    for taken in range(1, len(costs)):
        lowest = taken & -taken
        rest = taken ^ lowest
        others = rest
        while True:  # every group that has the first of these records
            group = lowest | others
            if best[taken ^ group] + costs[group] < best[taken] and count(group) >= k:
                best[taken] = best[taken ^ group] + costs[group]
            if others == 0:
                break
            others = (others - 1) & rest
    return best[-1]


@kernel
def count(bits):
    """The number of ones."""
    total = 0
    while bits:
        bits &= bits - 1
        total += 1
    return total

"""Optimal cut of an order into consecutive groups: the shortest path of Hansen and Mukherjee."""

from __future__ import annotations

import numpy as np

from shoal.domain import FloatVector, IntVector, Progress, Space
from shoal.kernels.distance import add, add_squares, category_error, zero_sums
from shoal.kernels.jit import SLICE, kernel


def shortest_path(ordered: Space, k: int, *, progress: Progress) -> IntVector:
    """Labels, in this order, of the cut into groups of k to 2k - 1 consecutive records with the least SSE."""
    return backtrack(path_costs(ordered, k, progress=progress)[1])


def path_costs(ordered: Space, k: int, *, progress: Progress) -> tuple[FloatVector, IntVector]:
    """The least SSE of the first 0 .. n records, and the size of the last group of each."""
    n, p = len(ordered.matrix), len(zero_sums(ordered))
    cost, last = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    cost[0] = 0.0
    step = max(1, SLICE // (4 * k * p))
    for start in range(0, n, step):
        stop = min(start + step, n)
        extend_path(ordered, k, cost, last, start, stop)
        progress(stop, n)
    return cost, last


@kernel
def extend_path(ordered, k, cost, last, start, stop):
    """Compute the least cost of the first start + 1 .. stop records, and the size of the last group of each.

    The SSE of the last group grows record by record, backward, with Welford's running mean. Of equal costs the smaller
    last group wins.
    """
    p = ordered.n_numeric
    mean, sums, squares = np.empty(p), np.empty(p + len(ordered.sketch)), np.empty(len(ordered.sketch))
    for end in range(start + 1, stop + 1):
        mean[:], sums[:], squares[:] = 0.0, 0.0, 0.0
        sse = 0.0
        for size in range(1, min(2 * k, end + 1)):
            record = ordered.matrix[end - size]
            for j in range(p):
                difference = record[j] - mean[j]
                mean[j] += difference / size
                sse += difference * (record[j] - mean[j])
            add(ordered, sums, record, 1.0)
            add_squares(ordered, squares, record, 1.0)
            if size >= k:
                total = cost[end - size] + sse + category_error(ordered, sums, squares)
                if total < cost[end]:
                    cost[end], last[end] = total, size


@kernel
def backtrack(last):
    """Labels from the sizes of the last groups, numbered from the end."""
    labels = np.empty(len(last) - 1, dtype=np.int64)
    end, group = len(labels), 0
    while end > 0:
        labels[end - last[end] : end] = group
        end, group = end - last[end], group + 1
    return labels

"""The shortest path over an order of the records: the best cut into consecutive groups."""

from __future__ import annotations

import numpy as np

from shoal.kernels.jit import SLICE, kernel
from shoal.values import FloatMatrix, IntVector, Progress


def shortest_path(ordered: FloatMatrix, k: int, *, progress: Progress) -> IntVector:
    """Labels, in this order, of the cut into groups of k to 2k - 1 neighbors with the least SSE."""
    n, p = ordered.shape
    cost, last = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    cost[0] = 0.0
    step = max(1, SLICE // (4 * k * p))
    for start in range(0, n, step):
        stop = min(start + step, n)
        reach(ordered, k, cost, last, start, stop)
        progress(stop, n)
    labels: IntVector = cut(last)
    return labels


@kernel
def reach(ordered, k, cost, last, start, stop):
    """The least cost of the first start + 1 .. stop records, and the size of the last group of each.

    The SSE of the last group grows record by record, backward, with the running mean of Welford. Of equal
    costs the smaller last group wins.
    """
    p = ordered.shape[1]
    mean = np.empty(p)
    for end in range(start + 1, stop + 1):
        mean[:] = 0.0
        sse = 0.0
        for size in range(1, min(2 * k, end + 1)):
            for j in range(p):
                value = ordered[end - size, j]
                difference = value - mean[j]
                mean[j] += difference / size
                sse += difference * (value - mean[j])
            if size >= k and cost[end - size] + sse < cost[end]:
                cost[end], last[end] = cost[end - size] + sse, size


@kernel
def cut(last):
    """Walk back over the sizes of the last groups, and number the groups from the end."""
    labels = np.empty(len(last) - 1, dtype=np.int64)
    end, group = len(labels), 0
    while end > 0:
        labels[end - last[end] : end] = group
        end, group = end - last[end], group + 1
    return labels

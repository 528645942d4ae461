"""Multi-DSort as printed: the variant that gives the printed figures.

Evidence about a paper, not a method: it leaves records out, or in a group of two, so k does not hold.
"""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.domain import Records, no_progress
from shoal.metrics import total_sum_of_squares
from shoal.microaggregation.p_s import group_pairs, sort_by_ranks


def loss_as_printed(records: Records, k: int) -> float:
    """Return the information loss without the leftover records, after pairs of groups while 2k records remain.

    Two leftover records are a group of their own.
    """
    labels = group_pairs(
        records, sort_by_ranks(records, rerank=False), k, min_records=2 * k, progress=no_progress
    ).labels.copy()
    leftover = np.flatnonzero(labels < 0)
    if len(leftover) == 2:
        labels[leftover] = labels.max() + 1
    counted, matrix = labels >= 0, records.matrix
    centers = kernels.centroids.centroids(records.space, labels, labels.max() + 1)
    error = float(((matrix[counted] - centers[labels[counted]]) ** 2).sum())
    return 100.0 * error / total_sum_of_squares(matrix)

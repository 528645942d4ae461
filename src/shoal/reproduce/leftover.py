"""Multi-DSort as its authors must have run it: what the printed figures are figures of.

This is evidence about a paper and no method: it leaves records out, or in a group of two, so that the promise would
not hold. Nothing can be released by it.
"""

from __future__ import annotations

import numpy as np

from shoal import kernels
from shoal.measure import variation
from shoal.partition.p_s import by_ranks, pairs
from shoal.values import Records, silent


def loss_as_printed(records: Records, k: int) -> float:
    """The information loss without the records that are left when pairs of groups are made while 2k are left.

    Two such records are a group of their own.
    """
    labels = pairs(records, by_ranks(records, anew=False), k, least=2 * k, progress=silent).labels.copy()
    left = np.flatnonzero(labels < 0)
    if len(left) == 2:
        labels[left] = labels.max() + 1
    counted, matrix = labels >= 0, records.matrix
    centers = kernels.groups.centroids(records.space, labels, labels.max() + 1)
    error = float(((matrix[counted] - centers[labels[counted]]) ** 2).sum())
    return 100.0 * error / variation(matrix)

"""Stages that several methods share: each takes the records and gives labels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal import kernels
from shoal.values import IntVector, Progress, Records, silent

Method = Callable[..., IntVector]


def best_cut(records: Records, order: IntVector, k: int, *, progress: Progress) -> IntVector:
    """The cut of an order into runs of k to 2k - 1 neighbors with the least SSE."""
    ordered = np.ascontiguousarray(records.matrix[order])
    labels = np.empty(records.count, dtype=np.int64)
    labels[order] = kernels.path.shortest_path(ordered, k, progress=progress)
    return labels


def split_large(records: Records, labels: IntVector, k: int, by: Method) -> IntVector:
    """Partition every group of 2k and more records again, by a method that sees these records alone."""
    split = labels.copy()
    groups = int(labels.max()) + 1
    for group in np.flatnonzero(np.bincount(labels) >= 2 * k):
        rows = np.flatnonzero(labels == group)
        parts = by(records.some(rows), k, progress=silent)
        split[rows] = groups + parts
        groups += int(parts.max()) + 1
    return split

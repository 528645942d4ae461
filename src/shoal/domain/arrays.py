"""Array types, and numbering of distinct rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatMatrix = NDArray[np.float64]
FloatVector = NDArray[np.float64]
IntVector = NDArray[np.int64]
IntMatrix = NDArray[np.int64]
BoolVector = NDArray[np.bool_]
BoolMatrix = NDArray[np.bool_]


def number_by_first_row(key: IntVector) -> tuple[IntVector, IntVector]:
    """Number distinct keys by first occurrence: the first row of each key, and the number of each row."""
    numbers = dense_ranks(key)
    first = np.empty(int(numbers.max()) + 1, dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # the last write wins, so the first row is kept
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[numbers]


def dense_ranks(key: IntVector) -> IntVector:
    """Map keys to consecutive integers from 0, preserving their order."""
    size = int(key.max()) + 1
    if size > 10 * len(key) + 1_000_000:
        return np.unique(key, return_inverse=True)[1].astype(np.int64)
    present = np.zeros(size, dtype=np.bool_)
    present[key] = True
    ranks: IntVector = (np.cumsum(present) - 1)[key]
    return ranks

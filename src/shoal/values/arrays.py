"""The arrays that cross doors, and rows that are numbered anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatMatrix = NDArray[np.float64]
FloatVector = NDArray[np.float64]
IntVector = NDArray[np.int64]
IntMatrix = NDArray[np.int64]
BoolVector = NDArray[np.bool_]
BoolMatrix = NDArray[np.bool_]


def by_first_row(key: IntVector) -> tuple[IntVector, IntVector]:
    """The first row of each different number, in the order of rows; and the numbers by that order, without gaps."""
    numbers = dense(key)
    first = np.empty(int(numbers.max()) + 1, dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # what is written last stays: the first row
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[numbers]


def dense(key: IntVector) -> IntVector:
    """The same numbers from 0 up, without gaps, in the same order."""
    size = int(key.max()) + 1
    if size > 10 * len(key) + 1_000_000:
        return np.unique(key, return_inverse=True)[1].astype(np.int64)
    taken = np.zeros(size, dtype=np.bool_)
    taken[key] = True
    numbered: IntVector = (np.cumsum(taken) - 1)[key]
    return numbered

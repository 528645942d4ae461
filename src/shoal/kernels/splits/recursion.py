"""Recursive splitting: a stack of open parts of the records, and the groups they end as.

``rows`` holds the records of each part side by side, in row order. A method examines the part on top of the stack,
marks in ``right`` the rows that go to its right side, and then divides the part or closes it as a group.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.domain import FloatMatrix, IntMatrix, IntVector, Progress
from shoal.kernels.jit import SLICE, inline, kernel

OPEN, GROUPS, DONE = range(3)
"""Places in ``counts``: open parts, groups so far, records in groups."""


class PartStack(NamedTuple):
    """State of a recursive splitting; ``ends[p]`` is the first place of open part p and the place after its last."""

    matrix: FloatMatrix | IntMatrix
    labels: IntVector
    rows: IntVector
    buffer: IntVector
    right: NDArray[np.bool_]
    ends: IntVector
    counts: IntVector


def init(matrix: FloatMatrix | IntMatrix) -> PartStack:
    """Return a stack with one part: all records."""
    n = len(matrix)
    ends = np.zeros((n, 2), dtype=np.int64)  # the most parts possible; untouched pages take no memory
    ends[0, 1] = n
    labels, rows, buffer = np.zeros(n, dtype=np.int64), np.arange(n), np.empty(n, dtype=np.int64)
    return PartStack(matrix, labels, rows, buffer, np.zeros(n, dtype=np.bool_), ends, np.array([1, 0, 0]))


def run(parts: PartStack, split: Callable[..., None], *arguments: Any, progress: Progress) -> IntVector:
    """Call ``split(parts, *arguments, cells)`` until no part is open, and return the labels.

    A call splits parts until about this many cells are processed or no part is open.
    """
    while parts.counts[OPEN] > 0:
        split(parts, *arguments, SLICE // 8)  # each cell is read several times
        progress(int(parts.counts[DONE]), len(parts.labels))
    return parts.labels


@inline
def top(parts):
    """Return the first place of the part on top, and the place after its last."""
    ends = parts.ends[parts.counts[OPEN] - 1]
    return ends[0], ends[1]


@kernel
def divide(parts):
    """Divide the part on top by ``right``; the smaller side is the new top."""
    start, stop = top(parts)
    cut, moved = start, 0
    for i in range(start, stop):
        if parts.right[i]:
            parts.buffer[moved] = parts.rows[i]
            moved += 1
        else:
            parts.rows[cut] = parts.rows[i]
            cut += 1
    for i in range(moved):
        parts.rows[cut + i] = parts.buffer[i]
    larger, smaller = parts.counts[OPEN] - 1, parts.counts[OPEN]
    if cut - start < moved:
        larger, smaller = smaller, larger
    parts.ends[larger, 0], parts.ends[larger, 1] = start, cut
    parts.ends[smaller, 0], parts.ends[smaller, 1] = cut, stop
    parts.counts[OPEN] += 1


@kernel
def close(parts):
    """Close the part on top as a group."""
    start, stop = top(parts)
    for i in range(start, stop):
        parts.labels[parts.rows[i]] = parts.counts[GROUPS]
    parts.counts[OPEN] -= 1
    parts.counts[GROUPS] += 1
    parts.counts[DONE] += stop - start

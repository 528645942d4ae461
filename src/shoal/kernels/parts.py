"""Parts of the records that are cut in two, again and again: a pile of those still open, and the groups made of them.

``rows`` holds the records of a part side by side, each part in the order of the rows. A method looks at the part
on top of the pile, says in ``right`` which of its records go to the right, and then divides or closes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import SLICE, kernel, part
from shoal.values import FloatMatrix, IntMatrix, IntVector, Progress

OPEN, GROUPS, DONE = range(3)
"""What ``counts`` counts: parts on the pile, groups so far, records in groups."""


class Parts(NamedTuple):
    """The state of a partition made by cuts; ``ends`` has the first place of each open part and the one after it."""

    matrix: FloatMatrix | IntMatrix
    labels: IntVector
    rows: IntVector
    spare: IntVector
    right: NDArray[np.bool_]
    ends: IntVector
    counts: IntVector


Step = Callable[[Parts, int], None]
"""Looks at about so many cells, or fewer where no part is open."""


def begin(matrix: FloatMatrix | IntMatrix) -> Parts:
    """One part: all records."""
    n = len(matrix)
    ends = np.zeros((n, 2), dtype=np.int64)  # as many parts as can be; what is never touched takes no memory
    ends[0, 1] = n
    labels, rows, spare = np.zeros(n, dtype=np.int64), np.arange(n), np.empty(n, dtype=np.int64)
    return Parts(matrix, labels, rows, spare, np.zeros(n, dtype=np.bool_), ends, np.array([1, 0, 0]))


def carry_on(parts: Parts, step: Step, *, progress: Progress) -> IntVector:
    """Call the step until no part is open; the labels."""
    while parts.counts[OPEN] > 0:
        step(parts, SLICE // 8)  # a step looks at each cell several times
        progress(int(parts.counts[DONE]), len(parts.labels))
    return parts.labels


@part
def top(parts):
    """The first place of the part on top, and the one after its last."""
    ends = parts.ends[parts.counts[OPEN] - 1]
    return ends[0], ends[1]


@kernel
def divide(parts):
    """Cut the part on top in two, as ``right`` says; the smaller of the two is the next on top."""
    start, stop = top(parts)
    middle, over = start, 0
    for i in range(start, stop):
        if parts.right[i]:
            parts.spare[over] = parts.rows[i]
            over += 1
        else:
            parts.rows[middle] = parts.rows[i]
            middle += 1
    for i in range(over):
        parts.rows[middle + i] = parts.spare[i]
    larger, smaller = parts.counts[OPEN] - 1, parts.counts[OPEN]
    if middle - start < over:
        larger, smaller = smaller, larger
    parts.ends[larger, 0], parts.ends[larger, 1] = start, middle
    parts.ends[smaller, 0], parts.ends[smaller, 1] = middle, stop
    parts.counts[OPEN] += 1


@kernel
def close(parts):
    """The part on top is a group."""
    start, stop = top(parts)
    for i in range(start, stop):
        parts.labels[parts.rows[i]] = parts.counts[GROUPS]
    parts.counts[OPEN] -= 1
    parts.counts[GROUPS] += 1
    parts.counts[DONE] += stop - start

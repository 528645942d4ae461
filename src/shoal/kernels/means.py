"""Two means: a part is cut across the line between the centroids of its two sides, round after round."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.groups import farthest_of, middle
from shoal.kernels.jit import kernel, part
from shoal.kernels.parts import OPEN, Parts, close, divide, top
from shoal.values import FloatMatrix, FloatVector, IntVector

ROUNDS = 10
"""Rounds of two means at most: later ones hardly move the cut."""
ROUND, CUT = range(2)
"""What ``whole`` holds: the rounds of the part on top so far, and the size of the left side of its best cut."""


class Line(NamedTuple):
    """The line between the centroids of the two sides, and the records in their order along it.

    ``center`` is the centroid of the part, ``axis`` leads from left to right, ``sums`` are the sums of the left
    side of the best cut, and ``gain`` is how much it lowers the SSE, but for a factor. ``keys`` and ``order``
    have a second row to sort with.
    """

    center: FloatVector
    axis: FloatVector
    sums: FloatVector
    gain: FloatVector
    whole: IntVector
    keys: FloatMatrix
    order: IntVector


def begin(parts: Parts) -> Line:
    """A line that no part has used yet."""
    n, p = parts.matrix.shape
    keys, order = np.empty((2, n)), np.empty((2, n), dtype=np.int64)
    return Line(np.zeros(p), np.zeros(p), np.zeros(p), np.zeros(1), np.zeros(2, dtype=np.int64), keys, order)


@kernel
def halves(parts, line, k, free, cells):
    """Cut parts of 2k and more records by two means; a part that takes long goes on in the next call.

    Parts of ``free`` records and more may be cut anywhere; in smaller ones no cut may cost a group of k.
    """
    while cells > 0 and parts.counts[OPEN] > 0:
        start, stop = top(parts)
        cells -= (len(line.center) + 20) * (stop - start)
        if stop - start < 2 * k:
            close(parts)
        else:
            if line.whole[ROUND] == 0:
                outermost(parts, line, k)
            line.whole[ROUND] += 1
            if not better(parts, line, k, free) or line.whole[ROUND] == ROUNDS:
                line.whole[ROUND] = 0
                divide(parts)


@kernel
def outermost(parts, line, k):
    """The first line leads from the record farthest from the centroid to the one farthest from that.

    Where nothing is gained by any cut, half of the groups go to each side.
    """
    start, stop = top(parts)
    rows = parts.rows[start:stop]
    line.center[:] = middle(parts.matrix, rows)
    left = parts.matrix[farthest_of(parts.matrix, rows, line.center)]
    right = parts.matrix[farthest_of(parts.matrix, rows, left)]
    for j in range(len(left)):
        line.axis[j] = right[j] - left[j]
    line.gain[0], line.whole[CUT] = 0.0, (stop - start) // k // 2 * k
    for i in range(stop - start):
        parts.right[start + i] = i >= line.whole[CUT]
        line.order[0, i] = i


@kernel
def better(parts, line, k, free):
    """Whether the best cut across the line gains more than the last one; if so, mark it and turn the line."""
    start, stop = top(parts)
    project(parts, line)
    sort(line, stop - start)
    before = line.gain[0]
    best_cut(parts, line, k, free)
    if not line.gain[0] > before:
        return False
    for i in range(stop - start):
        parts.right[start + line.order[0, i]] = i >= line.whole[CUT]
    for j in range(len(line.axis)):
        line.axis[j] = -line.sums[j]
    return True


@part
def project(parts, line):
    """Where the records of the part on top lie along the line; they stand in the order of the last line."""
    start, stop = top(parts)
    for i in range(stop - start):
        row, along = parts.rows[start + line.order[0, i]], 0.0
        for j in range(len(line.axis)):
            along += (parts.matrix[row, j] - line.center[j]) * line.axis[j]
        line.keys[0, i] = along


@kernel
def best_cut(parts, line, k, free):
    """The cut of this order that lowers the SSE most; of several, the first.

    Around the centroid the sums of both sides are opposite, so those of the left side tell the gain.
    """
    start, stop = top(parts)
    size, sums = stop - start, np.zeros(len(line.axis))
    for left in range(1, size - k + 1):
        row, gain = parts.rows[start + line.order[0, left - 1]], 0.0
        for j in range(len(sums)):
            sums[j] += parts.matrix[row, j] - line.center[j]
            gain += sums[j] * sums[j]
        if left >= k and (size >= free or left // k + (size - left) // k == size // k):
            gain /= left * (size - left)
            if gain > line.gain[0]:
                line.gain[0], line.whole[CUT] = gain, left
                line.sums[:] = sums


@kernel
def sort(line, size):
    """Order the first so many keys, equal ones as they stand: runs of 1, 2, 4, ... are merged."""
    run, source = 1, 0
    while run < size:
        for start in range(0, size, 2 * run):
            merge(line, source, start, min(start + run, size), min(start + 2 * run, size))
        run, source = 2 * run, 1 - source
    if source == 1:
        for i in range(size):
            line.keys[0, i], line.order[0, i] = line.keys[1, i], line.order[1, i]


@part
def merge(line, source, start, half, stop):
    """Merge two neighboring runs of one row into the other row."""
    keys, order = line.keys[source], line.order[source]
    a, b = start, half
    for i in range(start, stop):
        if a < half and (b >= stop or keys[a] <= keys[b]):
            line.keys[1 - source, i], line.order[1 - source, i] = keys[a], order[a]
            a += 1
        else:
            line.keys[1 - source, i], line.order[1 - source, i] = keys[b], order[b]
            b += 1

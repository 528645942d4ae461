"""Two means: a part is cut across the line between the centroids of its two sides, round after round."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.groups import farthest_of, middle
from shoal.kernels.jit import kernel, part
from shoal.kernels.parts import OPEN, close, divide, top
from shoal.kernels.space import add_costs, add_squares, copy
from shoal.values import FloatMatrix, FloatVector, IntVector, Space

ROUNDS = 10
"""Rounds of two means at most: later ones hardly move the cut."""
ROUND, CUT = range(2)
"""What ``whole`` holds: the rounds of the part on top so far, and the size of the left side of its best cut."""


class Line(NamedTuple):
    """The line between the centroids of the two sides, and the records in their order along it.

    ``center`` is the centroid of the part, ``axis`` leads from left to right, ``sums`` are the sums of the left
    side of the best cut, and ``gain`` is how much it lowers the SSE, but for a factor. ``keys`` and ``order``
    have a second row to sort with. Categories know no line: ``ends`` has the centers of both sides, and a record lies
    as far along as it is nearer to the one than to the other, ``pull`` times; ``costs`` and ``squares`` are those of
    the part and of the left side.
    """

    space: Space
    ends: FloatMatrix
    pull: FloatVector
    costs: FloatMatrix
    squares: FloatMatrix
    center: FloatVector
    axis: FloatVector
    sums: FloatVector
    gain: FloatVector
    whole: IntVector
    keys: FloatMatrix
    order: IntVector


def begin(space: Space) -> Line:
    """A line that no part has used yet."""
    n, p = space.matrix.shape
    nodes = len(space.sketch)
    return Line(
        space=space,
        ends=np.zeros((2, p)),
        pull=np.zeros(1),
        costs=np.zeros((2, nodes)),
        squares=np.zeros((2, nodes)),
        center=np.zeros(p),
        axis=np.zeros(space.numbers),
        sums=np.zeros(space.numbers),
        gain=np.zeros(1),
        whole=np.zeros(2, dtype=np.int64),
        keys=np.empty((2, n)),
        order=np.empty((2, n), dtype=np.int64),
    )


@kernel
def halves(parts, line, k, free, cells):
    """Cut parts of 2k and more records by two means; a part that takes long goes on in the next call.

    Parts of ``free`` records and more may be cut anywhere; in smaller ones no cut may cost a group of k.
    """
    while cells > 0 and parts.counts[OPEN] > 0:
        start, stop = top(parts)
        cells -= (len(line.center) + 2 * line.costs.shape[1] + 20) * (stop - start)
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
    copy(middle(line.space, rows), line.center)
    copy(parts.matrix[farthest_of(line.space, rows, line.center)], line.ends[0])
    copy(parts.matrix[farthest_of(line.space, rows, line.ends[0])], line.ends[1])
    line.pull[0] = 0.5
    for j in range(len(line.axis)):
        line.axis[j] = line.ends[1, j] - line.ends[0, j]
    line.costs[0], line.squares[0] = 0.0, 0.0
    for row in rows:
        add_costs(line.space, line.costs[0], parts.matrix[row], 1.0)
        add_squares(line.space, line.squares[0], parts.matrix[row], 1.0)
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
        line.keys[0, i] = along + line.pull[0] * nearer(line, parts.matrix[row])


@kernel
def nearer(line, record):
    """By how much the categories of a record are nearer to the right end than to the left one."""
    space, total = line.space, 0.0
    for j in range(len(space.widths)):
        row, at = space.starts[j] + space.widths[j] * int(record[space.numbers + j]), space.numbers + j
        total += space.square[row + int(line.ends[0, at])] - space.square[row + int(line.ends[1, at])]
    return total


@kernel
def best_cut(parts, line, k, free):
    """The cut of this order that lowers the SSE most; of several, the first.

    Around the centroid the sums of both sides are opposite, so those of the left side tell the gain.
    """
    start, stop = top(parts)
    size, sums, ends = stop - start, np.zeros(len(line.axis)), np.empty((2, len(line.space.widths)), dtype=np.int64)
    line.costs[1], line.squares[1] = 0.0, 0.0
    for left in range(1, size - k + 1):
        row, gain = parts.rows[start + line.order[0, left - 1]], 0.0
        add_costs(line.space, line.costs[1], parts.matrix[row], 1.0)
        add_squares(line.space, line.squares[1], parts.matrix[row], 1.0)
        for j in range(len(sums)):
            sums[j] += parts.matrix[row, j] - line.center[j]
            gain += sums[j] * sums[j]
        if left >= k and (size >= free or left // k + (size - left) // k == size // k):
            gain = gain / (left * (size - left)) + category_gain(line, ends) / size
            if gain > line.gain[0]:
                line.gain[0], line.whole[CUT], line.pull[0] = gain, left, 0.5 * left * (size - left) / size
                copy(sums, line.sums)
                for side in range(2):
                    copy(ends[side], line.ends[side, line.space.numbers :])


@kernel
def category_gain(line, ends):
    """By how much the categories lower the SSE if each side has its own center; these centers."""
    space, total = line.space, 0.0
    for j in range(len(space.widths)):
        first = space.first[j]
        whole, left, right = first, first, first
        for node in range(first, first + space.widths[j]):
            whole = node if line.costs[0, node] < line.costs[0, whole] else whole
            left = node if line.costs[1, node] < line.costs[1, left] else left
            closer = line.costs[0, node] - line.costs[1, node] < line.costs[0, right] - line.costs[1, right]
            right = node if closer else right
        rest = line.squares[0, right] - line.squares[1, right]
        total += line.squares[0, whole] - line.squares[1, left] - rest
        ends[0, j], ends[1, j] = left - first, right - first
    return total


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

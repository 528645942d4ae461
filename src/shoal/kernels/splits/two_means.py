"""Two-means splitting: cut a part across the line between the centroids of its two sides, in several rounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatMatrix, FloatVector, IntVector, Space
from shoal.kernels.centroids import centroid_of, farthest_from_point
from shoal.kernels.distance import add_costs, add_squares, copy
from shoal.kernels.jit import inline, kernel
from shoal.kernels.splits.recursion import OPEN, close, divide, top

MAX_ROUNDS = 10
"""Later rounds hardly move the cut."""
ROUND, CUT = range(2)
"""Places in ``counts``: rounds of the part on top so far, and size of the left side of its best cut."""


class TwoMeans(NamedTuple):
    """State of the part on top: the line between the centroids of its sides, and its records in order along it.

    ``center`` is the centroid of the part and ``axis`` the direction of the line, from left to right. ``sums`` are the
    sums of the left side of the best cut, and ``gain`` is the reduction of the SSE by it, up to a factor. ``keys`` and
    ``order`` have a second row to sort with. Categories have no line: ``centers`` has those of both sides, and the
    position of a record is how much nearer it is to the right one than to the left one, times ``category_weight``.
    Row 0 of ``costs`` and ``squares`` belongs to the part, row 1 to the left side.
    """

    space: Space
    centers: FloatMatrix
    category_weight: FloatVector
    costs: FloatMatrix
    squares: FloatMatrix
    center: FloatVector
    axis: FloatVector
    sums: FloatVector
    gain: FloatVector
    counts: IntVector
    keys: FloatMatrix
    order: IntVector


def init(space: Space) -> TwoMeans:
    """Return an empty state."""
    n, p = space.matrix.shape
    nodes = len(space.sketch)
    return TwoMeans(
        space=space,
        centers=np.zeros((2, p)),
        category_weight=np.zeros(1),
        costs=np.zeros((2, nodes)),
        squares=np.zeros((2, nodes)),
        center=np.zeros(p),
        axis=np.zeros(space.n_numeric),
        sums=np.zeros(space.n_numeric),
        gain=np.zeros(1),
        counts=np.zeros(2, dtype=np.int64),
        keys=np.empty((2, n)),
        order=np.empty((2, n), dtype=np.int64),
    )


@kernel
def split_two_means(parts, state, k, free, cells):
    """Split parts of 2k and more records by two means; a slow part continues in the next call.

    Parts of ``free`` records and more may be cut anywhere; in smaller ones no cut may cost a group of k.
    """
    while cells > 0 and parts.counts[OPEN] > 0:
        start, stop = top(parts)
        cells -= (len(state.center) + 2 * state.costs.shape[1] + 20) * (stop - start)
        if stop - start < 2 * k:
            close(parts)
        else:
            if state.counts[ROUND] == 0:
                start_line(parts, state, k)
            state.counts[ROUND] += 1
            if not improve_cut(parts, state, k, free) or state.counts[ROUND] == MAX_ROUNDS:
                state.counts[ROUND] = 0
                divide(parts)


@kernel
def start_line(parts, state, k):
    """Start with the line from the record farthest from the centroid to the record farthest from that one.

    Where no cut lowers the SSE, half of the groups go to each side.
    """
    start, stop = top(parts)
    rows = parts.rows[start:stop]
    copy(centroid_of(state.space, rows), state.center)
    copy(parts.matrix[farthest_from_point(state.space, rows, state.center)], state.centers[0])
    copy(parts.matrix[farthest_from_point(state.space, rows, state.centers[0])], state.centers[1])
    state.category_weight[0] = 0.5
    for j in range(len(state.axis)):
        state.axis[j] = state.centers[1, j] - state.centers[0, j]
    state.costs[0], state.squares[0] = 0.0, 0.0
    for row in rows:
        add_costs(state.space, state.costs[0], parts.matrix[row], 1.0)
        add_squares(state.space, state.squares[0], parts.matrix[row], 1.0)
    state.gain[0], state.counts[CUT] = 0.0, (stop - start) // k // 2 * k
    for i in range(stop - start):
        parts.right[start + i] = i >= state.counts[CUT]
        state.order[0, i] = i


@kernel
def improve_cut(parts, state, k, free):
    """Mark the best cut across the line and update the line; return False if the last cut was as good."""
    start, stop = top(parts)
    project(parts, state)
    sort(state, stop - start)
    last_gain = state.gain[0]
    find_best_cut(parts, state, k, free)
    if not state.gain[0] > last_gain:
        return False
    for i in range(stop - start):
        parts.right[start + state.order[0, i]] = i >= state.counts[CUT]
    for j in range(len(state.axis)):
        state.axis[j] = -state.sums[j]
    return True


@inline
def project(parts, state):
    """Compute the positions of the records of the part on top along the line, in the order of the last round."""
    start, stop = top(parts)
    for i in range(stop - start):
        row, position = parts.rows[start + state.order[0, i]], 0.0
        for j in range(len(state.axis)):
            position += (parts.matrix[row, j] - state.center[j]) * state.axis[j]
        state.keys[0, i] = position + state.category_weight[0] * category_position(state, parts.matrix[row])


@kernel
def category_position(state, record):
    """Return how much nearer the categories of a record are to the right center than to the left one."""
    space, total = state.space, 0.0
    for j in range(len(space.widths)):
        row, column = space.table_offsets[j] + space.widths[j] * int(record[space.n_numeric + j]), space.n_numeric + j
        total += (
            space.squared_distances[row + int(state.centers[0, column])]
            - space.squared_distances[row + int(state.centers[1, column])]
        )
    return total


@kernel
def find_best_cut(parts, state, k, free):
    """Find the cut of this order that lowers the SSE most; ties go to the first.

    Around the centroid the sums of the two sides are opposite, so the sums of the left side give the reduction.
    """
    start, stop = top(parts)
    size, sums = stop - start, np.zeros(len(state.axis))
    centers = np.empty((2, len(state.space.widths)), dtype=np.int64)
    state.costs[1], state.squares[1] = 0.0, 0.0
    for left in range(1, size - k + 1):
        row, gain = parts.rows[start + state.order[0, left - 1]], 0.0
        add_costs(state.space, state.costs[1], parts.matrix[row], 1.0)
        add_squares(state.space, state.squares[1], parts.matrix[row], 1.0)
        for j in range(len(sums)):
            sums[j] += parts.matrix[row, j] - state.center[j]
            gain += sums[j] * sums[j]
        if left >= k and (size >= free or left // k + (size - left) // k == size // k):
            gain = gain / (left * (size - left)) + category_gain(state, centers) / size
            if gain > state.gain[0]:
                state.gain[0], state.counts[CUT] = gain, left
                state.category_weight[0] = 0.5 * left * (size - left) / size
                copy(sums, state.sums)
                for side in range(2):
                    copy(centers[side], state.centers[side, state.space.n_numeric :])


@kernel
def category_gain(state, centers):
    """Return by how much separate centers lower the SSE of the categories; write these centers."""
    space, total = state.space, 0.0
    for j in range(len(space.widths)):
        first = space.node_offsets[j]
        parent, left, right = first, first, first
        for node in range(first, first + space.widths[j]):
            parent = node if state.costs[0, node] < state.costs[0, parent] else parent
            left = node if state.costs[1, node] < state.costs[1, left] else left
            closer = state.costs[0, node] - state.costs[1, node] < state.costs[0, right] - state.costs[1, right]
            right = node if closer else right
        rest = state.squares[0, right] - state.squares[1, right]
        total += state.squares[0, parent] - state.squares[1, left] - rest
        centers[0, j], centers[1, j] = left - first, right - first
    return total


@kernel
def sort(state, size):
    """Sort the first ``size`` keys by a stable merge sort."""
    run, source = 1, 0
    while run < size:
        for start in range(0, size, 2 * run):
            merge_runs(state, source, start, min(start + run, size), min(start + 2 * run, size))
        run, source = 2 * run, 1 - source
    if source == 1:
        for i in range(size):
            state.keys[0, i], state.order[0, i] = state.keys[1, i], state.order[1, i]


@inline
def merge_runs(state, source, start, half, stop):
    """Merge two neighboring runs of one row into the other row."""
    keys, order = state.keys[source], state.order[source]
    a, b = start, half
    for i in range(start, stop):
        if a < half and (b >= stop or keys[a] <= keys[b]):
            state.keys[1 - source, i], state.order[1 - source, i] = keys[a], order[a]
            a += 1
        else:
            state.keys[1 - source, i], state.order[1 - source, i] = keys[b], order[b]
            b += 1

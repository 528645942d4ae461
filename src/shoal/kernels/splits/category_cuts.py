"""Cuts between categories: choose a column and a run of its nodes, and mark the tuples with one of them.

A part consists of tuples of categories, so equal records stay together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import FloatVector, IntVector, Tuples
from shoal.kernels.box_tree.box_tree import widest_column
from shoal.kernels.jit import inline, kernel
from shoal.kernels.splits.recursion import OPEN, close, divide, top
from shoal.kernels.tuples.tuple_distance import find_center, tuple_distance


class CategoryCuts(NamedTuple):
    """State of the part on top; in arrays by node, those of column j start at ``first[j]``.

    ``records`` counts the records at each node, ``costs`` is the cost of each node as the center, and ``center`` has
    the nodes of least cost. ``other`` is the sum, over the records at a node, of their distance to the center in all
    other columns. ``run_costs`` and ``rest_costs`` are the costs of a run of nodes, ``run[0]`` to ``run[1]``, and of
    the rest of a column. ``cells`` counts the cells processed.
    """

    first: IntVector
    records: IntVector
    costs: FloatVector
    center: IntVector
    other: FloatVector
    run_costs: FloatVector
    rest_costs: FloatVector
    run: IntVector
    cells: IntVector


class CategoryBranches(NamedTuple):
    """Runs of nodes that may be cut off, from ``low`` to ``high``.

    Each column has two choices; the second is tried where no run of any first choice is allowed. ``first`` tells where
    the runs start: of the first choice of each column, then of the second choice of each, then the end.
    """

    first: IntVector
    low: IntVector
    high: IntVector


def init(tuples: Tuples) -> CategoryCuts:
    """Return an empty state."""
    nodes, widest = int(tuples.widths.sum()), int(tuples.widths.max())
    return CategoryCuts(
        first=np.cumsum(tuples.widths) - tuples.widths,
        records=np.zeros(nodes, dtype=np.int64),
        costs=np.zeros(nodes),
        center=np.zeros(len(tuples.widths), dtype=np.int64),
        other=np.zeros(nodes),
        run_costs=np.zeros(widest),
        rest_costs=np.zeros(widest),
        run=np.zeros(2, dtype=np.int64),
        cells=np.zeros(1, dtype=np.int64),
    )


@kernel
def split_at_center(parts, tuples, state, k, cells):
    """Split parts beside the value at the center of a column."""
    state.cells[0] = 0
    while state.cells[0] < cells and parts.counts[OPEN] > 0:
        size = count_records(parts, tuples, state)
        if size >= 2 * k and center_cut(parts, tuples, state, k, size):
            divide(parts)
        else:
            close(parts)


@kernel
def split_at_gap(parts, tuples, state, k, persistent, cells):
    """Split parts where two neighboring values of a column are farthest apart."""
    state.cells[0] = 0
    while state.cells[0] < cells and parts.counts[OPEN] > 0:
        size = count_records(parts, tuples, state)
        if size >= 2 * k and gap_cut(parts, tuples, state, k, size, persistent):
            divide(parts)
        else:
            close(parts)


@kernel
def split_at_branch(parts, tuples, state, branches, k, cells):
    """Split off the branch that lowers the SSE most."""
    state.cells[0] = 0
    while state.cells[0] < cells and parts.counts[OPEN] > 0:
        size = count_records(parts, tuples, state)
        if size >= 2 * k and branch_cut(parts, tuples, state, branches, k, size):
            divide(parts)
        else:
            close(parts)


@inline
def count_records(parts, tuples, state):
    """Return the number of records of the part on top."""
    start, stop = top(parts)
    size = 0
    for i in range(start, stop):
        size += tuples.counts[parts.rows[i]]
    state.cells[0] += stop - start
    return size


@kernel
def tabulate(parts, tuples, state):
    """Compute the state of the part on top, except ``other``."""
    start, stop = top(parts)
    state.records[:] = 0
    state.costs[:] = 0.0
    for i in range(start, stop):
        t = parts.rows[i]
        for j in range(len(state.first)):
            state.records[state.first[j] + tuples.codes[t, j]] += tuples.counts[t]
    for j in range(len(state.first)):
        first, width = state.first[j], tuples.widths[j]
        add_costs(tuples, state, j, 0, width - 1, state.costs[first : first + width])
    find_center(tuples, state.costs, state.center)
    state.cells[0] += (stop - start) * len(state.first)


@kernel
def add_costs(tuples, state, j, low, high, costs):
    """Add the cost of each node of column j as the center of the records at nodes ``low`` to ``high``."""
    width = tuples.widths[j]
    for code in range(low, high + 1):
        records = state.records[state.first[j] + code]
        if records > 0:
            row = tuples.table_offsets[j] + code * width
            for node in range(width):
                costs[node] += records * tuples.distance[row + node]
            state.cells[0] += width


@kernel
def distance_sums(state):
    """Return, for each column, the sum of distances to its center."""
    sums = np.empty(len(state.first))
    for j in range(len(sums)):
        sums[j] = state.costs[state.first[j] + state.center[j]]
    return sums


@kernel
def center_cut(parts, tuples, state, k, size):
    """Mark a cut before the central value of a column, else after it; return whether there is one.

    Columns are tried in descending order of their distance sums.
    """
    tabulate(parts, tuples, state)
    sums = distance_sums(state)
    for _ in range(len(sums)):
        j = widest_column(sums)
        sums[j] = -1.0
        value = central_value(tuples, state, j)
        below = 0
        for code in range(value):
            below += state.records[state.first[j] + code]
        if below >= k and size - below >= k:
            mark_right(parts, tuples, j, 0, value - 1)
            return True
        below += state.records[state.first[j] + value]
        if below >= k and size - below >= k:
            mark_right(parts, tuples, j, 0, value)
            return True
    return False


@inline
def central_value(tuples, state, j):
    """Return the occurring value of column j with the least cost as the center; ties go to the first."""
    value, lowest = 0, np.inf
    for code in range(tuples.widths[j]):
        cost = state.costs[state.first[j] + code]
        if state.records[state.first[j] + code] > 0 and cost < lowest:
            value, lowest = code, cost
    return value


@kernel
def gap_cut(parts, tuples, state, k, size, persistent):
    """Mark a cut in the widest gap of a column; return whether there is one.

    Columns are tried in descending order of their distance sums. If ``persistent``, gaps with fewer than k records on a
    side are skipped.
    """
    tabulate(parts, tuples, state)
    sums = distance_sums(state)
    for _ in range(len(sums)):
        j = widest_column(sums)
        sums[j] = -1.0
        after, smaller = widest_gap(tuples, state, j, size, k if persistent else 0)
        if smaller >= k:
            mark_right(parts, tuples, j, 0, after)
            return True
    return False


@kernel
def widest_gap(tuples, state, j, size, k):
    """Return the value before the widest gap of column j with k records on both sides, and the smaller side.

    Of equally wide gaps the one with the largest smaller side wins, or the first if k is 0.
    """
    after, widest, fewest, before, below = -1, -1.0, 0, -1, 0
    for code in range(tuples.widths[j]):
        records = state.records[state.first[j] + code]
        if records > 0:
            smaller = min(below, size - below)
            gap = tuples.distance[tuples.table_offsets[j] + before * tuples.widths[j] + code] if before >= 0 else -1.0
            if smaller >= k and (gap > widest or (gap == widest and k > 0 and smaller > fewest)):
                after, widest, fewest = before, gap, smaller
            before, below = code, below + records
    return after, fewest


@kernel
def branch_cut(parts, tuples, state, branches, k, size):
    """Mark the branch that lowers the SSE most, with k records inside and outside; return whether there is one.

    The reduction by a branch of a column is computed as if the center stayed the same in all other columns.
    """
    tabulate(parts, tuples, state)
    tabulate_other(parts, tuples, state)
    columns = len(state.first)
    best, column, lowest = -1, 0, np.inf
    for choice in range(2 * columns):
        if choice == columns and best >= 0:
            break
        j = choice % columns
        unsplit = column_error(tuples, state, j, 0, tuples.widths[j] - 1, state.center[j])
        state.run[0] = -1
        for b in range(branches.first[choice], branches.first[choice + 1]):
            inside = records_between(state, j, branches.low[b], branches.high[b])
            if inside >= k and size - inside >= k:
                change = split_error(tuples, state, j, branches.low[b], branches.high[b]) - unsplit
                if change < lowest:
                    best, column, lowest = b, j, change
    if best >= 0:
        mark_right(parts, tuples, column, branches.low[best], branches.high[best])
    return best >= 0


@inline
def records_between(state, j, low, high):
    """Return the number of records at nodes ``low`` to ``high`` of column j."""
    records = 0
    for code in range(low, high + 1):
        records += state.records[state.first[j] + code]
    state.cells[0] += max(0, high + 1 - low)
    return records


@kernel
def tabulate_other(parts, tuples, state):
    """Compute ``other`` of the state."""
    start, stop = top(parts)
    state.other[:] = 0.0
    for i in range(start, stop):
        t = parts.rows[i]
        distance = tuple_distance(tuples, t, state.center)
        for j in range(len(state.first)):
            code, width = tuples.codes[t, j], tuples.widths[j]
            own_column = tuples.distance[tuples.table_offsets[j] + code * width + state.center[j]]
            state.other[state.first[j] + code] += tuples.counts[t] * (distance - own_column)


@kernel
def split_error(tuples, state, j, low, high):
    """Return the squared error of column j with one center for a run of its nodes and one for the rest."""
    first, width = state.first[j], tuples.widths[j]
    if state.run[0] != low or state.run[1] > high:
        state.run_costs[:width] = 0.0
        state.run[0], state.run[1] = low, low - 1
    add_costs(tuples, state, j, state.run[1] + 1, high, state.run_costs)
    state.run[1] = high
    run_center, rest_center = 0, 0
    for node in range(width):
        state.rest_costs[node] = state.costs[first + node] - state.run_costs[node]
        run_center = node if state.run_costs[node] < state.run_costs[run_center] else run_center
        rest_center = node if state.rest_costs[node] < state.rest_costs[rest_center] else rest_center
    state.cells[0] += 2 * width
    inside = column_error(tuples, state, j, low, high, run_center)
    below = column_error(tuples, state, j, 0, low - 1, rest_center)
    return inside + below + column_error(tuples, state, j, high + 1, width - 1, rest_center)


@kernel
def column_error(tuples, state, j, low, high, center):
    """Return what the records at nodes of column j add to the SSE beyond the other columns."""
    total = 0.0
    for code in range(low, high + 1):
        node = state.first[j] + code
        if state.records[node] > 0:
            distance = tuples.distance[tuples.table_offsets[j] + code * tuples.widths[j] + center]
            total += distance * (state.records[node] * distance + 2.0 * state.other[node])
    state.cells[0] += max(0, high + 1 - low)
    return total


@kernel
def mark_right(parts, tuples, j, low, high):
    """Mark for the right side the tuples with a node from ``low`` to ``high`` in column j."""
    start, stop = top(parts)
    for i in range(start, stop):
        code = tuples.codes[parts.rows[i], j]
        parts.right[i] = low <= code and code <= high

"""Cuts between categories: choose a column and a run of its nodes, and mark the combinations that have one of them.

A part is made of combinations of categories, so equal records stay together. What is known about the part on top lies
in a view, for every node of every column one after another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.jit import kernel, part
from shoal.kernels.meaning import apart, find_center
from shoal.kernels.parts import OPEN, close, divide, top
from shoal.kernels.tree import widest
from shoal.values import FloatVector, IntVector, Tuples


class View(NamedTuple):
    """The part on top: its records at each node, what each node would cost as the center, and the center.

    The nodes of column j begin at ``first[j]``. ``other`` is the sum, over the records at a node, of their distance to
    the center in all other columns. ``within`` and ``without`` are the costs of a run of nodes, from ``run[0]`` to
    ``run[1]``, and of the rest of a column. ``seen`` counts the cells looked at.
    """

    first: IntVector
    records: IntVector
    costs: FloatVector
    center: IntVector
    other: FloatVector
    within: FloatVector
    without: FloatVector
    run: IntVector
    seen: IntVector


class Branches(NamedTuple):
    """Runs of nodes that may be cut off, from ``low`` to ``high``, column after column.

    There are two for each column, of which those of the second choice are tried where none of the first is allowed:
    ``first`` tells where the runs of the first choice begin in each column, then those of the second, then the end.
    """

    first: IntVector
    low: IntVector
    high: IntVector


def begin(tuples: Tuples) -> View:
    """A view of nothing yet."""
    nodes, most = int(tuples.widths.sum()), int(tuples.widths.max())
    return View(
        first=np.cumsum(tuples.widths) - tuples.widths,
        records=np.zeros(nodes, dtype=np.int64),
        costs=np.zeros(nodes),
        center=np.zeros(len(tuples.widths), dtype=np.int64),
        other=np.zeros(nodes),
        within=np.zeros(most),
        without=np.zeros(most),
        run=np.zeros(2, dtype=np.int64),
        seen=np.zeros(1, dtype=np.int64),
    )


@kernel
def at_center(parts, tuples, view, k, cells):
    """Cut parts beside the value at the center of a column."""
    view.seen[0] = 0
    while view.seen[0] < cells and parts.counts[OPEN] > 0:
        size = weigh(parts, tuples, view)
        if size >= 2 * k and center_cut(parts, tuples, view, k, size):
            divide(parts)
        else:
            close(parts)


@kernel
def at_gap(parts, tuples, view, k, persistent, cells):
    """Cut parts where two neighboring values of a column are furthest apart."""
    view.seen[0] = 0
    while view.seen[0] < cells and parts.counts[OPEN] > 0:
        size = weigh(parts, tuples, view)
        if size >= 2 * k and gap_cut(parts, tuples, view, k, size, persistent):
            divide(parts)
        else:
            close(parts)


@kernel
def at_branch(parts, tuples, view, branches, k, cells):
    """Cut off the branch that lowers the squared error most."""
    view.seen[0] = 0
    while view.seen[0] < cells and parts.counts[OPEN] > 0:
        size = weigh(parts, tuples, view)
        if size >= 2 * k and branch_cut(parts, tuples, view, branches, k, size):
            divide(parts)
        else:
            close(parts)


@part
def weigh(parts, tuples, view):
    """The number of records of the part on top."""
    start, stop = top(parts)
    size = 0
    for i in range(start, stop):
        size += tuples.counts[parts.rows[i]]
    view.seen[0] += stop - start
    return size


@kernel
def look(parts, tuples, view):
    """Fill the view of the part on top, but for ``other``."""
    start, stop = top(parts)
    view.records[:] = 0
    view.costs[:] = 0.0
    for i in range(start, stop):
        t = parts.rows[i]
        for j in range(len(view.first)):
            view.records[view.first[j] + tuples.codes[t, j]] += tuples.counts[t]
    for j in range(len(view.first)):
        first, width = view.first[j], tuples.widths[j]
        gather(tuples, view, j, 0, width - 1, view.costs[first : first + width])
    find_center(tuples, view.costs, view.center)
    view.seen[0] += (stop - start) * len(view.first)


@kernel
def gather(tuples, view, j, low, high, costs):
    """Add what each node of column j would cost as the center of the records at some of its nodes."""
    width = tuples.widths[j]
    for code in range(low, high + 1):
        records = view.records[view.first[j] + code]
        if records > 0:
            row = tuples.starts[j] + code * width
            for node in range(width):
                costs[node] += records * tuples.distance[row + node]
            view.seen[0] += width


@kernel
def spreads(view):
    """For each column the sum of the distances to its center."""
    spread = np.empty(len(view.first))
    for j in range(len(spread)):
        spread[j] = view.costs[view.first[j] + view.center[j]]
    return spread


@kernel
def center_cut(parts, tuples, view, k, size):
    """Mark a cut before the value at the center of the column of most spread, else after it, else in the next column.

    Whether there is one.
    """
    look(parts, tuples, view)
    spread = spreads(view)
    for _ in range(len(spread)):
        j = widest(spread)
        spread[j] = -1.0
        value = central(tuples, view, j)
        below = 0
        for code in range(value):
            below += view.records[view.first[j] + code]
        if below >= k and size - below >= k:
            mark(parts, tuples, j, 0, value - 1)
            return True
        below += view.records[view.first[j] + value]
        if below >= k and size - below >= k:
            mark(parts, tuples, j, 0, value)
            return True
    return False


@part
def central(tuples, view, j):
    """The value of column j that costs least as the center; of several, the first."""
    value, least = 0, np.inf
    for code in range(tuples.widths[j]):
        cost = view.costs[view.first[j] + code]
        if view.records[view.first[j] + code] > 0 and cost < least:
            value, least = code, cost
    return value


@kernel
def gap_cut(parts, tuples, view, k, size, persistent):
    """Mark a cut in the widest gap of the column of most spread, else in the next column; whether there is one.

    If persistent, gaps that leave fewer than k records on a side are passed over.
    """
    look(parts, tuples, view)
    spread = spreads(view)
    for _ in range(len(spread)):
        j = widest(spread)
        spread[j] = -1.0
        after, least = widest_gap(tuples, view, j, size, k if persistent else 0)
        if least >= k:
            mark(parts, tuples, j, 0, after)
            return True
    return False


@kernel
def widest_gap(tuples, view, j, size, k):
    """The value before the widest gap of column j with k records on both sides, and the fewer of those on a side.

    Of equally wide gaps it is the one with the most records on the smaller side, or the first if k is 0.
    """
    after, wide, least, before, below = -1, -1.0, 0, -1, 0
    for code in range(tuples.widths[j]):
        records = view.records[view.first[j] + code]
        if records > 0:
            smaller = min(below, size - below)
            gap = tuples.distance[tuples.starts[j] + before * tuples.widths[j] + code] if before >= 0 else -1.0
            if smaller >= k and (gap > wide or (gap == wide and k > 0 and smaller > least)):
                after, wide, least = before, gap, smaller
            before, below = code, below + records
    return after, least


@kernel
def branch_cut(parts, tuples, view, branches, k, size):
    """Mark the branch, with k records in it and k in the rest, that saves most of the squared error; if there is one.

    What a branch of a column saves is counted as if the center stayed where it is in all other columns.
    """
    look(parts, tuples, view)
    look_across(parts, tuples, view)
    columns = len(view.first)
    best, column, least = -1, 0, np.inf
    for choice in range(2 * columns):
        if choice == columns and best >= 0:
            break
        j = choice % columns
        stays = error(tuples, view, j, 0, tuples.widths[j] - 1, view.center[j])
        view.run[0] = -1
        for b in range(branches.first[choice], branches.first[choice + 1]):
            inside = held(view, j, branches.low[b], branches.high[b])
            if inside >= k and size - inside >= k:
                change = parted(tuples, view, j, branches.low[b], branches.high[b]) - stays
                if change < least:
                    best, column, least = b, j, change
    if best >= 0:
        mark(parts, tuples, column, branches.low[best], branches.high[best])
    return best >= 0


@part
def held(view, j, low, high):
    """The records at some nodes of column j."""
    records = 0
    for code in range(low, high + 1):
        records += view.records[view.first[j] + code]
    view.seen[0] += max(0, high + 1 - low)
    return records


@kernel
def look_across(parts, tuples, view):
    """Fill ``other`` of the view."""
    start, stop = top(parts)
    view.other[:] = 0.0
    for i in range(start, stop):
        t = parts.rows[i]
        away = apart(tuples, t, view.center)
        for j in range(len(view.first)):
            code, width = tuples.codes[t, j], tuples.widths[j]
            own = tuples.distance[tuples.starts[j] + code * width + view.center[j]]
            view.other[view.first[j] + code] += tuples.counts[t] * (away - own)


@kernel
def parted(tuples, view, j, low, high):
    """The squared error of column j with one center for a run of its nodes and another for the rest."""
    first, width = view.first[j], tuples.widths[j]
    if view.run[0] != low or view.run[1] > high:
        view.within[:width] = 0.0
        view.run[0], view.run[1] = low, low - 1
    gather(tuples, view, j, view.run[1] + 1, high, view.within)
    view.run[1] = high
    here, there = 0, 0
    for node in range(width):
        view.without[node] = view.costs[first + node] - view.within[node]
        here = node if view.within[node] < view.within[here] else here
        there = node if view.without[node] < view.without[there] else there
    view.seen[0] += 2 * width
    inside = error(tuples, view, j, low, high, here)
    below = error(tuples, view, j, 0, low - 1, there)
    return inside + below + error(tuples, view, j, high + 1, width - 1, there)


@kernel
def error(tuples, view, j, low, high, center):
    """What the records at some nodes of column j add to the squared error, beyond what the other columns do."""
    total = 0.0
    for code in range(low, high + 1):
        if view.records[view.first[j] + code] > 0:
            away = tuples.distance[tuples.starts[j] + code * tuples.widths[j] + center]
            total += away * (view.records[view.first[j] + code] * away + 2.0 * view.other[view.first[j] + code])
    view.seen[0] += max(0, high + 1 - low)
    return total


@kernel
def mark(parts, tuples, j, low, high):
    """To one side go the combinations of the part on top that have one of these nodes in column j."""
    start, stop = top(parts)
    for i in range(start, stop):
        code = tuples.codes[parts.rows[i], j]
        parts.right[i] = low <= code and code <= high

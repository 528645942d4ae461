"""Cuts that leave the least extent: between the values of a column, and one value against all others.

The extent of some records in a column is the share of the column that they cover: of its range where the column has an
order, else of its values. For each column that may be cut, the records of a part are gathered by its values; what they
cover is then added up from the front and from the back, which tells the extents of both sides of every cut at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.grid import BUCKETS, Grid, Ranks, View, allowed, look
from shoal.kernels.grid import begin as view_of
from shoal.kernels.jit import kernel, part
from shoal.kernels.parts import OPEN, close, divide, top
from shoal.values import BoolVector, FloatMatrix, FloatVector, IntMatrix, IntVector

BITS = 62
"""Values in a word, a bit for each; what remains free keeps sums of words from overflowing."""
MANY = 2**62
"""Above every rank."""
FRONT, BACK, ALONE, OTHERS = range(4)
"""The sides of cuts at a value: up to it, from it on, the value itself, all others."""


class Shares(NamedTuple):
    """How columns count: whether they have an order, and the extent of one unit of their range or of one more value."""

    ordered: BoolVector
    share: FloatVector


class Sweep(NamedTuple):
    """The part on top: ranks and records column by column; then by value of one column; then all its cuts.

    ``spot`` tells the value of each combination, ``records``, ``low`` and ``high`` the records and ranks of each value:
    where a part has many ranks, neighbors stand together for one. ``sides`` has the extents of the sides, and ``box``
    is room to add them up. A cut puts the ranks ``first`` to ``last`` of its column on one side.
    """

    ranks: Ranks
    counts: IntVector
    spot: IntVector
    records: IntVector
    low: IntVector
    high: IntVector
    sides: FloatMatrix
    box: IntMatrix
    score: FloatVector
    column: IntVector
    first: IntVector
    last: IntVector


def shares(grid: Grid, ordered: BoolVector, weights: FloatVector) -> Shares:
    """How the columns of a grid count by their weights; a column of one value counts nothing."""
    ends = grid.values[grid.first[:-1]], grid.values[grid.first[1:] - 1]
    whole = np.where(ordered, ends[1] - ends[0], np.diff(grid.first) - 1.0)
    return Shares(ordered, np.divide(weights / weights.sum(), whole, out=np.zeros_like(whole), where=whole > 0))


def begin(grid: Grid) -> tuple[View, Sweep]:
    """Nothing seen yet."""
    combinations, columns = grid.ranks.shape
    cuts = 2 * BUCKETS * columns

    def whole(*size: int) -> IntMatrix:
        return np.zeros(size, dtype=np.int64)

    return view_of(grid), Sweep(
        ranks=np.zeros((columns, combinations), dtype=np.int32),
        counts=whole(combinations),
        spot=whole(combinations),
        records=whole(BUCKETS),
        low=whole(BUCKETS),
        high=whole(BUCKETS),
        sides=np.zeros((4, BUCKETS)),
        box=whole(4, BUCKETS),
        score=np.zeros(cuts),
        column=whole(cuts),
        first=whole(cuts),
        last=whole(cuts),
    )


@kernel
def least(parts, grid, shares, seen, k, cells):
    """Cut parts where that leaves the least extent, until no cut is allowed."""
    view, sweep = seen
    while cells > 0 and parts.counts[OPEN] > 0:
        size = look(parts, grid, view)
        start, stop = top(parts)
        cells -= (stop - start) * len(view.wide)
        cuts = 0
        if size >= 2 * k:
            fetch(parts, grid, sweep)
            cuts = find_cuts(grid, shares, seen, stop - start, k)
            cells -= (stop - start) * len(view.wide) ** 2
        if best_cut(parts, grid, sweep, cuts):
            divide(parts)
        else:
            close(parts)


@kernel
def fetch(parts, grid, sweep):
    """Lay the ranks of the part on top side by side, column by column."""
    start, stop = top(parts)
    for i in range(stop - start):
        t = parts.rows[start + i]
        sweep.counts[i] = grid.counts[t]
        for j in range(grid.ranks.shape[1]):
            sweep.ranks[j, i] = grid.ranks[t, j]


@kernel
def find_cuts(grid, shares, seen, combinations, k):
    """All cuts of the part on top with k records on both sides, and their scores; the number of cuts."""
    view, sweep = seen
    cuts = 0
    for j in range(len(view.low)):
        if view.low[j] < view.high[j]:
            values = gather(sweep, j, view.low[j], view.high[j], combinations)
            for x in range(values):
                for side in range(4):
                    sweep.sides[side, x] = 0.0
            for c in range(len(view.low)):
                if view.low[c] < view.high[c]:
                    extend(grid, shares, seen, c, combinations, values)
            cuts = note(sweep, j, shares.ordered[j], values, k, cuts)
    return cuts


@kernel
def gather(sweep, j, low, high, combinations):
    """The records and ranks of each value of column j, in ascending order; the number of values."""
    shift = 0
    while (high - low) >> shift >= BUCKETS:
        shift += 1
    sweep.records[: ((high - low) >> shift) + 1] = 0
    for i in range(combinations):
        sweep.records[(sweep.ranks[j, i] - low) >> shift] += sweep.counts[i]
    values, number = 0, sweep.box[0]
    for x in range(((high - low) >> shift) + 1):
        if sweep.records[x] > 0:
            sweep.records[values], number[x] = sweep.records[x], values
            sweep.low[values], sweep.high[values] = low + (x << shift), low + ((x + 1) << shift) - 1
            values += 1
    for i in range(combinations):
        sweep.spot[i] = number[(sweep.ranks[j, i] - low) >> shift]
    return values


@kernel
def extend(grid, shares, seen, c, combinations, values):
    """Add to the sides at each value what they cover of column c."""
    view, sweep = seen
    sides, spot, ranks = sweep.sides[:, :values], sweep.spot[:combinations], sweep.ranks[c]
    if shares.ordered[c]:
        reach = grid.values[grid.first[c] : grid.first[c + 1]]
        add_ranges(sides, sweep.box, spot, ranks, reach, shares.share[c])
    else:
        lowest = view.low[c] // BITS
        for word in range(lowest, view.high[c] // BITS + 1):
            add_values(sides, sweep.box, spot, ranks, word, shares.share[c])
        sides -= shares.share[c]  # one value covers nothing


@kernel
def add_ranges(sides, box, spot, ranks, reach, share):
    """Add what the sides cover of a column with an order: the reach between their lowest and highest rank."""
    values = sides.shape[1]
    box[0, :values], box[1, :values] = MANY, -1
    for i in range(len(spot)):
        x = spot[i]
        box[0, x], box[1, x] = min(box[0, x], ranks[i]), max(box[1, x], ranks[i])
    low, high = MANY, -1
    for x in range(values):
        sides[ALONE, x] += share * (reach[box[1, x]] - reach[box[0, x]])
        box[2, x], box[3, x] = low, high
        low, high = min(low, box[0, x]), max(high, box[1, x])
        sides[FRONT, x] += share * (reach[high] - reach[low])
    low, high = MANY, -1
    for x in range(values - 1, -1, -1):
        sides[OTHERS, x] += share * (reach[max(high, box[3, x])] - reach[min(low, box[2, x])])
        low, high = min(low, box[0, x]), max(high, box[1, x])
        sides[BACK, x] += share * (reach[high] - reach[low])


@kernel
def add_values(sides, box, spot, ranks, word, share):
    """Add what the sides cover of a column without an order: the number of their values, of those in one word."""
    values = sides.shape[1]
    box[0, :values] = 0
    for i in range(len(spot)):
        if ranks[i] // BITS == word:
            box[0, spot[i]] |= np.int64(1) << np.int64(ranks[i] % BITS)
    held = np.int64(0)
    for x in range(values):
        sides[ALONE, x] += share * ones(box[0, x])
        box[1, x] = held
        held |= box[0, x]
        sides[FRONT, x] += share * ones(held)
    held = np.int64(0)
    for x in range(values - 1, -1, -1):
        sides[OTHERS, x] += share * ones(held | box[1, x])
        held |= box[0, x]
        sides[BACK, x] += share * ones(held)


@kernel
def ones(word):
    """The number of bits that are set."""
    word = word - (word >> 1 & 0x5555555555555555)
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word = word + (word >> 8)
    word = word + (word >> 16)
    return (word + (word >> 32)) & 127


@kernel
def note(sweep, j, ordered, values, k, cuts):
    """Note the cuts of column j with k records on both sides; the number of cuts so far."""
    size, left = 0, 0
    for x in range(values):
        size += sweep.records[x]
    for x in range(values - 1):
        left += sweep.records[x]
        if left >= k and size - left >= k:
            sweep.score[cuts] = rate(sweep.sides[FRONT, x], left, k) + rate(sweep.sides[BACK, x + 1], size - left, k)
            sweep.column[cuts], sweep.first[cuts], sweep.last[cuts] = j, sweep.low[0], sweep.high[x]
            cuts += 1
    for x in range(0 if ordered else values):
        alone = sweep.records[x]
        if alone >= k and size - alone >= k:
            sweep.score[cuts] = rate(sweep.sides[ALONE, x], alone, k) + rate(sweep.sides[OTHERS, x], size - alone, k)
            sweep.column[cuts], sweep.first[cuts], sweep.last[cuts] = j, sweep.low[x], sweep.high[x]
            cuts += 1
    return cuts


@part
def rate(extent, records, k):
    """The extent of all records of a side, of which those beyond a multiple of k count twice."""
    return extent * (records + records % k)


@kernel
def best_cut(parts, grid, sweep, cuts):
    """Mark the allowed cut with the least score, of several the first; whether there is one."""
    start, stop = top(parts)
    for _ in range(cuts):
        cut = np.argmin(sweep.score[:cuts])
        j, first, last = sweep.column[cut], sweep.first[cut], sweep.last[cut]
        for i in range(stop - start):
            parts.right[start + i] = first <= sweep.ranks[j, i] and sweep.ranks[j, i] <= last
        if allowed(parts, grid):
            return True
        sweep.score[cut] = np.inf
    return False

"""Cuts of least extent: between the values of a column, or one value against all others.

The extent of records in a column is the fraction of the column that they cover: of its range if the column is ordered,
else of its number of values. For each column with a possible cut, the records of a part are grouped by its values.
Running totals from the front and from the back then give the extents of both sides of all cuts at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.domain import BoolVector, FloatMatrix, FloatVector, IntMatrix, IntVector
from shoal.kernels.jit import inline, kernel
from shoal.kernels.splits.rank_cuts import BUCKETS, RankGrid, RankRanges, Ranks, split_allowed, update_ranges
from shoal.kernels.splits.rank_cuts import init as init_ranges
from shoal.kernels.splits.recursion import OPEN, close, divide, top

BITS = 62
"""Values per word, one bit each; the two free bits keep sums of words from overflowing."""
MAX_RANK = 2**62
"""Above every rank."""
FRONT, BACK, ALONE, OTHERS = range(4)
"""Sides of the cuts at a value: up to it, from it on, the value alone, all others."""


class ExtentUnits(NamedTuple):
    """Whether each column is ordered, and the extent of one unit of its range or of one more value."""

    ordered: BoolVector
    unit: FloatVector


class ExtentSweep(NamedTuple):
    """State of the part on top: its ranks and records by column, then by value of one column, then all its cuts.

    ``value_of`` is the value of each tuple. ``records``, ``low`` and ``high`` are the records and ranks of each
    value; where a part has many ranks, neighboring ranks count as one value. ``sides`` has the extents of the four
    sides at each value, and ``buffer`` helps to add them up. A cut puts ranks ``first`` to ``last`` of ``column`` on
    one side.
    """

    ranks: Ranks
    counts: IntVector
    value_of: IntVector
    records: IntVector
    low: IntVector
    high: IntVector
    sides: FloatMatrix
    buffer: IntMatrix
    score: FloatVector
    column: IntVector
    first: IntVector
    last: IntVector


def extent_units(grid: RankGrid, ordered: BoolVector, weights: FloatVector) -> ExtentUnits:
    """Return the units of a rank grid by the column weights; a column with one value has no extent."""
    ends = grid.values[grid.first[:-1]], grid.values[grid.first[1:] - 1]
    full = np.where(ordered, ends[1] - ends[0], np.diff(grid.first) - 1.0)
    return ExtentUnits(ordered, np.divide(weights / weights.sum(), full, out=np.zeros_like(full), where=full > 0))


def init(grid: RankGrid) -> tuple[RankRanges, ExtentSweep]:
    """Return an empty state."""
    tuples, columns = grid.ranks.shape
    cuts = 2 * BUCKETS * columns

    def integers(*size: int) -> IntMatrix:
        return np.zeros(size, dtype=np.int64)

    return init_ranges(grid), ExtentSweep(
        ranks=np.zeros((columns, tuples), dtype=np.int32),
        counts=integers(tuples),
        value_of=integers(tuples),
        records=integers(BUCKETS),
        low=integers(BUCKETS),
        high=integers(BUCKETS),
        sides=np.zeros((4, BUCKETS)),
        buffer=integers(4, BUCKETS),
        score=np.zeros(cuts),
        column=integers(cuts),
        first=integers(cuts),
        last=integers(cuts),
    )


@kernel
def split_least_extent(parts, grid, units, state, k, cells):
    """Split parts where that leaves the least extent, until no cut is allowed."""
    ranges, sweep = state
    while cells > 0 and parts.counts[OPEN] > 0:
        size = update_ranges(parts, grid, ranges)
        start, stop = top(parts)
        cells -= (stop - start) * len(ranges.width)
        cuts = 0
        if size >= 2 * k:
            load_part(parts, grid, sweep)
            cuts = find_cuts(grid, units, state, stop - start, k)
            cells -= (stop - start) * len(ranges.width) ** 2
        if mark_best_cut(parts, grid, sweep, cuts):
            divide(parts)
        else:
            close(parts)


@kernel
def load_part(parts, grid, sweep):
    """Copy the ranks of the part on top, column by column."""
    start, stop = top(parts)
    for i in range(stop - start):
        t = parts.rows[start + i]
        sweep.counts[i] = grid.counts[t]
        for j in range(grid.ranks.shape[1]):
            sweep.ranks[j, i] = grid.ranks[t, j]


@kernel
def find_cuts(grid, units, state, tuples, k):
    """Find and score all cuts of the part on top with k records on both sides; return their number."""
    ranges, sweep = state
    cuts = 0
    for j in range(len(ranges.low)):
        if ranges.low[j] < ranges.high[j]:
            values = group_values(sweep, j, ranges.low[j], ranges.high[j], tuples)
            for x in range(values):
                for side in range(4):
                    sweep.sides[side, x] = 0.0
            for c in range(len(ranges.low)):
                if ranges.low[c] < ranges.high[c]:
                    add_extents(grid, units, state, c, tuples, values)
            cuts = collect_cuts(sweep, j, units.ordered[j], values, k, cuts)
    return cuts


@kernel
def group_values(sweep, j, low, high, tuples):
    """Group the part on top by the values of column j, in ascending order; return the number of values."""
    shift = 0
    while (high - low) >> shift >= BUCKETS:
        shift += 1
    sweep.records[: ((high - low) >> shift) + 1] = 0
    for i in range(tuples):
        sweep.records[(sweep.ranks[j, i] - low) >> shift] += sweep.counts[i]
    values, number = 0, sweep.buffer[0]
    for x in range(((high - low) >> shift) + 1):
        if sweep.records[x] > 0:
            sweep.records[values], number[x] = sweep.records[x], values
            sweep.low[values], sweep.high[values] = low + (x << shift), low + ((x + 1) << shift) - 1
            values += 1
    for i in range(tuples):
        sweep.value_of[i] = number[(sweep.ranks[j, i] - low) >> shift]
    return values


@kernel
def add_extents(grid, units, state, c, tuples, values):
    """Add the extent in column c of the sides at each value."""
    ranges, sweep = state
    sides, value_of, ranks = sweep.sides[:, :values], sweep.value_of[:tuples], sweep.ranks[c]
    if units.ordered[c]:
        reach = grid.values[grid.first[c] : grid.first[c + 1]]
        add_ranges(sides, sweep.buffer, value_of, ranks, reach, units.unit[c])
    else:
        lowest = ranges.low[c] // BITS
        for word in range(lowest, ranges.high[c] // BITS + 1):
            add_values(sides, sweep.buffer, value_of, ranks, word, units.unit[c])
        sides -= units.unit[c]  # a single value has no extent


@kernel
def add_ranges(sides, buffer, value_of, ranks, reach, unit):
    """Add extents in an ordered column: from the lowest to the highest rank of each side."""
    values = sides.shape[1]
    buffer[0, :values], buffer[1, :values] = MAX_RANK, -1
    for i in range(len(value_of)):
        x = value_of[i]
        buffer[0, x], buffer[1, x] = min(buffer[0, x], ranks[i]), max(buffer[1, x], ranks[i])
    low, high = MAX_RANK, -1
    for x in range(values):
        sides[ALONE, x] += unit * (reach[buffer[1, x]] - reach[buffer[0, x]])
        buffer[2, x], buffer[3, x] = low, high
        low, high = min(low, buffer[0, x]), max(high, buffer[1, x])
        sides[FRONT, x] += unit * (reach[high] - reach[low])
    low, high = MAX_RANK, -1
    for x in range(values - 1, -1, -1):
        sides[OTHERS, x] += unit * (reach[max(high, buffer[3, x])] - reach[min(low, buffer[2, x])])
        low, high = min(low, buffer[0, x]), max(high, buffer[1, x])
        sides[BACK, x] += unit * (reach[high] - reach[low])


@kernel
def add_values(sides, buffer, value_of, ranks, word, unit):
    """Add extents in an unordered column: the number of values of each side, among those of one word."""
    values = sides.shape[1]
    buffer[0, :values] = 0
    for i in range(len(value_of)):
        if ranks[i] // BITS == word:
            buffer[0, value_of[i]] |= np.int64(1) << np.int64(ranks[i] % BITS)
    words = np.int64(0)
    for x in range(values):
        sides[ALONE, x] += unit * popcount(buffer[0, x])
        buffer[1, x] = words
        words |= buffer[0, x]
        sides[FRONT, x] += unit * popcount(words)
    words = np.int64(0)
    for x in range(values - 1, -1, -1):
        sides[OTHERS, x] += unit * popcount(words | buffer[1, x])
        words |= buffer[0, x]
        sides[BACK, x] += unit * popcount(words)


@kernel
def popcount(word):
    word = word - (word >> 1 & 0x5555555555555555)
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word = word + (word >> 8)
    word = word + (word >> 16)
    return (word + (word >> 32)) & 127


@kernel
def collect_cuts(sweep, j, ordered, values, k, cuts):
    """Append the cuts of column j with k records on both sides; return the number of cuts so far."""
    size, left = 0, 0
    for x in range(values):
        size += sweep.records[x]
    for x in range(values - 1):
        left += sweep.records[x]
        if left >= k and size - left >= k:
            right = score_side(sweep.sides[BACK, x + 1], size - left, k)
            sweep.score[cuts] = score_side(sweep.sides[FRONT, x], left, k) + right
            sweep.column[cuts], sweep.first[cuts], sweep.last[cuts] = j, sweep.low[0], sweep.high[x]
            cuts += 1
    for x in range(0 if ordered else values):
        inside = sweep.records[x]
        if inside >= k and size - inside >= k:
            outside = score_side(sweep.sides[OTHERS, x], size - inside, k)
            sweep.score[cuts] = score_side(sweep.sides[ALONE, x], inside, k) + outside
            sweep.column[cuts], sweep.first[cuts], sweep.last[cuts] = j, sweep.low[x], sweep.high[x]
            cuts += 1
    return cuts


@inline
def score_side(extent, records, k):
    """Return the extent summed over the records of a side; those beyond a multiple of k count twice."""
    return extent * (records + records % k)


@kernel
def mark_best_cut(parts, grid, sweep, cuts):
    """Mark the allowed cut with the lowest score (the first of equal ones); return whether there is one."""
    start, stop = top(parts)
    for _ in range(cuts):
        cut = np.argmin(sweep.score[:cuts])
        j, first, last = sweep.column[cut], sweep.first[cut], sweep.last[cut]
        for i in range(stop - start):
            parts.right[start + i] = first <= sweep.ranks[j, i] and sweep.ranks[j, i] <= last
        if split_allowed(parts, grid):
            return True
        sweep.score[cut] = np.inf
    return False

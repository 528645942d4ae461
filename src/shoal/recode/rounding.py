"""Decimals that the numbers of each column are rounded to, according to the policy."""

from __future__ import annotations

import math

import numpy as np

from shoal import data
from shoal.data import Table
from shoal.domain import BoolVector, FloatVector, IntVector, Precision, Records
from shoal.domain.recodings import BY_COLUMN, INTEGER_COLUMNS

INTEGER = Precision(0, 0, "int64")
"""Precision of columns that older policies release as integers, whatever their type."""
_MAX_EXACT = 2.0**53


def precisions(rounding: str, table: Table, records: Records, suppressed: BoolVector | None) -> dict[str, Precision]:
    """Return the precisions of the numeric columns of a table that are rounded."""
    if rounding == BY_COLUMN:
        return data.detect_precisions(table, [name for name in records.numeric if name not in records.dates])
    return integer_columns(records, suppressed) if rounding == INTEGER_COLUMNS else {}


def integer_columns(records: Records, suppressed: BoolVector | None) -> dict[str, Precision]:
    """Return the columns in which all known numbers of the records that are not suppressed are integers."""
    integers: dict[str, Precision] = {}
    for j, name in enumerate(records.numeric):
        excluded = records.is_missing(name) if suppressed is None else records.is_missing(name) | suppressed
        known = records.values[~excluded, j]
        if np.all(known == np.rint(known)) and np.abs(known).max(initial=0.0) <= _MAX_EXACT:
            integers[name] = INTEGER
    return integers


_MAX_FLIPS = 2_000
_MIN_REACH = 10_000
_MAX_REACH = 2**20


def round_to_total(center: FloatVector, sizes: FloatVector | IntVector, total: float) -> tuple[IntVector, float]:
    """Round centers to neighboring integers that, times sizes, sum to the total; return them and the remainder.

    Integers stay. Of the other centers those with the largest fractions are rounded up, as many as the total requires:
    no other choice is closer to the centers in squared distance. The remainder is removed by flipping some of them,
    starting next to this border, by subset sums: the sums that flips can reach are stored until the total is among
    them. At most the 2,000 groups next to the border are flipped, and only sums up to 10,000, or 4 times the largest
    size if that is more, and never beyond a million, are stored. If all groups stay within these limits, the remainder
    is the smallest that any choice of neighbors leaves.

    Where sizes are integers, the total is rounded to an integer too. Otherwise, as with weights, there are no flips:
    the number of centers rounded up is the one that comes closest to the total.
    """
    low = np.floor(center)
    fraction = center - low
    whole = bool(np.all(sizes == np.rint(sizes)))
    need = (round(total) if whole else total) - math.fsum(sizes * low)
    fractional = np.flatnonzero((fraction > 0) & (sizes > 0))
    order = fractional[np.argsort(-fraction[fractional], kind="stable")]
    sums = np.concatenate(([0.0], np.cumsum(sizes[order])))
    border = int(np.argmin(np.abs(sums - need)))
    left = need - float(sums[border])
    up = np.arange(len(order)) < border
    if whole and left and len(order):
        flips = _choose_flips(np.where(up, -sizes[order], sizes[order]).astype(np.int64), border, round(left))
        up[flips] ^= True
        left = need - float(sizes[order[up]].sum())
    low[order[up]] += 1.0
    return low.astype(np.int64), left


def _choose_flips(change: IntVector, border: int, left: int) -> IntVector:
    """Choose the groups to flip, so that their changes sum to the remainder or come closest to it."""
    near = np.argsort(np.abs(np.arange(len(change)) + 0.5 - border), kind="stable")[:_MAX_FLIPS]
    step = int(np.gcd.reduce(change[near]))
    moves = change[near] // step
    largest, total = int(np.abs(moves).max()), int(np.abs(moves).sum())
    reach = min(total, max(4 * largest, _MIN_REACH), _MAX_REACH)
    goal = min(max(round(left / step), -reach), reach)
    # the flip that first reached each sum from -reach to reach; 0 is reached without any
    reached_by = np.full(2 * reach + 1, -1, dtype=np.int64)
    reachable = np.zeros(2 * reach + 1, dtype=np.bool_)
    reachable[reach] = True
    for flip, move in enumerate(moves.tolist()):
        if reachable[reach + goal]:
            break
        shifted = np.zeros_like(reachable)
        if move > 0:
            shifted[move:] = reachable[:-move]
        else:
            shifted[:move] = reachable[-move:]
        new = shifted & ~reachable
        reached_by[new] = flip
        reachable |= new
    sums = np.flatnonzero(reachable) - reach
    current = int(sums[np.argmin(np.abs(sums - goal))])
    flips = []
    while current:
        flips.append(int(reached_by[reach + current]))
        current -= int(moves[flips[-1]])
    return near[flips]

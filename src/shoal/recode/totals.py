"""Totals: whole numbers for groups, rounded so that the total of the column is kept."""

from __future__ import annotations

import math

import numpy as np

from shoal.values import FloatVector, IntVector

_TURNS = 2_000
_REACH = 10_000
_LARGEST_REACH = 2**20


def rounded_to_total(center: FloatVector, sizes: FloatVector | IntVector, total: float) -> tuple[IntVector, float]:
    """A whole neighbor for each center so that the sum of sizes times numbers is the total; and what is left over.

    A center that is whole stays. Of the others those with the greatest fractions go up, as many as the total asks for:
    nothing comes nearer to the centers, in squares. What the last of them leaves over is made up by turning some of
    them round, nearest to this border first: every sum that turns can reach is noted until the total is among them.
    Only the 2,000 groups next to the border are turned, and only sums up to 10,000, or 4 times the largest size if that
    is more, and never beyond a million, are noted. Where all groups together have no more than these, what is left
    over is the least that any choice of neighbors leaves.

    Where sizes are whole numbers, the total is rounded to one too. Where they are not, such as weights, no sums are
    noted: the number of those that go up is the one that comes nearest to the total.
    """
    low = np.floor(center)
    part = center - low
    whole = bool(np.all(sizes == np.rint(sizes)))
    need = (round(total) if whole else total) - math.fsum(sizes * low)
    loose = np.flatnonzero((part > 0) & (sizes > 0))
    order = loose[np.argsort(-part[loose], kind="stable")]
    sums = np.concatenate(([0.0], np.cumsum(sizes[order])))
    border = int(np.argmin(np.abs(sums - need)))
    left = need - float(sums[border])
    up = np.arange(len(order)) < border
    if whole and left and len(order):
        turned = _turned(np.where(up, -sizes[order], sizes[order]).astype(np.int64), border, round(left))
        up[turned] ^= True
        left = need - float(sizes[order[up]].sum())
    low[order[up]] += 1.0
    return low.astype(np.int64), left


def _turned(change: IntVector, border: int, left: int) -> IntVector:
    """Which of the groups to turn round so that their changes make up what is left, or come as near as they can."""
    near = np.argsort(np.abs(np.arange(len(change)) + 0.5 - border), kind="stable")[:_TURNS]
    step = int(np.gcd.reduce(change[near]))
    moves = change[near] // step
    largest, every = int(np.abs(moves).max()), int(np.abs(moves).sum())
    reach = min(every, max(4 * largest, _REACH), _LARGEST_REACH)
    goal = min(max(round(left / step), -reach), reach)
    # by which turn each sum from -reach to reach was reached first; 0 is there before any
    by = np.full(2 * reach + 1, -1, dtype=np.int64)
    found = np.zeros(2 * reach + 1, dtype=np.bool_)
    found[reach] = True
    for turn, move in enumerate(moves.tolist()):
        if found[reach + goal]:
            break
        shifted = np.zeros_like(found)
        if move > 0:
            shifted[move:] = found[:-move]
        else:
            shifted[:move] = found[-move:]
        fresh = shifted & ~found
        by[fresh] = turn
        found |= fresh
    reached = np.flatnonzero(found) - reach
    at = int(reached[np.argmin(np.abs(reached - goal))])
    turns = []
    while at:
        turns.append(int(by[reach + at]))
        at -= int(moves[turns[-1]])
    return near[turns]

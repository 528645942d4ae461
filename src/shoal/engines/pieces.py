"""Pieces: leaves of the cuts that are worked on together, or slices of one that is too large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from shoal import kernels
from shoal.engines.plan import Plan
from shoal.partition.blocks import Cuts
from shoal.values import Demands, IntMatrix, IntVector

_SAFE = 20
"""A piece has so many times k records at least, where the table has."""


class Slice(NamedTuple):
    """Some records of a leaf, by their places in it."""

    leaf: int
    start: int
    stop: int


Counted = Callable[[Sequence[Slice]], IntMatrix]
"""Counts how many records of each slice have each sensitive value."""


def pieces(plan: Plan, leaves: Sequence[int], tallies: IntMatrix | None, counted: Counted) -> list[list[Slice]]:
    """The records of all leaves, in pieces none of which is too small to hide in or breaks what is asked of a group.

    A leaf that is too small joins its neighbors. A leaf of far more records than a piece may have holds equal ones,
    which no cut tells apart: any slice of them hides as well as the next, where it has what is asked of a group.
    """
    least = min(_SAFE * plan.policy.k, plan.piece)
    found: list[list[Slice]] = []
    open_: list[Slice] = []
    for leaf in _beside(plan.cuts):
        count = leaves[leaf]
        if count:
            open_.append(Slice(leaf, 0, count))
        if open_ and _stands(plan, open_, least, tallies):
            found.append(open_)
            open_ = []
    if open_ and found:
        found[-1] += open_  # what is left over at the end joins the last piece
    elif open_:
        found.append(open_)
    cut = [_sliced(piece, plan.piece) for piece in found]
    if tallies is None or plan.sensitive is None:
        return [part for piece in cut for part in piece]
    return _keeping(plan.sensitive.demands, cut, tallies, counted)


def _beside(cuts: Cuts) -> list[int]:
    """The leaves so that neighbors below one cut stand beside each other."""
    number, order, open_ = np.cumsum(cuts.column < 0) - 1, [], [0]
    while open_:
        node = open_.pop()
        if cuts.column[node] < 0:
            order.append(int(number[node]))
        else:
            open_ += [int(cuts.right[node]), int(cuts.left[node])]
    return order


def _stands(plan: Plan, piece: Sequence[Slice], least: int, tallies: IntMatrix | None) -> bool:
    """Whether these records could be groups by themselves."""
    if sum(part.stop - part.start for part in piece) < least:
        return False
    if tallies is None or plan.sensitive is None:
        return True
    return _holds(plan.sensitive.demands, tallies[[part.leaf for part in piece]].sum(axis=0))


def _holds(demands: Demands, tally: IntVector) -> bool:
    kernel: Any = kernels.demands
    return bool(kernel.holds(demands, tally))


def _sliced(piece: list[Slice], most: int) -> list[list[Slice]]:
    """A piece, or where a leaf of it is far too large, even slices of that leaf; all else stays with the first."""
    large = next((part for part in piece if part.stop > 2 * most), None)
    if large is None:
        return [piece]
    ends = np.linspace(0, large.stop, -(-large.stop // most) + 1).astype(np.int64).tolist()
    slices = [Slice(large.leaf, start, end) for start, end in pairwise(ends)]
    first = [slices[0] if part is large else part for part in piece]
    return [*_sliced(first, most), *([part] for part in slices[1:])]


def _keeping(
    demands: Demands, cut: Sequence[list[list[Slice]]], tallies: IntMatrix, counted: Counted
) -> list[list[Slice]]:
    """The same pieces, where slices that do not have what is asked of a group go with those beside them."""
    slices = [part for piece in cut if len(piece) > 1 for one in piece for part in one]
    counts = dict(zip(slices, counted(slices), strict=True)) if slices else {}
    found: list[list[Slice]] = []
    for piece in cut:
        kept: list[list[Slice]] = []
        open_: list[Slice] = []
        for part in piece if len(piece) > 1 else ():
            open_ += part
            if _holds(demands, sum((counts[one] for one in open_), start=np.zeros_like(tallies[0]))):
                kept.append(open_)
                open_ = []
        if open_ and kept:
            last = kept[-1] + open_
            held = _holds(demands, sum((counts[one] for one in last), start=np.zeros_like(tallies[0])))
            kept = [*kept[:-1], last] if held else []
        found += kept or [[part for one in piece for part in one]]
    return [_joined(piece) for piece in found]


def _joined(piece: list[Slice]) -> list[Slice]:
    """The same records, slices of a leaf that follow one another as one."""
    found: list[Slice] = []
    for part in piece:
        if found and found[-1].leaf == part.leaf and found[-1].stop == part.start:
            found[-1] = found[-1]._replace(stop=part.stop)
        else:
            found.append(part)
    return found

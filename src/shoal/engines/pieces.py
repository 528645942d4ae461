"""Pieces: leaves of the cuts that are worked on together, or slices of one that is too large."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from shoal import kernels
from shoal.engines.plan import Plan
from shoal.partition.blocks import Cuts
from shoal.values import IntMatrix

_SAFE = 20
"""A piece has so many times k records at least, where the table has."""


class Slice(NamedTuple):
    """Some records of a leaf, by their places in it."""

    leaf: int
    start: int
    stop: int


def pieces(plan: Plan, leaves: Sequence[int], tallies: IntMatrix | None) -> list[list[Slice]]:
    """The records of all leaves, in pieces none of which is too small to hide in or breaks what is asked of a group.

    A leaf that is too small joins its neighbors. A leaf of more records than a piece may have holds equal ones, which
    no cut tells apart: any slice of them hides as well as the next.
    """
    most, least = plan.piece, min(_SAFE * plan.policy.k, plan.piece)
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
    return [part for piece in found for part in _sliced(piece, most, tallies)]


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
    demands: Any = kernels.demands
    return bool(demands.holds(plan.sensitive.demands, tallies[[part.leaf for part in piece]].sum(axis=0)))


def _sliced(piece: list[Slice], most: int, tallies: IntMatrix | None) -> list[list[Slice]]:
    """A piece of one leaf that is far too large, in even slices; it stays whole where these may not keep demands."""
    if len(piece) > 1 or tallies is not None or piece[0].stop <= 2 * most:
        return [piece]
    leaf, _, stop = piece[0]
    ends = np.linspace(0, stop, -(-stop // most) + 1).astype(np.int64).tolist()
    return [[Slice(leaf, start, end)] for start, end in pairwise(ends)]

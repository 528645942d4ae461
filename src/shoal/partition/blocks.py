"""Blocks: compact parts of a large table, made by cutting it again and again.

The cuts are a value of their own: those of a sample can be made in records that were never seen together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from shoal.values import BoolVector, FloatMatrix, FloatVector, IntVector

_TURNS = ((1, 2), (1, 3), (2, 3), (2, 5), (3, 5), (1, 4), (3, 4))
"""Where each turn cuts, as shares of the records: no border of one turn is near a border of the next."""
_SLICE = 65_536
"""Points that go down the tree at a time: few enough to need no memory."""
_SEEN = 4_096
"""Points from which it is judged in which column a part spreads most."""


@dataclass(frozen=True, eq=False)
class Cuts:
    """A tree of cuts: what is at most ``threshold`` in a ``column`` goes to the node ``left``, and else ``right``.

    Node 0 is the first, and nodes below another one have larger numbers. The ``column`` of a block is -1.
    """

    column: IntVector
    threshold: FloatVector
    left: IntVector
    right: IntVector

    @property
    def count(self) -> int:
        """The number of blocks."""
        return int(self._blocks.sum())

    def block_of(self, points: FloatMatrix) -> IntVector:
        """The block of each point, numbered from 0."""
        number, found = np.cumsum(self._blocks) - 1, np.empty(len(points), dtype=np.int64)
        for start in range(0, len(points), _SLICE):
            found[start : start + _SLICE] = number[self._node_of(points[start : start + _SLICE])]
        return found

    def _node_of(self, points: FloatMatrix) -> IntVector:
        node, under = np.zeros(len(points), dtype=np.int64), np.arange(len(points))
        while len(under := under[self.column[node[under]] >= 0]):
            at = node[under]
            lower = points[under, self.column[at]] <= self.threshold[at]
            node[under] = np.where(lower, self.left[at], self.right[at])
        return node

    def joined(self, keeps: Callable[[Sequence[int]], bool]) -> Self:
        """The same cuts but for those below which a block does not keep what is asked: its part becomes one block.

        ``keeps`` tells it of some blocks, by their numbers here, taken as one.
        """
        number, column = np.cumsum(self._blocks) - 1, self.column.copy()
        held: list[list[int]] = [[] for _ in column]
        sound = np.zeros(len(column), dtype=np.bool_)
        for node in reversed(np.flatnonzero(self._reached).tolist()):
            left, right = int(self.left[node]), int(self.right[node])
            inner = bool(self.column[node] >= 0)
            held[node] = held[left] + held[right] if inner else [int(number[node])]
            sound[node] = bool(inner and sound[left] and sound[right])
            if not sound[node]:
                column[node], sound[node] = -1, keeps(held[node])
        return type(self)(column, self.threshold, self.left, self.right)

    @property
    def _reached(self) -> BoolVector:
        """The nodes that some cut leads to; below a part that became one block there are others."""
        reached = np.zeros(len(self.column), dtype=np.bool_)
        reached[0] = True
        for node in np.flatnonzero(self.column >= 0):
            if reached[node]:
                reached[[self.left[node], self.right[node]]] = True
        return reached

    @property
    def _blocks(self) -> BoolVector:
        """The nodes that are blocks."""
        found: BoolVector = self._reached & (self.column < 0)
        return found


def cut(points: FloatMatrix, most: int, least: int, turn: int = 0) -> Cuts:
    """Cut the points into blocks of at most ``most`` and at least ``least``, where these are different enough.

    A part that is too large is cut in the column in which it spreads most, in the middle, or elsewhere in another
    ``turn``. Equal points stay in one block.
    """
    rows, spans = np.arange(len(points)), [(0, len(points))]
    column, threshold, below = [], [], []
    for start, stop in spans:  # which grows meanwhile
        found = _halved(points, rows[start:stop], least, _TURNS[turn % len(_TURNS)]) if stop - start > most else None
        column.append(-1 if found is None else found[0])
        threshold.append(0.0 if found is None else found[1])
        below.append(len(spans))
        if found is not None:
            spans += [(start, start + found[2]), (start + found[2], stop)]
    left = np.array(below)
    return Cuts(np.array(column), np.array(threshold), left, left + 1)


def _halved(points: FloatMatrix, rows: IntVector, least: int, share: tuple[int, int]) -> tuple[int, float, int] | None:
    """The column and threshold of a cut, and the rows below it, which come to lie first; None where there is none."""
    seen = points[rows[:: -(-len(rows) // _SEEN)]]
    middle = min(max(len(rows) * share[0] // share[1], least), len(rows) - least)
    if middle < least:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        order = np.argsort(-seen.std(axis=0), kind="stable")
    for j in order.tolist():
        values = points[rows, j]
        threshold = _threshold(values, middle, least)
        if threshold is not None:
            lower = values <= threshold
            rows[:] = np.concatenate([rows[lower], rows[~lower]])
            return j, threshold, int(lower.sum())
    return None


def _threshold(values: FloatVector, middle: int, least: int) -> float | None:
    """The value up to which nearly as many lie as asked for, and at least ``least`` on both sides; None if none is."""
    pivot = np.partition(values, middle)[middle]
    lower, upto = int((values < pivot).sum()), int((values <= pivot).sum())
    sizes = [size for size in (lower, upto) if least <= size <= len(values) - least]
    if not sizes:
        return None
    size = min(sizes, key=lambda size: abs(size - middle))
    return float(pivot if size == upto else values[values < pivot].max())

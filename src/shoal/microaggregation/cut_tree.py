"""Cut tree: recursive axis-parallel cuts of a large table into compact blocks.

A tree built on a sample can be applied to records outside of the sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from shoal.domain import BoolVector, FloatMatrix, FloatVector, IntVector

_VARIANTS = ((1, 2), (1, 3), (2, 3), (2, 5), (3, 5), (1, 4), (3, 4))
"""Cut positions by variant, as fractions of the records; block borders differ between successive variants."""
_SLICE = 65_536
"""Points per batch when assigning blocks, to limit memory."""
_SAMPLE = 4_096
"""Maximum number of points for the choice of the widest column."""


@dataclass(frozen=True, eq=False)
class CutTree:
    """Binary tree in arrays: a value of at most ``threshold`` in ``column`` goes to node ``left``, otherwise ``right``.

    Node 0 is the root; children have larger numbers than their parent. Blocks (leaves) have ``column`` -1.
    """

    column: IntVector
    threshold: FloatVector
    left: IntVector
    right: IntVector

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return int(self._blocks.sum())

    def block_of(self, points: FloatMatrix) -> IntVector:
        """Return the block of each point, numbered from 0."""
        number, blocks = np.cumsum(self._blocks) - 1, np.empty(len(points), dtype=np.int64)
        for start in range(0, len(points), _SLICE):
            blocks[start : start + _SLICE] = number[self._node_of(points[start : start + _SLICE])]
        return blocks

    def _node_of(self, points: FloatMatrix) -> IntVector:
        node, active = np.zeros(len(points), dtype=np.int64), np.arange(len(points))
        while len(active := active[self.column[node[active]] >= 0]):
            nodes = node[active]
            lower = points[active, self.column[nodes]] <= self.threshold[nodes]
            node[active] = np.where(lower, self.left[nodes], self.right[nodes])
        return node

    def merge_until(self, satisfies: Callable[[Sequence[int]], bool]) -> Self:
        """Merge blocks bottom-up until every block satisfies a condition; return the pruned tree.

        ``satisfies`` gets the numbers of some blocks and decides for their union.
        """
        number, column = np.cumsum(self._blocks) - 1, self.column.copy()
        blocks_below: list[list[int]] = [[] for _ in column]
        satisfied = np.zeros(len(column), dtype=np.bool_)
        for node in reversed(np.flatnonzero(self._reached).tolist()):
            left, right = int(self.left[node]), int(self.right[node])
            inner = bool(self.column[node] >= 0)
            blocks_below[node] = blocks_below[left] + blocks_below[right] if inner else [int(number[node])]
            satisfied[node] = bool(inner and satisfied[left] and satisfied[right])
            if not satisfied[node]:
                column[node], satisfied[node] = -1, satisfies(blocks_below[node])
        return type(self)(column, self.threshold, self.left, self.right)

    @property
    def _reached(self) -> BoolVector:
        """Mask of nodes reachable from the root; pruned subtrees stay in the arrays."""
        reached = np.zeros(len(self.column), dtype=np.bool_)
        reached[0] = True
        for node in np.flatnonzero(self.column >= 0):
            if reached[node]:
                reached[[self.left[node], self.right[node]]] = True
        return reached

    @property
    def _blocks(self) -> BoolVector:
        """Mask of leaves."""
        return self._reached & (self.column < 0)


def build_cut_tree(points: FloatMatrix, max_size: int, min_size: int, variant: int = 0) -> CutTree:
    """Build a tree with blocks of ``min_size`` to ``max_size`` points, larger only where points are equal.

    A part that is too large is cut in the column with the largest standard deviation, at a fraction given by
    ``variant``. Equal points stay in one block.
    """
    rows, spans = np.arange(len(points)), [(0, len(points))]
    fraction = _VARIANTS[variant % len(_VARIANTS)]
    column, threshold, first_child = [], [], []
    for start, stop in spans:  # the list grows during iteration
        best = _best_cut(points, rows[start:stop], min_size, fraction) if stop - start > max_size else None
        column.append(-1 if best is None else best[0])
        threshold.append(0.0 if best is None else best[1])
        first_child.append(len(spans))
        if best is not None:
            spans += [(start, start + best[2]), (start + best[2], stop)]
    left = np.array(first_child)
    return CutTree(np.array(column), np.array(threshold), left, left + 1)


def _best_cut(
    points: FloatMatrix, rows: IntVector, min_size: int, fraction: tuple[int, int]
) -> tuple[int, float, int] | None:
    """Return column, threshold and left size of a cut, and partition ``rows`` in place; None without a cut."""
    sample = points[rows[:: -(-len(rows) // _SAMPLE)]]
    target = min(max(len(rows) * fraction[0] // fraction[1], min_size), len(rows) - min_size)
    if target < min_size:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        order = np.argsort(-sample.std(axis=0), kind="stable")
    for j in order.tolist():
        values = points[rows, j]
        threshold = _threshold(values, target, min_size)
        if threshold is not None:
            lower = values <= threshold
            rows[:] = np.concatenate([rows[lower], rows[~lower]])
            return j, threshold, int(lower.sum())
    return None


def _threshold(values: FloatVector, target: int, min_size: int) -> float | None:
    """Return the threshold closest to a left size with ``min_size`` points on both sides; None without one."""
    pivot = np.partition(values, target)[target]
    lower, lower_or_equal = int((values < pivot).sum()), int((values <= pivot).sum())
    sizes = [size for size in (lower, lower_or_equal) if min_size <= size <= len(values) - min_size]
    if not sizes:
        return None
    size = min(sizes, key=lambda size: abs(size - target))
    return float(pivot if size == lower_or_equal else values[values < pivot].max())

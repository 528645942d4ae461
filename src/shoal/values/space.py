"""The space of the records: numbers and categories in one row, and what lies between two rows.

The squared distance of two points is the sum over columns of weight · d², where d is the difference of two scaled
numbers, or what the table of a category says. A center has the mean of each number, and of each category the node
with the least sum of distances: the semantic node, the median rank, or the mode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np

from shoal.values.arrays import FloatMatrix, FloatVector, IntMatrix, IntVector, by_first_row, dense

_SKETCHED = 2
"""Coordinates that stand for a category in a sketch: few, since each makes every look at a record longer."""
_MOST_SKETCHED = 500
"""Nodes of a column for which coordinates are sought: that takes the cube of their number in time."""
_SAFE = 1e-9


class Space(NamedTuple):
    """Points as rows of ``matrix``: first the scaled ``numbers``, then a code for each category, as a float.

    ``square`` has the tables of weight · d² one after another, row by row, and ``distance`` those of d, as multiples of
    2**-32, so that their sums are exact; the table of category j begins at ``starts[j]`` and has rows of ``widths[j]``.
    The nodes of all categories are numbered through: those of category j from ``first[j]`` on.
    ``sketch`` gives each node a few coordinates and ``points`` has them in the place of the codes: the squared
    distance of two sketched points is at most the true one, and short of it by at most ``beyond``.
    """

    matrix: FloatMatrix
    points: FloatMatrix
    numbers: int
    square: FloatVector
    distance: FloatVector
    starts: IntVector
    widths: IntVector
    first: IntVector
    sketch: FloatMatrix
    beyond: float

    @classmethod
    def of_numbers(cls, matrix: FloatMatrix) -> Self:
        """A space without categories."""
        return cls.of(matrix, np.empty((len(matrix), 0), dtype=np.int64), (), np.empty(0))

    @classmethod
    def of(cls, matrix: FloatMatrix, codes: IntMatrix, tables: Sequence[FloatMatrix], weights: FloatVector) -> Self:
        """Scaled numbers and codes, with the tables of distances of the categories and how much each counts."""
        widths = np.array([len(table) for table in tables], dtype=np.int64)
        squares = [weight * table**2 for table, weight in zip(tables, weights, strict=True)]
        sketches = [_sketched(square) for square in squares]
        nothing = np.empty(0)
        space = cls(
            matrix=np.ascontiguousarray(np.column_stack([matrix, codes]) if len(tables) else matrix),
            points=matrix,
            numbers=matrix.shape[1],
            square=np.concatenate([nothing, *(square.ravel() for square in squares)]),
            distance=np.concatenate([nothing, *(table.ravel() for table in tables)]),
            starts=np.cumsum(widths**2) - widths**2,
            widths=widths,
            first=np.cumsum(widths) - widths,
            sketch=np.vstack([np.empty((0, _SKETCHED)), *(sketch for sketch, _ in sketches)]),
            beyond=sum((beyond for _, beyond in sketches), start=0.0),
        )
        return space.with_points(space.matrix)

    def with_points(self, matrix: FloatMatrix) -> Self:
        """Other points in the same space, such as centers."""
        if not len(self.widths):
            return self._replace(matrix=matrix, points=matrix)
        columns = [matrix[:, : self.numbers]]
        for j, first in enumerate(self.first):
            columns.append(self.sketch[first + matrix[:, self.numbers + j].astype(np.int64)])
        return self._replace(matrix=matrix, points=np.ascontiguousarray(np.column_stack(columns)))

    def some(self, rows: IntVector) -> Self:
        """These points alone."""
        if not len(self.widths):
            return self.with_points(np.ascontiguousarray(self.matrix[rows]))
        return self._replace(
            matrix=np.ascontiguousarray(self.matrix[rows]), points=np.ascontiguousarray(self.points[rows])
        )

    def distinct(self) -> tuple[IntVector, IntVector]:
        """The first record at each point, in the order of rows, and for each record the number of its point."""
        key, points = np.zeros(len(self.matrix), dtype=np.int64), 1
        for column in self.matrix.T:
            if points < len(key):
                values, codes = np.unique(column, return_inverse=True)
                key = dense(key * len(values) + codes)
                points = int(key.max()) + 1
        return by_first_row(key)


def _sketched(square: FloatMatrix) -> tuple[FloatMatrix, float]:
    """Coordinates of nodes that are never farther apart than the table says, and how short of it they fall at most.

    The first principal coordinates of the table, shrunk until they nowhere exceed it.
    """
    if not 2 <= len(square) <= _MOST_SKETCHED:
        return _without_sketch(square)
    return _from_cells(square.tobytes())


def _without_sketch(square: FloatMatrix) -> tuple[FloatMatrix, float]:
    return np.zeros((len(square), _SKETCHED)), float(square.max(initial=0.0)) * (1.0 + _SAFE)


@lru_cache(maxsize=8)
def _from_cells(cells: bytes) -> tuple[FloatMatrix, float]:
    """The sketch of the table with these cells, which is sought once: all blocks of a release have the same tables."""
    square = np.frombuffer(cells).reshape(-1, math.isqrt(len(cells) // 8))
    centered = square - square.mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (centered - centered.mean(axis=1)[:, None]))
    found = np.zeros((len(square), _SKETCHED))
    for j in range(min(_SKETCHED, len(square))):
        found[:, j] = vectors[:, -1 - j] * np.sqrt(max(values[-1 - j], 0.0))
    apart = ((found[:, None, :] - found[None, :, :]) ** 2).sum(axis=2)
    equal = (square == 0.0) & ~np.eye(len(square), dtype=np.bool_)
    if equal.any() or not np.isfinite(apart).all():  # nodes without a distance would need the very same place
        return _without_sketch(square)
    ratio = np.divide(apart, square, out=np.zeros_like(apart), where=square > 0.0).max()
    shrunk = found * np.sqrt((1.0 - _SAFE) / max(ratio, 1.0))
    apart = apart * ((1.0 - _SAFE) / max(ratio, 1.0))
    return shrunk, float((square - apart).max() * (1.0 + _SAFE) + _SAFE * square.max())

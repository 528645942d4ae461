"""Mixed metric space of the records: numeric and categorical columns, and the distance between two rows.

The squared distance is the sum over columns of weight · d², where d is the difference of two scaled numbers, or an
entry of a distance table. The centroid of a group has the mean of each number, and of each category the node with the
smallest sum of distances: the semantic node, the median rank, or the mode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np

from shoal.domain.arrays import FloatMatrix, FloatVector, IntMatrix, IntVector, dense_ranks, number_by_first_row

_SKETCHED = 2
"""Coordinates per category in a sketch: few, since each one slows down every distance computation."""
_MOST_SKETCHED = 500
"""Larger hierarchies are not sketched, since the time is cubic in the number of nodes."""
_SAFE = 1e-9


class Space(NamedTuple):
    """Points as rows of ``matrix``: first the ``n_numeric`` scaled numbers, then a code per category, as a float.

    ``squared_distance`` concatenates the tables of weight · d², row by row, and ``distance`` those of d, as multiples
    of 2**-32 so that their sums are exact; the table of category j begins at ``table_offsets[j]`` and has ``widths[j]``
    rows. Nodes are numbered across categories: those of category j begin at ``node_offsets[j]``. ``sketch`` embeds each
    node in a few coordinates, and ``sketched_points`` has these instead of the codes: the squared distance of two
    sketched points is a lower bound of the true one, short of it by at most ``sketch_error``.
    """

    matrix: FloatMatrix
    sketched_points: FloatMatrix
    n_numeric: int
    squared_distances: FloatVector
    distance: FloatVector
    table_offsets: IntVector
    widths: IntVector
    node_offsets: IntVector
    sketch: FloatMatrix
    sketch_error: float

    @classmethod
    def of_numbers(cls, matrix: FloatMatrix) -> Self:
        """A space without categories."""
        return cls.of(matrix, np.empty((len(matrix), 0), dtype=np.int64), (), np.empty(0))

    @classmethod
    def of(cls, matrix: FloatMatrix, codes: IntMatrix, tables: Sequence[FloatMatrix], weights: FloatVector) -> Self:
        """Build a space from scaled numbers, codes, and the distance tables and weights of the categories."""
        widths = np.array([len(table) for table in tables], dtype=np.int64)
        squares = [weight * table**2 for table, weight in zip(tables, weights, strict=True)]
        sketches = [_sketch(square) for square in squares]
        nothing = np.empty(0)
        space = cls(
            matrix=np.ascontiguousarray(np.column_stack([matrix, codes]) if len(tables) else matrix),
            sketched_points=matrix,
            n_numeric=matrix.shape[1],
            squared_distances=np.concatenate([nothing, *(square.ravel() for square in squares)]),
            distance=np.concatenate([nothing, *(table.ravel() for table in tables)]),
            table_offsets=np.cumsum(widths**2) - widths**2,
            widths=widths,
            node_offsets=np.cumsum(widths) - widths,
            sketch=np.vstack([np.empty((0, _SKETCHED)), *(sketch for sketch, _ in sketches)]),
            sketch_error=sum((beyond for _, beyond in sketches), start=0.0),
        )
        return space.with_points(space.matrix)

    def with_points(self, matrix: FloatMatrix) -> Self:
        """The same space with other points, such as centroids."""
        if not len(self.widths):
            return self._replace(matrix=matrix, sketched_points=matrix)
        columns = [matrix[:, : self.n_numeric]]
        for j, first in enumerate(self.node_offsets):
            columns.append(self.sketch[first + matrix[:, self.n_numeric + j].astype(np.int64)])
        return self._replace(matrix=matrix, sketched_points=np.ascontiguousarray(np.column_stack(columns)))

    def take(self, rows: IntVector) -> Self:
        """Select points."""
        if not len(self.widths):
            return self.with_points(np.ascontiguousarray(self.matrix[rows]))
        return self._replace(
            matrix=np.ascontiguousarray(self.matrix[rows]),
            sketched_points=np.ascontiguousarray(self.sketched_points[rows]),
        )

    def distinct(self) -> tuple[IntVector, IntVector]:
        """The first record of each distinct point in row order, and the point of each record."""
        key, points = np.zeros(len(self.matrix), dtype=np.int64), 1
        for column in self.matrix.T:
            if points < len(key):
                values, codes = np.unique(column, return_inverse=True)
                key = dense_ranks(key * len(values) + codes)
                points = int(key.max()) + 1
        return number_by_first_row(key)


def _sketch(square: FloatMatrix) -> tuple[FloatMatrix, float]:
    """Embed nodes so that no distance exceeds that of the table, and bound the shortfall.

    The first principal coordinates of the table, shrunk until they exceed it nowhere.
    """
    if not 2 <= len(square) <= _MOST_SKETCHED:
        return _without_sketch(square)
    return _from_cells(square.tobytes())


def _without_sketch(square: FloatMatrix) -> tuple[FloatMatrix, float]:
    return np.zeros((len(square), _SKETCHED)), float(square.max(initial=0.0)) * (1.0 + _SAFE)


@lru_cache(maxsize=8)
def _from_cells(table: bytes) -> tuple[FloatMatrix, float]:
    """The sketch of the table with these bytes, cached since all blocks of a release share their tables."""
    square = np.frombuffer(table).reshape(-1, math.isqrt(len(table) // 8))
    centered = square - square.mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (centered - centered.mean(axis=1)[:, None]))
    coordinates = np.zeros((len(square), _SKETCHED))
    for j in range(min(_SKETCHED, len(square))):
        coordinates[:, j] = vectors[:, -1 - j] * np.sqrt(max(values[-1 - j], 0.0))
    sketched = ((coordinates[:, None, :] - coordinates[None, :, :]) ** 2).sum(axis=2)
    equal = (square == 0.0) & ~np.eye(len(square), dtype=np.bool_)
    if equal.any() or not np.isfinite(sketched).all():  # distinct nodes at distance 0 would need equal coordinates
        return _without_sketch(square)
    ratio = np.divide(sketched, square, out=np.zeros_like(sketched), where=square > 0.0).max()
    shrunk = coordinates * np.sqrt((1.0 - _SAFE) / max(ratio, 1.0))
    sketched = sketched * ((1.0 - _SAFE) / max(ratio, 1.0))
    return shrunk, float((square - sketched).max() * (1.0 + _SAFE) + _SAFE * square.max())

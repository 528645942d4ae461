"""Records of numbers and categories, slow and plain: distances, centers and losses as they are defined.

An oracle takes these records in the place of a matrix. A point is a row of both, the numbers first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.domain import Records

Points = NDArray[np.float64]


class Mixed:
    """Scaled numbers and codes, with the distances of the nodes of each category and how much each counts."""

    def __init__(self, points: Points, tables: Sequence[Points], weights: Points) -> None:
        self.points, self.tables, self.weights = points, tables, weights
        count = points.shape[1] - len(tables)
        self.numbers, self.codes = points[:, :count], points[:, count:].astype(np.int64)

    @classmethod
    def of(cls, records: Records) -> Mixed:
        """The records that a method gets to see."""
        numbers = records.matrix if records.numeric else np.empty((records.count, 0))
        heaviest = max(records.weights)
        weights = dict(zip(records.names, records.weights / heaviest, strict=True))
        return cls(
            np.column_stack([numbers, records.codes]),
            [column.exact_distance() for column in records.categories],
            np.array([weights[column.name] for column in records.categories]),
        )

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Points]:
        return iter(self.points)

    def __getitem__(self, rows: Any) -> Any:
        """The point of one row, or several records alone."""
        return self.points[rows] if isinstance(rows, int | np.integer) else self.at(self.points[rows])

    def at(self, points: Any) -> Mixed:
        """Other points with the same distances, such as centers."""
        return Mixed(np.array(points), self.tables, self.weights)

    def squares(self, point: Points) -> list[Points]:
        """The squared distances to a point in every column, of each record."""
        count = self.numbers.shape[1]
        found = [(self.numbers[:, j] - point[j]) ** 2 for j in range(count)]
        for j, (table, weight) in enumerate(zip(self.tables, self.weights, strict=True)):
            found.append(weight * table[self.codes[:, j], int(point[count + j])] ** 2)
        return found

    def distances(self, point: Points) -> Points:
        """The squared distances to a point, of each record."""
        return sum(self.squares(point), start=np.zeros(len(self)))

    def nodes(self, rows: list[int]) -> list[int]:
        """The category at the center: of all nodes the one with the least sum of distances, the first of several."""
        found = []
        for j, table in enumerate(self.tables):
            costs = table[:, self.codes[rows, j]].sum(axis=1).tolist()
            found.append(costs.index(min(costs)))
        return found

    def errors(self, rows: list[int]) -> list[float]:
        """The squared distances of each category to its node at the center, added up in the order of these rows."""
        found = []
        for j, node in enumerate(self.nodes(rows)):
            total = 0.0
            for distance in self.tables[j][node, self.codes[rows, j]]:
                total += self.weights[j] * distance**2
            found.append(total)
        return found

    def places(self) -> Points:
        """Columns to sort by: the numbers, and the codes from 0 to 1, weighted as distances are."""
        shares = [
            self.codes[:, j] / max(len(table) - 1, 1) * np.sqrt(weight)
            for j, (table, weight) in enumerate(zip(self.tables, self.weights, strict=True))
        ]
        return np.column_stack([self.numbers, *shares])

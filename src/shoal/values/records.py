"""Records: the quasi-identifiers of a table as arrays, all that a method gets to see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shoal.schema.columns import Kind
from shoal.values.arrays import (
    BoolMatrix,
    BoolVector,
    FloatMatrix,
    FloatVector,
    IntMatrix,
    IntVector,
    by_first_row,
    dense,
)
from shoal.values.categories import Categories
from shoal.values.demands import Demands
from shoal.values.scale import Scale
from shoal.values.space import Space


class Tuples(NamedTuple):
    """The different combinations of categories in the order in which they first appear, and what lies between them.

    ``distance`` holds the tables of all columns one after another, row by row; that of column j begins at
    ``starts[j]`` and has rows of ``widths[j]``. They bear the weights, so that the sum over columns is the weighted
    mean distance. All are multiples of 2**-32: their sums over millions of records are exact, so that nothing depends
    on the order in which they were added.
    """

    codes: IntMatrix
    counts: IntVector
    distance: FloatVector
    starts: IntVector
    widths: IntVector


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """The quasi-identifiers of a table as arrays: all that a method gets to see."""

    names: tuple[str, ...]
    values: FloatMatrix
    """The numeric columns, in the order of their names."""
    scale: Scale
    weights: FloatVector
    """How much each column counts, numeric or not."""
    categories: tuple[Categories, ...] = ()
    """The other columns, in the order of their names."""
    codes: IntMatrix = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    """A column of codes for each of the categories."""
    demands: Demands | None = None
    """What every group must have besides k records; None where nothing is asked."""
    missing: BoolMatrix | None = None
    """Which cells were missing, by record and name; they hold a stand-in here. None where all are there."""
    zoned: tuple[str, ...] = ()
    """The dates that have a time zone; they count in UTC."""
    apart: bool = False
    """Whether missing cells are far from those that are not; else they are where their stand-ins are."""
    dates: tuple[str, ...] = ()
    """The names of the numeric columns that hold dates, as days since 1970-01-01."""

    def __repr__(self) -> str:
        return f"Records(records={self.count}, columns={list(self.names)})"

    @property
    def count(self) -> int:
        return len(self.codes) if self.categories else len(self.values)

    @property
    def numeric(self) -> tuple[str, ...]:
        """The names of the numeric columns, dates among them."""
        other = {column.name for column in self.categories}
        return tuple(name for name in self.names if name not in other)

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The kind of each column."""
        other = {column.name: column.kind for column in self.categories}
        dates = dict.fromkeys(self.dates, Kind.DATE)
        return {name: other.get(name, dates.get(name, Kind.NUMERIC)) for name in self.names}

    def weights_of(self, names: Sequence[str]) -> FloatVector:
        """The weights of some of the columns."""
        return self.weights[[self.names.index(name) for name in names]]

    @cached_property
    def matrix(self) -> FloatMatrix:
        """Scaled and weighted, row by row: squared distances are sums of squared differences here."""
        scaled = self.scale.apply(self.values)
        scaled *= np.sqrt(self.weights_of(self.numeric) / self.weights.max())
        return np.ascontiguousarray(scaled)

    @cached_property
    def space(self) -> Space:
        """Numbers and categories together, with their distances, as the methods by distance see them."""
        numbers = self.matrix if self.numeric else np.empty((self.count, 0))
        codes = self.codes if self.categories else np.empty((self.count, 0), dtype=np.int64)
        tables = [column.rounded() for column in self.categories]
        names = [column.name for column in self.categories]
        for name in self.lacking:  # a number that is missing and one that is not differ as two categories do
            codes = np.column_stack([codes, self.gone(name)])
            tables.append(1.0 - np.eye(2))
            names.append(name)
        return Space.of(numbers, codes, tables, self.weights_of(names) / self.weights.max())

    @cached_property
    def lacking(self) -> tuple[str, ...]:
        """The numbers for which the space has a category that tells whether they are missing."""
        return tuple(name for name in self.numeric if self.apart and self.gone(name).any())

    def gone(self, name: str) -> BoolVector:
        """Which cells of a column are missing."""
        if self.missing is None:
            return np.zeros(self.count, dtype=np.bool_)
        return self.missing[:, self.names.index(name)]

    @cached_property
    def tuples(self) -> Tuples:
        """The different combinations of categories."""
        first = self._distinct[0]
        weights = self.weights_of([column.name for column in self.categories])
        weights = weights / weights.max()
        shares = weights / weights.sum()
        tables = [column.rounded(share) for column, share in zip(self.categories, shares, strict=True)]
        widths = np.array([len(table) for table in tables], dtype=np.int64)
        return Tuples(
            codes=np.ascontiguousarray(self.codes[first]),
            counts=np.bincount(self.tuple_of).astype(np.int64),
            distance=np.concatenate([table.ravel() for table in tables]),
            starts=np.cumsum(widths**2) - widths**2,
            widths=widths,
        )

    def table_of(self, j: int) -> FloatMatrix:
        """The table of distances of one of the categories, as the methods see it."""
        tuples = self.tuples
        start, width = int(tuples.starts[j]), int(tuples.widths[j])
        return tuples.distance[start : start + width * width].reshape(width, width)

    @property
    def tuple_of(self) -> IntVector:
        """For each record its combination of categories."""
        return self._distinct[1]

    @cached_property
    def _distinct(self) -> tuple[IntVector, IntVector]:
        """The first record of each combination, and the combination of each record."""
        key = np.zeros(self.count, dtype=np.int64)
        for j, column in enumerate(self.categories):
            # numbered anew after each column, so that no product of sizes can overflow
            key = dense(key * len(column.hierarchy) + self.codes[:, j])
        return by_first_row(key)

    def some(self, rows: IntVector) -> Records:
        """These records alone, on the same base."""
        codes = self.codes[rows] if self.categories else self.codes
        values = self.values[rows] if len(self.values) else self.values
        demands = self.demands.some(rows) if self.demands is not None else None
        missing = self.missing[rows] if self.missing is not None else None
        few = replace(self, values=values, codes=codes, demands=demands, missing=missing)
        if "space" in self.__dict__:  # the tables and sketches of the categories are the same
            few.__dict__["space"], few.__dict__["lacking"] = self.space.some(rows), self.lacking
            if not len(self.space.widths):
                few.__dict__["matrix"] = few.space.matrix
        return few

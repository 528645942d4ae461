"""Records: the quasi-identifiers of a table as arrays, the only input of a method. The survey design beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shoal.domain.arrays import (
    BoolMatrix,
    BoolVector,
    FloatMatrix,
    FloatVector,
    IntMatrix,
    IntVector,
    dense_ranks,
    number_by_first_row,
)
from shoal.domain.columns import Kind
from shoal.domain.constraints import ModelConstraints
from shoal.domain.scale import Scale
from shoal.domain.space import Space
from shoal.hierarchy import Hierarchy

_EXACT = 2.0**32


@dataclass(frozen=True, eq=False, repr=False)
class CategoricalColumn:
    """The hierarchy and the distances behind the codes of a categorical column.

    A code is the postorder number of a node in the hierarchy, so nodes with near codes are semantically close and the
    root is last. A column without a hierarchy has a flat one: its values, ordered by rank if they have ranks, under
    ``*``.
    """

    name: str
    kind: Kind
    hierarchy: Hierarchy
    """The values of the column and their ancestors only."""
    distance: FloatMatrix
    """The distance between any two nodes, from 0 to 1: semantic, by rank, or 1 between distinct values."""
    n_steps: int | None = None
    """The number of steps in a distance of 1, if distances are counted in steps, as between ranks."""
    missing_code: int | None = None
    """The code of the node for missing values; None if there is none."""

    def exact_distance(self, fraction: float = 1.0) -> FloatMatrix:
        """The distances times a fraction, as multiples of 2**-32; two steps are exactly twice as far as one."""
        if self.n_steps is None:
            return np.asarray(np.rint(self.distance * fraction * _EXACT) / _EXACT)
        step = np.rint(fraction / self.n_steps * _EXACT) / _EXACT
        return np.asarray(np.rint(self.distance * self.n_steps) * step)


class Tuples(NamedTuple):
    """The distinct combinations of categories in order of first occurrence, and the distances between them.

    ``distance`` concatenates the distance tables of all columns, row by row; that of column j begins at
    ``table_offsets[j]`` and has ``widths[j]`` rows. They include the weights, so that the sum over columns is the
    weighted mean distance. All are multiples of 2**-32, so sums over millions of records are exact and do not depend on
    the order of addition.
    """

    codes: IntMatrix
    counts: IntVector
    distance: FloatVector
    table_offsets: IntVector
    widths: IntVector


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """The quasi-identifiers of a table as arrays: the only input of a method."""

    names: tuple[str, ...]
    values: FloatMatrix
    """The numeric columns, in the order of ``names``."""
    scale: Scale
    weights: FloatVector
    """The weight of each column, numeric or not."""
    categories: tuple[CategoricalColumn, ...] = ()
    """The categorical columns, in the order of ``names``."""
    codes: IntMatrix = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    """One column of codes per categorical column."""
    constraints: ModelConstraints | None = None
    """Privacy model constraints on every group; None if there are none."""
    missing: BoolMatrix | None = None
    """Mask of the missing cells, by record and name; they hold a placeholder. None if no cell is missing."""
    timezone_aware: tuple[str, ...] = ()
    """The dates with a time zone; they are in UTC."""
    separate_missing: bool = False
    """Whether missing cells are far from present ones; else they are located at their placeholders."""
    dates: tuple[str, ...] = ()
    """The numeric columns that are dates, as days since 1970-01-01."""

    def __repr__(self) -> str:
        return f"Records(records={self.count}, columns={list(self.names)})"

    @property
    def count(self) -> int:
        return len(self.codes) if self.categories else len(self.values)

    @property
    def numeric(self) -> tuple[str, ...]:
        """The names of the numeric columns, including dates."""
        categorical = {column.name for column in self.categories}
        return tuple(name for name in self.names if name not in categorical)

    @property
    def kinds(self) -> Mapping[str, Kind]:
        categorical = {column.name: column.kind for column in self.categories}
        dates = dict.fromkeys(self.dates, Kind.DATE)
        return {name: categorical.get(name, dates.get(name, Kind.NUMERIC)) for name in self.names}

    def weights_of(self, names: Sequence[str]) -> FloatVector:
        return self.weights[[self.names.index(name) for name in names]]

    @cached_property
    def matrix(self) -> FloatMatrix:
        """Scaled and weighted rows: squared distances are sums of squared differences."""
        scaled = self.scale.apply(self.values)
        scaled *= np.sqrt(self.weights_of(self.numeric) / self.weights.max())
        return np.ascontiguousarray(scaled)

    @cached_property
    def space(self) -> Space:
        """Numbers and categories with their distances, for distance-based methods."""
        numbers = self.matrix if self.numeric else np.empty((self.count, 0))
        codes = self.codes if self.categories else np.empty((self.count, 0), dtype=np.int64)
        tables = [column.exact_distance() for column in self.categories]
        names = [column.name for column in self.categories]
        for name in self.missing_indicators:  # missing and present numbers differ like two categories
            codes = np.column_stack([codes, self.is_missing(name)])
            tables.append(1.0 - np.eye(2))
            names.append(name)
        return Space.of(numbers, codes, tables, self.weights_of(names) / self.weights.max())

    @cached_property
    def missing_indicators(self) -> tuple[str, ...]:
        """The numeric columns that have a category for missing values in the space."""
        return tuple(name for name in self.numeric if self.separate_missing and self.is_missing(name).any())

    def is_missing(self, name: str) -> BoolVector:
        """Mask of the missing cells of a column."""
        if self.missing is None:
            return np.zeros(self.count, dtype=np.bool_)
        return self.missing[:, self.names.index(name)]

    @cached_property
    def tuples(self) -> Tuples:
        first = self._distinct[0]
        weights = self.weights_of([column.name for column in self.categories])
        weights = weights / weights.max()
        fractions = weights / weights.sum()
        tables = [column.exact_distance(fraction) for column, fraction in zip(self.categories, fractions, strict=True)]
        widths = np.array([len(table) for table in tables], dtype=np.int64)
        return Tuples(
            codes=np.ascontiguousarray(self.codes[first]),
            counts=np.bincount(self.tuple_index).astype(np.int64),
            distance=np.concatenate([table.ravel() for table in tables]),
            table_offsets=np.cumsum(widths**2) - widths**2,
            widths=widths,
        )

    def distance_table(self, j: int) -> FloatMatrix:
        """The weighted distance table of a categorical column."""
        tuples = self.tuples
        start, width = int(tuples.table_offsets[j]), int(tuples.widths[j])
        return tuples.distance[start : start + width * width].reshape(width, width)

    @property
    def tuple_index(self) -> IntVector:
        """The index of each record's tuple."""
        return self._distinct[1]

    @cached_property
    def _distinct(self) -> tuple[IntVector, IntVector]:
        """The first record of each tuple, and the tuple of each record."""
        key = np.zeros(self.count, dtype=np.int64)
        for j, column in enumerate(self.categories):
            # renumber after each column, so that the product of sizes cannot overflow
            key = dense_ranks(key * len(column.hierarchy) + self.codes[:, j])
        return number_by_first_row(key)

    def with_space(self, space: Space) -> Records:
        """These records in a space that shares the distance tables of another one."""
        copied = replace(self)
        copied.__dict__["space"] = space
        return copied

    def take(self, rows: IntVector) -> Records:
        """Select records on the same scale."""
        codes = self.codes[rows] if self.categories else self.codes
        values = self.values[rows] if len(self.values) else self.values
        demands = self.constraints.take(rows) if self.constraints is not None else None
        missing = self.missing[rows] if self.missing is not None else None
        selected = replace(self, values=values, codes=codes, constraints=demands, missing=missing)
        if "space" in self.__dict__:  # distance tables and sketches are shared
            selected.__dict__["space"] = self.space.take(rows)
            selected.__dict__["missing_indicators"] = self.missing_indicators
            if not len(self.space.widths):
                selected.__dict__["matrix"] = selected.space.matrix
        return selected


@dataclass(frozen=True, eq=False, repr=False)
class SurveyDesign:
    """The survey design of the records; every part is optional."""

    sampling_weights: FloatVector | None = None
    """The number of persons in the population that each record represents, above 0."""
    strata: IntVector | None = None
    """The stratum of each record, numbered from 0; groups never cross strata."""
    households: IntVector | None = None
    """The household of each record, numbered from 0; its members stay in one group."""

    def take(self, rows: IntVector) -> SurveyDesign:
        """Select records, in the given order."""
        return SurveyDesign(
            None if self.sampling_weights is None else self.sampling_weights[rows],
            None if self.strata is None else self.strata[rows],
            None if self.households is None else self.households[rows],
        )

"""A pair: a table and its release as arrays, record beside record. All that a measure gets to see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from shoal.measure.individual import individual_risk
from shoal.values import (
    BoolMatrix,
    BoolVector,
    Categories,
    FloatMatrix,
    FloatVector,
    IntMatrix,
    IntVector,
    Scale,
    Sensitive,
    middle,
)

BLOCK = 65_536
"""Records that measures look at together: few enough for what they make of them to fit into a cache."""
FREQUENT = 12
"""Categories that are looked at one by one; all others are looked at together."""


@dataclass(frozen=True, eq=False, repr=False)
class Classes:
    """What a risk sees: for every record the size of its class, and the k that was promised."""

    sizes: IntVector | FloatVector
    """Where missing values are wildcards, how many records may look the same: not always a whole number."""
    k: int | None
    weights: FloatVector | None = None
    """The sum of the sampling weights of each record's class; None where the table is the population."""
    households: IntVector | None = None
    """The household of each record, numbered from 0."""
    classes: int | None = None
    """The number of classes, where the sizes do not tell it."""
    numbers: IntVector | None = None
    """The class of each record, numbered from 0."""
    population: FloatVector | None = None
    """The records of each record's class in a table of the population; None where there is no such table."""

    @property
    def records(self) -> int:
        return len(self.sizes)

    @cached_property
    def risk(self) -> FloatVector:
        """The individual risk of each record."""
        return individual_risk(self.sizes, self.weights)

    @property
    def persons(self) -> FloatVector:
        """The persons of each record's class: counted in the population, else the sum of weights, else its records.

        Never fewer than the records: these are persons too.
        """
        known = self.weights if self.population is None else self.population
        return np.asarray(self.sizes if known is None else np.maximum(known, self.sizes), dtype=np.float64)

    def some(self, rows: slice) -> Self:
        """These records alone; their classes stay those of the whole table."""
        return replace(
            self,
            sizes=self.sizes[rows],
            weights=None if self.weights is None else self.weights[rows],
            households=None if self.households is None else self.households[rows],
            numbers=None if self.numbers is None else self.numbers[rows],
            population=None if self.population is None else self.population[rows],
        )

    def blocks(self) -> Iterator[Self]:
        """The records in their order, some at a time."""
        for start in range(0, self.records, BLOCK):
            yield self.some(slice(start, start + BLOCK))


@dataclass(frozen=True, eq=False, repr=False)
class Meaning:
    """The categories of the original and of the released records, as codes. All columns count the same."""

    categories: tuple[Categories, ...]
    original: IntMatrix
    released: IntMatrix

    def column(self, j: int) -> Meaning:
        """One column by itself."""
        return Meaning(self.categories[j : j + 1], self.original[:, [j]], self.released[:, [j]])


@dataclass(frozen=True, eq=False, repr=False)
class Facts:
    """What is known about the whole table before any part of it is looked at; numbers are on the base."""

    records: int
    k: int | None
    names: tuple[str, ...]
    numeric: tuple[str, ...]
    categories: tuple[Categories, ...]
    weights: FloatVector
    """How much each of the names counts."""
    unit: float
    """What one squared unit of the base is in squared units of the figures reported."""
    center: FloatVector
    """The mean of each numeric column, over what is not missing; likewise all below."""
    spread: FloatVector
    """Its standard deviation, with n - 1."""
    low: FloatVector
    high: FloatVector
    cuts: FloatMatrix
    """Its quartiles, a row for each numeric column."""
    centroid: IntVector
    """For each category the node with the least sum of distances to all records."""
    frequent: tuple[IntVector, ...]
    """For each category its most frequent original values, at most `FREQUENT`; of equal ones the first."""
    classes: int
    """The classes of the release."""
    sensitive: tuple[Sensitive, ...] = ()
    """The sensitive columns of the whole table."""
    shown_spread: FloatVector = field(default_factory=lambda: np.empty(0))
    """The standard deviation of each numeric column as released, over what is shown and was not missing before."""

    @property
    def measured(self) -> tuple[str, ...]:
        """The names of the columns that are compared: numbers before categories."""
        return (*self.numeric, *(column.name for column in self.categories))

    def weight_of(self, name: str) -> float:
        """How much a column counts."""
        return float(self.weights[self.names.index(name)])


@dataclass(frozen=True, eq=False, repr=False)
class Pair:
    """A table and its release, or a block of both."""

    names: tuple[str, ...]
    """The quasi-identifiers."""
    before: Classes
    after: Classes
    numeric: tuple[str, ...] = ()
    """Those that are measured in numbers, dates among them."""
    dates: tuple[str, ...] = ()
    """Those of them that are dates, as days since 1970-01-01."""
    values: tuple[FloatVector, ...] = ()
    """The original numbers, column by column, with a stand-in where one was missing."""
    shown: tuple[FloatVector, ...] = ()
    """The released ones: of an interval the middle, and the mean of the column where nothing is shown."""
    scale: Scale | None = None
    """The base on which numbers are measured."""
    gaps: BoolMatrix | None = None
    """Which of the original numbers were missing."""
    blank: BoolMatrix | None = None
    """Where the release shows no number."""
    bounds: Mapping[str, tuple[FloatVector, FloatVector]] = field(default_factory=dict)
    """The ends of what is shown, for columns that show intervals."""
    categories: tuple[Categories, ...] = ()
    """The quasi-identifiers that are not numbers."""
    codes: IntMatrix = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    nodes: IntMatrix = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    """The original and the released categories; the root where nothing is shown."""
    absent: BoolMatrix | None = None
    """Which of the original categories were missing."""
    untold: BoolMatrix | None = None
    """Where the cell of a released category is empty."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """How much each quasi-identifier counts; 1 where nothing is said."""
    suppressed: BoolVector | None = None
    """The records that show no quasi-identifier."""
    sensitive: tuple[Sensitive, ...] = ()
    sampling: FloatVector | None = None
    """How many persons each record stands for."""
    distance: str | None = None
    """How the distances between categories are measured."""
    least: float | None = None
    """What no partition can go below in squared distances, by weights of which the largest is 1, where it is known."""
    whole: Facts | None = None
    """The facts of the whole table, where this is a block of it."""

    @property
    def records(self) -> int:
        return self.after.records

    @cached_property
    def was(self) -> FloatMatrix:
        """The original numbers on the base."""
        return self.on_base(self.values)

    @cached_property
    def now(self) -> FloatMatrix:
        """The released numbers on the base."""
        return self.on_base(self.shown)

    def on_base(self, columns: Sequence[FloatVector]) -> FloatMatrix:
        """Raw numbers, a column for each numeric quasi-identifier, on the base."""
        if self.scale is None or not columns:
            return np.empty((self.records, 0))
        return self.scale.apply(np.column_stack(columns))

    def column_on_base(self, j: int, numbers: FloatVector) -> FloatVector:
        """Raw numbers of one numeric quasi-identifier, on the base."""
        return numbers if self.scale is None else self.scale.column(j).apply(numbers[:, None])[:, 0]

    def ends(self, j: int) -> tuple[FloatVector, FloatVector] | None:
        """On the base, the ends of the intervals that a numeric column shows; None where it shows numbers."""
        found = self.bounds.get(self.numeric[j])
        return None if found is None else (self.column_on_base(j, found[0]), self.column_on_base(j, found[1]))

    def gone(self, j: int) -> BoolVector:
        """Which of the original numbers of a column were missing."""
        return np.zeros(self.records, dtype=np.bool_) if self.gaps is None else self.gaps[:, j]

    def empty(self, j: int) -> BoolVector:
        """Where the release shows no number in a column."""
        return np.zeros(self.records, dtype=np.bool_) if self.blank is None else self.blank[:, j]

    def lacked(self, j: int) -> BoolVector:
        """Which of the original categories of a column were missing."""
        return np.zeros(self.records, dtype=np.bool_) if self.absent is None else self.absent[:, j]

    @property
    def meaning(self) -> Meaning | None:
        """The categories of the original and of the released records; None where there are none."""
        return Meaning(self.categories, self.codes, self.nodes) if self.categories else None

    @cached_property
    def facts(self) -> Facts:
        """What is known about the whole table."""
        return self.whole or _facts(self)

    def some(self, rows: slice) -> Self:
        """These records alone, on the same base."""
        other = bool(self.categories)
        return replace(
            self,
            before=self.before.some(rows),
            after=self.after.some(rows),
            values=tuple(column[rows] for column in self.values),
            shown=tuple(column[rows] for column in self.shown),
            gaps=None if self.gaps is None else self.gaps[rows],
            blank=None if self.blank is None else self.blank[rows],
            bounds={name: (low[rows], high[rows]) for name, (low, high) in self.bounds.items()},
            codes=self.codes[rows] if other else self.codes,
            nodes=self.nodes[rows] if other else self.nodes,
            absent=None if self.absent is None else self.absent[rows],
            untold=None if self.untold is None else self.untold[rows],
            suppressed=None if self.suppressed is None else self.suppressed[rows],
            sensitive=tuple(column.some(rows) for column in self.sensitive),
            sampling=None if self.sampling is None else self.sampling[rows],
            whole=self.facts,
        )

    def blocks(self) -> Iterator[Self]:
        """The records in their order, some at a time."""
        for start in range(0, self.records, BLOCK):
            yield self.some(slice(start, start + BLOCK))


class _Column(NamedTuple):
    """The facts of one numeric column."""

    center: float
    spread: float
    low: float
    high: float
    cuts: FloatVector
    shown_spread: float


def _facts(pair: Pair) -> Facts:
    """Column by column, so that no copy of the whole table is made."""
    columns = [_column(pair, j) for j in range(len(pair.numeric))]
    centroid, frequent = [], []
    for j, column in enumerate(pair.categories):
        counts = np.bincount(pair.codes[:, j], minlength=len(column.distance))
        centroid.append(int(np.argmin(counts @ column.rounded())))  # exact sums: on every machine the same
        order = np.argsort(-counts, kind="stable")[:FREQUENT]
        frequent.append(order[counts[order] > 0])
    numbers = pair.after.numbers
    count = pair.after.classes if numbers is None else int(numbers.max()) + 1
    return Facts(
        records=pair.records,
        k=pair.after.k,
        names=pair.names,
        numeric=pair.numeric,
        categories=pair.categories,
        weights=np.array([pair.weights.get(name, 1.0) for name in pair.names]),
        unit=1.0 if pair.scale is None else pair.scale.unit,
        center=np.array([column.center for column in columns]),
        spread=np.array([column.spread for column in columns]),
        low=np.array([column.low for column in columns]),
        high=np.array([column.high for column in columns]),
        cuts=np.array([column.cuts for column in columns]).reshape(len(columns), 3),
        centroid=np.array(centroid, dtype=np.int64),
        frequent=tuple(frequent),
        classes=0 if count is None else count,
        sensitive=pair.sensitive,
        shown_spread=np.array([column.shown_spread for column in columns]),
    )


def _column(pair: Pair, j: int) -> _Column:
    known = pair.column_on_base(j, pair.values[j])
    known = known if pair.gaps is None else known[~pair.gaps[:, j]]
    known = known if len(known) else np.zeros(1)
    low, high = float(known.min()), float(known.max())
    spread = float(known.std(ddof=1)) if low < high else 0.0
    cuts = np.quantile(known, (0.25, 0.5, 0.75))
    return _Column(middle(known), spread, low, high, cuts, _shown_spread(pair, j))


def _shown_spread(pair: Pair, j: int) -> float:
    """The standard deviation of what the release shows of a column, on the base, with n - 1."""
    column = pair.column_on_base(j, pair.shown[j])
    if pair.blank is not None or pair.gaps is not None:
        column = column[~(pair.empty(j) | pair.gone(j))]
    largest = np.abs(column).max(initial=0.0)  # squares of what is far beyond the original would be infinite
    return float((column / largest).std(ddof=1) * largest) if len(column) > 1 and largest > 0 else 0.0

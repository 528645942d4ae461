"""Inputs of the metrics: the original and the released records as aligned arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from shoal import data
from shoal.data import Table
from shoal.domain import (
    BoolMatrix,
    BoolVector,
    CategoricalColumn,
    FloatMatrix,
    FloatVector,
    IntMatrix,
    IntVector,
    Scale,
    SensitiveColumn,
    SurveyDesign,
    stable_mean,
)
from shoal.metrics.individual_risk import individual_risk

BLOCK_RECORDS = 65_536
"""Records per block: few enough for the temporary arrays of the metrics to fit into a CPU cache."""
MAX_FREQUENT = 12
"""Number of categories per column that are counted separately; all others are counted together."""


@dataclass(frozen=True, eq=False, repr=False)
class EquivalenceClasses:
    """Equivalence classes as the risk metrics see them, with one entry per record."""

    sizes: IntVector | FloatVector
    """The size of each record's class. With wildcards, the number of compatible records, which may be fractional."""
    k: int | None
    weighted_sizes: FloatVector | None = None
    """The sum of the sampling weights in each record's class; None if the table is the population."""
    households: IntVector | None = None
    n_classes: int | None = None
    """The number of classes if the sizes do not determine it, as with wildcards."""
    labels: IntVector | None = None
    population_counts: FloatVector | None = None
    """The size of each record's class in a population table; None without such a table."""

    @property
    def records(self) -> int:
        return len(self.sizes)

    @cached_property
    def risk(self) -> FloatVector:
        """The individual risk of each record."""
        return individual_risk(self.sizes, self.weighted_sizes)

    @property
    def population_sizes(self) -> FloatVector:
        """The number of persons in each record's class in the population.

        Counted in the population table if there is one, else estimated by the sum of the sampling weights, else the
        class size. Never less than the class size.
        """
        known = self.weighted_sizes if self.population_counts is None else self.population_counts
        return np.asarray(self.sizes if known is None else np.maximum(known, self.sizes), dtype=np.float64)

    def take(self, rows: slice) -> Self:
        """Select records. Class sizes remain those of the whole table."""
        return replace(
            self,
            sizes=self.sizes[rows],
            weighted_sizes=None if self.weighted_sizes is None else self.weighted_sizes[rows],
            households=None if self.households is None else self.households[rows],
            labels=None if self.labels is None else self.labels[rows],
            population_counts=None if self.population_counts is None else self.population_counts[rows],
        )

    def blocks(self) -> Iterator[Self]:
        """Yield the records in order, in blocks."""
        for start in range(0, self.records, BLOCK_RECORDS):
            yield self.take(slice(start, start + BLOCK_RECORDS))


@dataclass(frozen=True, eq=False, repr=False)
class CategoryCodes:
    """The original and the released categories as codes. All columns have equal weight."""

    categories: tuple[CategoricalColumn, ...]
    original: IntMatrix
    released: IntMatrix


@dataclass(frozen=True, eq=False, repr=False)
class TableFacts:
    """Statistics of the whole table that the metrics of a block need; numbers are scaled."""

    records: int
    k: int | None
    quasi_identifiers: tuple[str, ...]
    numeric: tuple[str, ...]
    categories: tuple[CategoricalColumn, ...]
    weights: FloatVector
    """The weight of each quasi-identifier."""
    squared_unit: float
    """One squared scaled unit, in squared units of the reported values."""
    means: FloatVector
    """The mean of each numeric column. This and the statistics below ignore missing values."""
    stds: FloatVector
    """The standard deviation of each numeric column, with n - 1."""
    minima: FloatVector
    maxima: FloatVector
    quartiles: FloatMatrix
    centroid_codes: IntVector
    """For each categorical column, the node with the smallest sum of distances to all records."""
    frequent_codes: tuple[IntVector, ...]
    """The most frequent original codes per categorical column, at most `MAX_FREQUENT`; ties go to the smaller code."""
    n_classes: int
    """The number of classes in the release."""
    sensitive: tuple[SensitiveColumn, ...] = ()
    released_stds: FloatVector = field(default_factory=lambda: np.empty(0))
    """The standard deviation of each released numeric column, without values missing before or after the release."""

    @property
    def compared_columns(self) -> tuple[str, ...]:
        """The names of the compared columns: numeric before categorical."""
        return (*self.numeric, *(column.name for column in self.categories))

    def weight_of(self, name: str) -> float:
        """The weight of a column."""
        return float(self.weights[self.quasi_identifiers.index(name)])


@dataclass(frozen=True, eq=False, repr=False)
class MetricInputs:
    """The original and the released records, or a block of them."""

    quasi_identifiers: tuple[str, ...]
    original_classes: EquivalenceClasses
    released_classes: EquivalenceClasses
    numeric: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    """The numeric quasi-identifiers that are dates, as days since 1970-01-01."""
    original_values: tuple[FloatVector, ...] = ()
    """The original numbers, column by column; a placeholder where one is missing."""
    released_values: tuple[FloatVector, ...] = ()
    """The released numbers: the midpoint of an interval, the mean of the column where the release is empty."""
    scale: Scale | None = None
    original_missing: BoolMatrix | None = None
    released_missing: BoolMatrix | None = None
    released_intervals: Mapping[str, tuple[FloatVector, FloatVector]] = field(default_factory=dict)
    """The lower and upper ends of the released intervals, for columns released as intervals."""
    categories: tuple[CategoricalColumn, ...] = ()
    original_codes: IntMatrix = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    released_codes: IntMatrix = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    """The original and the released codes; a missing released value has the code of the root."""
    original_codes_missing: BoolMatrix | None = None
    released_codes_missing: BoolMatrix | None = None
    """Mask of the released categories whose cell is empty."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """The weight of each quasi-identifier; 1 if unspecified."""
    suppressed: BoolVector | None = None
    sensitive: tuple[SensitiveColumn, ...] = ()
    sampling_weights: FloatVector | None = None
    distance: str | None = None
    """The semantic distance between categories, by name."""
    lower_bound: float | None = None
    """A lower bound of the squared error of any partition, for weights scaled to a maximum of 1; None if unknown."""
    table_facts: TableFacts | None = None
    """The statistics of the whole table, if these are the records of a block."""

    @property
    def records(self) -> int:
        return self.released_classes.records

    @cached_property
    def original(self) -> FloatMatrix:
        """The original numbers, scaled."""
        return self.to_scale(self.original_values)

    @cached_property
    def released(self) -> FloatMatrix:
        """The released numbers, scaled."""
        return self.to_scale(self.released_values)

    def to_scale(self, columns: Sequence[FloatVector]) -> FloatMatrix:
        """Scale raw numbers, one column per numeric quasi-identifier."""
        if self.scale is None or not columns:
            return np.empty((self.records, 0))
        return self.scale.apply(np.column_stack(columns))

    def column_to_scale(self, j: int, numbers: FloatVector) -> FloatVector:
        """Scale raw numbers of one numeric quasi-identifier."""
        return numbers if self.scale is None else self.scale.column(j).apply(numbers[:, None])[:, 0]

    def scaled_intervals(self, j: int) -> tuple[FloatVector, FloatVector] | None:
        """The scaled lower and upper ends of the released intervals of a column; None if it has no intervals."""
        interval = self.released_intervals.get(self.numeric[j])
        return (
            None if interval is None else (self.column_to_scale(j, interval[0]), self.column_to_scale(j, interval[1]))
        )

    def is_original_missing(self, j: int) -> BoolVector:
        """Mask of the missing original numbers of a column."""
        return self._mask_column(self.original_missing, j)

    def is_released_missing(self, j: int) -> BoolVector:
        """Mask of the missing released numbers of a column."""
        return self._mask_column(self.released_missing, j)

    def is_original_code_missing(self, j: int) -> BoolVector:
        """Mask of the missing original categories of a column."""
        return self._mask_column(self.original_codes_missing, j)

    def is_released_code_missing(self, j: int) -> BoolVector:
        """Mask of the empty cells of a released categorical column."""
        return self._mask_column(self.released_codes_missing, j)

    def _mask_column(self, mask: BoolMatrix | None, j: int) -> BoolVector:
        return np.zeros(self.records, dtype=np.bool_) if mask is None else mask[:, j]

    @property
    def category_codes(self) -> CategoryCodes | None:
        """The original and the released codes; None without categorical columns."""
        return CategoryCodes(self.categories, self.original_codes, self.released_codes) if self.categories else None

    @cached_property
    def facts(self) -> TableFacts:
        """The statistics of the whole table."""
        return self.table_facts or _table_facts(self)

    def take(self, rows: slice) -> Self:
        """Select records on the same scale."""
        categorical = bool(self.categories)
        return replace(
            self,
            original_classes=self.original_classes.take(rows),
            released_classes=self.released_classes.take(rows),
            original_values=tuple(column[rows] for column in self.original_values),
            released_values=tuple(column[rows] for column in self.released_values),
            original_missing=None if self.original_missing is None else self.original_missing[rows],
            released_missing=None if self.released_missing is None else self.released_missing[rows],
            released_intervals={name: (low[rows], high[rows]) for name, (low, high) in self.released_intervals.items()},
            original_codes=self.original_codes[rows] if categorical else self.original_codes,
            released_codes=self.released_codes[rows] if categorical else self.released_codes,
            original_codes_missing=None if self.original_codes_missing is None else self.original_codes_missing[rows],
            released_codes_missing=None if self.released_codes_missing is None else self.released_codes_missing[rows],
            suppressed=None if self.suppressed is None else self.suppressed[rows],
            sensitive=tuple(column.take(rows) for column in self.sensitive),
            sampling_weights=None if self.sampling_weights is None else self.sampling_weights[rows],
            table_facts=self.facts,
        )

    def blocks(self) -> Iterator[Self]:
        """Yield the records in order, in blocks."""
        for start in range(0, self.records, BLOCK_RECORDS):
            yield self.take(slice(start, start + BLOCK_RECORDS))


class _NumericStatistics(NamedTuple):
    mean: float
    std: float
    minimum: float
    maximum: float
    quartiles: FloatVector
    released_std: float


def _table_facts(inputs: MetricInputs) -> TableFacts:
    """Compute the statistics column by column, without a copy of the whole table."""
    columns = [_column_statistics(inputs, j) for j in range(len(inputs.numeric))]
    categories = [
        category_facts(column, np.bincount(inputs.original_codes[:, j], minlength=len(column.distance)))
        for j, column in enumerate(inputs.categories)
    ]
    numbers = inputs.released_classes.labels
    count = inputs.released_classes.n_classes if numbers is None else int(numbers.max()) + 1
    return TableFacts(
        records=inputs.records,
        k=inputs.released_classes.k,
        quasi_identifiers=inputs.quasi_identifiers,
        numeric=inputs.numeric,
        categories=inputs.categories,
        weights=np.array([inputs.weights.get(name, 1.0) for name in inputs.quasi_identifiers]),
        squared_unit=1.0 if inputs.scale is None else inputs.scale.squared_unit,
        means=np.array([column.mean for column in columns]),
        stds=np.array([column.std for column in columns]),
        minima=np.array([column.minimum for column in columns]),
        maxima=np.array([column.maximum for column in columns]),
        quartiles=np.array([column.quartiles for column in columns]).reshape(len(columns), 3),
        centroid_codes=np.array([centroid for centroid, _ in categories], dtype=np.int64),
        frequent_codes=tuple(frequent for _, frequent in categories),
        n_classes=0 if count is None else count,
        sensitive=inputs.sensitive,
        released_stds=np.array([column.released_std for column in columns]),
    )


def category_facts(column: CategoricalColumn, counts: IntVector) -> tuple[int, IntVector]:
    """Return the centroid and the most frequent codes of a categorical column, from the counts of its codes."""
    centroid = int(np.argmin(counts @ column.exact_distance()))  # exact sums: the same on every machine
    order = np.argsort(-counts, kind="stable")[:MAX_FREQUENT]
    return centroid, order[counts[order] > 0]


def _column_statistics(inputs: MetricInputs, j: int) -> _NumericStatistics:
    known = inputs.column_to_scale(j, inputs.original_values[j])
    known = known if inputs.original_missing is None else known[~inputs.original_missing[:, j]]
    known = known if len(known) else np.zeros(1)
    low, high = float(known.min()), float(known.max())
    spread = float(known.std(ddof=1)) if low < high else 0.0
    cuts = np.quantile(known, (0.25, 0.5, 0.75))
    return _NumericStatistics(stable_mean(known), spread, low, high, cuts, _released_std(inputs, j))


def _released_std(inputs: MetricInputs, j: int) -> float:
    """The standard deviation (with n - 1) of a scaled released column."""
    column = inputs.column_to_scale(j, inputs.released_values[j])
    if inputs.released_missing is not None or inputs.original_missing is not None:
        column = column[~(inputs.is_released_missing(j) | inputs.is_original_missing(j))]
    largest = np.abs(column).max(initial=0.0)  # squares of values far beyond the original would overflow
    return float((column / largest).std(ddof=1) * largest) if len(column) > 1 and largest > 0 else 0.0


def count_classes(
    table: Table,
    names: Sequence[str],
    *,
    k: int | None,
    missing: str,
    alpha: float,
    design: SurveyDesign,
    suppressed: BoolVector | None = None,
    population: Table | None = None,
) -> EquivalenceClasses:
    """Compute the size of each record's class in these columns, and its sampling weight.

    A missing value is a category of its own, unless ``missing`` is ``wildcard``: then compatible records count with
    ``alpha``, except those that are ``suppressed``. In a ``population`` table, missing is always a category.
    """
    labels = data.class_labels(table, names)
    population_sizes = None if population is None else data.population_counts(table, population, names)
    if missing == "wildcard":
        sizes, weighted_sizes = data.separate_wildcard_counts(
            table, names, alpha=alpha, weights=design.sampling_weights, apart=suppressed
        )
        return EquivalenceClasses(
            sizes, k, weighted_sizes, design.households, int(labels.max()) + 1, population_counts=population_sizes
        )
    weighted_sizes = None
    if design.sampling_weights is not None:
        weighted_sizes = np.bincount(labels, design.sampling_weights).astype(np.float64)[labels]
    return EquivalenceClasses(
        np.bincount(labels)[labels],
        k,
        weighted_sizes,
        design.households,
        labels=labels,
        population_counts=population_sizes,
    )


T = TypeVar("T")


def memoize(function: Callable[[Any], T]) -> Callable[[Any], T]:
    """Cache the result of a function of the inputs, a block or the table facts, for the lifetime of that object."""
    key = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def wrapper(data: Any) -> T:
        cache: dict[str, T] = data.__dict__
        if key not in cache:
            cache[key] = function(data)
        return cache[key]

    return wrapper

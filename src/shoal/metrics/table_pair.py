"""Encode the original and the released quasi-identifiers of two tables, or of two files in pieces, for the metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from shoal import data
from shoal.data import Table
from shoal.data.chunked import ExactMoments, TableStatistics
from shoal.domain import (
    BoolVector,
    CategoricalColumn,
    Column,
    FloatVector,
    IntMatrix,
    IntVector,
    Kind,
    Scale,
    stable_mean,
)
from shoal.metrics.inputs import EquivalenceClasses, MetricInputs, TableFacts, category_facts

Bounds = tuple[FloatVector, FloatVector]
"""Lower and upper end of each cell: the same array twice if no cell is an interval."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PairEncoder:
    """Scale, categories and central values of two tables, which encode any part of them.

    An interval counts as its midpoint; a suppressed value counts as the mean, or as the root of its hierarchy.
    """

    quasi_identifiers: tuple[str, ...]
    weights: Mapping[str, float]
    distance: str
    separate_missing: bool
    """Whether a missing category is one of its own; else it has no loss if it was missing before."""
    numeric: tuple[str, ...] = ()
    """Numeric columns and dates; none if one of them has a cell that is no number."""
    dates: tuple[str, ...] = ()
    means: Mapping[str, float] = field(default_factory=dict)
    scale: Scale | None = None
    intervals: frozenset[str] = frozenset()
    """Columns that are released as intervals."""
    has_missing: bool = False
    """Whether a number of the original is missing."""
    categories: tuple[CategoricalColumn, ...] = ()
    central_nodes: tuple[int, ...] = ()
    """Node of the missing cells of each categorical column of the original."""
    incomparable: int = 0
    """Number of quasi-identifiers without a number in every record of both tables."""

    @classmethod
    def fit(
        cls, original: Table, released: Table, columns: Sequence[Column], *, standardize: bool, **options: Any
    ) -> tuple[Self, list[tuple[Bounds, Bounds]]]:
        """Compute the encoder of two tables in memory; also return the numbers, which are parsed once."""
        encoder = cls(quasi_identifiers=tuple(column.name for column in columns), **options)
        measured = [column for column in columns if _is_measured(column)]
        found = [tuple(_bounds(table, column) for table in (original, released)) for column in measured]
        bounds = [(before, after) for before, after in found if before is not None and after is not None]
        if len(bounds) == len(measured) and measured:
            values = [_midpoints(*before) for before, _ in bounds]
            missing = [np.isnan(column) for column in values]
            means = [stable_mean(column[~gaps]) for column, gaps in zip(values, missing, strict=True)]
            encoder = replace(
                encoder,
                **_names(measured, means),
                scale=data.fit_scale_by_column(values, missing, standardize=standardize),
                intervals=frozenset(
                    column.name for column, (_, after) in zip(measured, bounds, strict=True) if after[0] is not after[1]
                ),
                has_missing=any(gaps.any() for gaps in missing),
            )
        else:
            encoder = replace(encoder, incomparable=len(measured) - len(bounds))
        others = [column for column in columns if not _is_measured(column)]
        categories = data.encode_categories(
            original,
            others,
            distance=encoder.distance,
            other=released,
            allow_missing=True,
            separate_missing=encoder.separate_missing,
        )
        counts = [_node_counts(original, category) for category in categories]
        return encoder._with_categories(categories, counts), bounds

    @classmethod
    def from_statistics(
        cls,
        original: TableStatistics,
        released: TableStatistics,
        columns: Sequence[Column],
        *,
        k: int | None,
        standardize: bool,
        **options: Any,
    ) -> tuple[Self, TableFacts]:
        """Compute the encoder of two tables from their statistics, and the facts of the original for the metrics."""
        encoder = cls(quasi_identifiers=tuple(column.name for column in columns), **options)
        measured = [column for column in columns if _is_measured(column)]
        found = [(_NumberColumn.of(original, column), _NumberColumn.of(released, column)) for column in measured]
        pairs = [(before, after) for before, after in found if before is not None and after is not None]
        moments = [before.moments for before, _ in pairs]
        if len(pairs) == len(measured) and measured:
            encoder = replace(
                encoder,
                **_names(measured, [each.mean for each in moments]),
                scale=data.scale_of_moments(moments, standardize=standardize),
                intervals=frozenset(
                    column.name for column, (_, after) in zip(measured, pairs, strict=True) if after.has_intervals
                ),
                has_missing=any(before.has_missing for before, _ in pairs),
            )
        else:
            encoder, moments = replace(encoder, incomparable=len(measured) - len(pairs)), []
        others = [column for column in columns if not _is_measured(column)]
        categories = data.categories_from_statistics(
            original, released, others, distance=encoder.distance, separate_missing=encoder.separate_missing
        )
        counts = [data.node_counts(category, original.value_counts(category.name) or {}) for category in categories]
        encoder = encoder._with_categories(categories, counts)
        return encoder, encoder._facts(original, moments, counts, k)

    def _with_categories(self, categories: tuple[CategoricalColumn, ...], counts: Sequence[Any]) -> Self:
        nodes = tuple(data.central_node(*pair) for pair in zip(categories, counts, strict=True))
        return replace(self, categories=categories, central_nodes=nodes)

    def _facts(
        self, original: TableStatistics, moments: Sequence[ExactMoments], counts: Sequence[Any], k: int | None
    ) -> TableFacts:
        """Return the statistics of the original; quartiles are those of its sample."""
        missing = original.missing_counts()
        for category, of_nodes in zip(self.categories, counts, strict=True):
            node = self.central_nodes[self.categories.index(category)]
            of_nodes[node] += missing.get(category.name, 0)
        categories = [category_facts(*pair) for pair in zip(self.categories, counts, strict=True)]
        ends = np.array([[each.low if each.count else 0.0, each.high if each.count else 0.0] for each in moments])
        scale, n = self.scale, len(moments)
        quartiles = np.empty((n, 3))
        for j, name in enumerate(self.numeric):
            low, high = data.released_bounds(original.sample, name, dates=name in self.dates) or (np.empty(0),) * 2
            known = _midpoints(low, high)
            known = known[~np.isnan(known)]
            known = known if len(known) else np.zeros(1)
            quartiles[j] = np.quantile(_scaled(scale, j, known), (0.25, 0.5, 0.75))
        return TableFacts(
            records=original.records,
            k=k,
            quasi_identifiers=self.quasi_identifiers,
            numeric=self.numeric,
            categories=self.categories,
            weights=np.array([self.weights.get(name, 1.0) for name in self.quasi_identifiers]),
            squared_unit=1.0 if scale is None else scale.squared_unit,
            means=np.array([float(_scaled(scale, j, np.array([each.mean]))[0]) for j, each in enumerate(moments)]),
            stds=np.array(
                [0.0 if scale is None else data.scaled_std(each, scale, j) for j, each in enumerate(moments)]
            ),
            minima=np.array([float(_scaled(scale, j, ends[j, :1])[0]) for j in range(n)]),
            maxima=np.array([float(_scaled(scale, j, ends[j, 1:])[0]) for j in range(n)]),
            quartiles=quartiles,
            centroid_codes=np.array([centroid for centroid, _ in categories], dtype=np.int64),
            frequent_codes=tuple(frequent for _, frequent in categories),
            n_classes=0,
        )

    def transform(
        self,
        original: Table,
        released: Table,
        classes: tuple[EquivalenceClasses, EquivalenceClasses],
        bounds: Sequence[tuple[Bounds, Bounds]] | None = None,
        **inputs: Any,
    ) -> MetricInputs:
        """Encode both tables, or parts of them with column types, with the same records in the same order."""
        if bounds is None:
            bounds = [self._parse(original, released, name) for name in self.numeric]
        return MetricInputs(
            quasi_identifiers=self.quasi_identifiers,
            original_classes=classes[0],
            released_classes=classes[1],
            weights=self.weights,
            distance=self.distance,
            **self._numbers(bounds),
            **self._codes(original, released),
            **inputs,
        )

    def _parse(self, original: Table, released: Table, name: str) -> tuple[Bounds, Bounds]:
        before, after = (data.released_bounds(table, name, dates=name in self.dates) for table in (original, released))
        if before is None or after is None:
            raise RuntimeError("statistics have found numbers in every record")
        return before, after

    def _numbers(self, bounds: Sequence[tuple[Bounds, Bounds]]) -> dict[str, Any]:
        if not self.numeric:
            return {}
        originals, released, missing, released_missing, intervals = [], [], [], [], {}
        for name, (before, (low, high)) in zip(self.numeric, bounds, strict=True):
            column, mean = _midpoints(*before), self.means[name]
            is_missing, is_released_missing = np.isnan(column), np.isnan(low)
            originals.append(_filled(column, is_missing, mean))
            released.append(_filled(_midpoints(low, high), is_missing | is_released_missing, mean))
            missing.append(is_missing)
            released_missing.append(is_released_missing)
            if name in self.intervals:
                intervals[name] = (low, high)
        return {
            "numeric": self.numeric,
            "dates": self.dates,
            "scale": self.scale,
            "original_values": tuple(originals),
            "released_values": tuple(released),
            "original_missing": np.column_stack(missing) if self.has_missing else None,
            "released_missing": np.column_stack(released_missing) if any(map(np.any, released_missing)) else None,
            "released_intervals": intervals,
        }

    def _codes(self, original: Table, released: Table) -> dict[str, Any]:
        if not self.categories:
            return {}
        before, after = (data.node_codes(table, self.categories) for table in (original, released))
        missing, released_missing = before < 0, after < 0
        before = np.where(missing, np.array(self.central_nodes), before)
        return {
            "categories": self.categories,
            "original_codes": before,
            "released_codes": self._released_codes(before, after, missing),
            "original_codes_missing": missing,
            "released_codes_missing": released_missing,
        }

    def _released_codes(self, before: IntMatrix, after: IntMatrix, missing: Any) -> IntMatrix:
        """Return the released codes; the node of a missing cell is its own, or else the root."""
        roots = np.array([len(column.hierarchy) - 1 for column in self.categories])
        if not self.separate_missing:
            return np.where(missing, before, np.where(after < 0, roots, after))
        nodes = [
            root if column.missing_code is None else column.missing_code
            for column, root in zip(self.categories, roots.tolist(), strict=True)
        ]
        return np.where(after < 0, np.array(nodes), after)


def _is_measured(column: Column) -> bool:
    return column.kind in (Kind.NUMERIC, Kind.DATE)


def _node_counts(table: Table, category: CategoricalColumn) -> IntVector:
    """Count the nodes of a column with missing cells; in others they are not needed."""
    is_complete = not table.cells.content(category.name).values.null_count()
    return data.node_counts(category, {} if is_complete else data.value_counts(table, category.name))


def _names(measured: Sequence[Column], means: Sequence[float]) -> dict[str, Any]:
    names = tuple(column.name for column in measured)
    return {
        "numeric": names,
        "dates": tuple(column.name for column in measured if column.kind is Kind.DATE),
        "means": dict(zip(names, means, strict=True)),
    }


def _bounds(table: Table, column: Column) -> Bounds | None:
    return data.released_bounds(table, column.name, dates=column.kind is Kind.DATE)


def _filled(column: FloatVector, gaps: BoolVector, mean: float) -> FloatVector:
    return np.where(gaps, mean, column) if gaps.any() else column


def _midpoints(low: FloatVector, high: FloatVector) -> FloatVector:
    """Midpoints of intervals; halving first avoids overflow."""
    return low if low is high else low / 2 + high / 2


def _scaled(scale: Scale | None, j: int, numbers: FloatVector) -> FloatVector:
    return numbers if scale is None else scale.column(j).apply(numbers[:, None])[:, 0]


@dataclass(frozen=True)
class _NumberColumn:
    """A column of numbers, dates or intervals, from its statistics."""

    moments: ExactMoments
    """Of the midpoints."""
    has_missing: bool
    has_intervals: bool = False

    @classmethod
    def of(cls, statistics: TableStatistics, column: Column) -> Self | None:
        """Return the statistics of a column; None if a cell is no number, or too many distinct ones are text."""
        column_type = statistics.column_type(column.name)
        sketch = column_type.sketch
        if column.kind is column_type.kind and not sketch.invalid_times.count:
            return None if sketch.infinite.count else cls(sketch.moments, column_type.missing.count > 0)
        distinct = column_type.distinct_cells
        bounds = None if distinct is None else _bounds(data.distinct_table(statistics, column.name), column)
        if bounds is None or distinct is None:
            return None
        values = _midpoints(*bounds)
        known = ~np.isnan(values)
        moments = ExactMoments.of(values[known], distinct.counts[known])
        return cls(moments, not known.all(), bounds[0] is not bounds[1])

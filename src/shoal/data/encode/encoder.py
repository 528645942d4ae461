"""Encode quasi-identifiers as the arrays that methods and metrics take.

The scale, the categories and the imputation values depend on all records. An `Encoder` holds them and encodes any part
of the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypedDict, Unpack

import numpy as np

from shoal.data.chunked.column_sketch import Occurrence
from shoal.data.chunked.column_type import ColumnType
from shoal.data.chunked.exact_moments import ExactMoments
from shoal.data.chunked.table_statistics import TableStatistics
from shoal.data.encode.category_codes import (
    MAX_NODES,
    central_node,
    encode_categories,
    encode_category,
    node_codes,
    node_counts,
    with_missing_node,
)
from shoal.data.encode.dates import day_numbers, has_time_zone
from shoal.data.encode.numeric_columns import fit_scale, numeric_matrix
from shoal.data.library_errors import translate_errors
from shoal.data.table import Table
from shoal.domain import CategoricalColumn, FloatMatrix, FloatVector, IntMatrix, Records, Scale, stable_mean
from shoal.domain.columns import Column, Kind, Schema
from shoal.errors import ColumnError, DataError, HierarchyError, OptionError, PromiseError


class EncodingOptions(TypedDict, total=False):
    """Options of `encode_records` and of the constructors of `Encoder`."""

    standardize: bool
    distance: str
    """Semantic distance between the nodes of a hierarchy."""
    weights: Mapping[str, float] | None
    """Weight of columns in distances, 1 by default."""
    missing: str
    """How missing values are treated: ``refuse`` raises an error, ``category`` encodes them as far as possible from all
    other values, and all else imputes a central value."""


@dataclass(frozen=True, eq=False, repr=False)
class Encoder:
    """Scale, categories and imputation values of a whole table, which encode any part of it.

    `fit_transform` computes them from a table in memory, `from_statistics` from exact sums of its chunks. Both raise
    the same errors and find the same values, up to the rounding of sums.
    """

    names: tuple[str, ...]
    numeric: tuple[str, ...]
    """Names of the numeric columns, including dates."""
    dates: tuple[str, ...]
    timezone_aware: tuple[str, ...]
    scale: Scale
    weights: FloatVector
    categories: tuple[CategoricalColumn, ...]
    ranges: Mapping[str, tuple[float, float]]
    """Smallest and largest number, or day, of each numeric column that has any."""
    imputed_numbers: Mapping[str, float]
    """Mean of each numeric column, which replaces a missing number."""
    imputed_nodes: Mapping[str, int]
    """Node that replaces a missing category, of each column with missing values."""
    missing_counts: Mapping[str, int]
    """Number of missing values of each quasi-identifier that has any."""
    separate_missing: bool
    """Whether missing values are far from all other values."""
    records: int

    @classmethod
    def fit_transform(
        cls,
        table: Table,
        schema: Schema,
        *,
        standardize: bool = True,
        distance: str = "wu-palmer",
        weights: Mapping[str, float] | None = None,
        missing: str = "refuse",
    ) -> tuple[Self, Records]:
        """Compute the encoder of a table in memory and encode the table; every column is converted once."""
        names, columns = schema.quasi_identifiers, _quasi_identifiers(schema, table.names)
        allow_missing, separate_missing = missing != "refuse", missing == "category"
        numeric = tuple(column.name for column in columns if _is_numeric(column))
        dates = tuple(column.name for column in columns if column.kind is Kind.DATE)
        categories = encode_categories(
            table,
            [column for column in columns if not _is_numeric(column)],
            distance=distance,
            allow_missing=allow_missing,
            separate_missing=separate_missing,
        )
        values = numeric_matrix(table, numeric, dates=dates, allow_missing=allow_missing)
        is_missing = np.isnan(values)
        scale = fit_scale(values, is_missing, standardize=standardize)
        ranges, means, counts = {}, {}, {}
        for j, name in enumerate(numeric):
            known = np.ascontiguousarray(values[:, j])
            if is_missing[:, j].any():
                known = known[~is_missing[:, j]]
            if len(known):
                ranges[name] = float(known.min()), float(known.max())
            means[name], counts[name] = stable_mean(known), table.height - len(known)
        column_weights = resolve_weights(names, weights or {})
        codes, nodes = node_codes(table, categories), {}
        for j, category in enumerate(categories):
            absent = codes[:, j] < 0
            counts[category.name] = int(np.count_nonzero(absent))
            if counts[category.name]:
                present = np.bincount(codes[~absent, j], minlength=len(category.hierarchy))
                nodes[category.name] = central_node(category, present)
        encoder = cls(
            names,
            numeric,
            dates,
            tuple(name for name in dates if has_time_zone(table, name)),
            scale,
            column_weights,
            categories,
            ranges,
            means,
            nodes,
            {name: counts[name] for name in names if counts[name]},
            separate_missing,
            table.height,
        )
        return encoder, encoder._records(values, codes)

    @classmethod
    def from_statistics(
        cls,
        statistics: TableStatistics,
        schema: Schema,
        *,
        standardize: bool = True,
        distance: str = "wu-palmer",
        weights: Mapping[str, float] | None = None,
        missing: str = "refuse",
    ) -> Self:
        """Compute the encoder of a table from its statistics."""
        names, columns = schema.quasi_identifiers, _quasi_identifiers(schema, statistics.names)
        missing_counts = {name: count for name in names if (count := statistics.column_type(name).missing.count)}
        moments, categories, nodes = {}, [], {}
        for column in [column for column in columns if not _is_numeric(column)]:
            if missing == "refuse":
                _check_complete(column.name, statistics)
            category = _category(column, statistics, distance)
            if column.name in missing_counts:
                category = with_missing_node(category) if missing == "category" else category
                counts = node_counts(category, statistics.value_counts(column.name) or {})
                nodes[column.name] = central_node(category, counts)
            categories.append(category)
        for column in [column for column in columns if _is_numeric(column)]:
            moments[column.name] = _moments(column, statistics)
            if missing == "refuse":
                _check_complete(column.name, statistics)
        dates = tuple(column.name for column in columns if column.kind is Kind.DATE)
        return cls(
            names,
            tuple(moments),
            dates,
            tuple(name for name in dates if statistics.column_type(name).sketch.has_time_zones),
            scale_of_moments(list(moments.values()), standardize=standardize),
            resolve_weights(names, weights or {}),
            tuple(categories),
            {name: (each.low, each.high) for name, each in moments.items() if each.count},
            {name: each.mean for name, each in moments.items()},
            nodes,
            missing_counts,
            missing == "category",
            statistics.records,
        )

    def transform(self, table: Table) -> Records:
        """Encode the table or a chunk of it; a chunk must have the column types of the whole table.

        ``missing`` is a mask in every chunk or in none, and ``missing_indicators`` are those of the whole table, so
        that the spaces of all chunks have the same columns.
        """
        values = numeric_matrix(table, self.numeric, dates=self.dates, allow_missing=True)
        return self._records(values, node_codes(table, self.categories))

    def _records(self, values: FloatMatrix, codes: IntMatrix) -> Records:
        """Build the records; values and codes are changed: missing ones are imputed."""
        missing = np.zeros((len(values), len(self.names)), dtype=np.bool_)
        for j, name in enumerate(self.numeric):
            missing[:, self.names.index(name)] = is_missing = np.isnan(values[:, j])
            values[is_missing, j] = self.imputed_numbers[name]
        for j, column in enumerate(self.categories):
            missing[:, self.names.index(column.name)] = is_missing = codes[:, j] < 0
            if column.name in self.imputed_nodes:
                codes[is_missing, j] = self.imputed_nodes[column.name]
        complete = [j for j, name in enumerate(self.names) if name not in self.missing_counts]
        if missing[:, complete].any():
            raise PromiseError.unexpected_content("other missing values")
        records = Records(
            self.names,
            values,
            self.scale,
            self.weights,
            self.categories,
            codes,
            missing=missing if self.missing_counts else None,
            separate_missing=self.separate_missing,
            dates=self.dates,
            timezone_aware=self.timezone_aware,
        )
        records.__dict__["missing_indicators"] = tuple(
            name for name in self.numeric if self.separate_missing and name in self.missing_counts
        )
        return records

    def check_bounds(
        self, bounds: Mapping[str, tuple[float, float]], locate: Callable[[str, tuple[float, float]], Occurrence]
    ) -> None:
        """Raise if numbers lie outside the bounds of their columns; ``locate`` finds them for the error."""
        for name, (low, high) in bounds.items():
            if name not in self.numeric:
                raise ColumnError.unknown(name, self.numeric)
            smallest, largest = self.ranges.get(name, (low, high))
            if smallest < low or largest > high:
                raise DataError.out_of_bounds(name, of=self.records, **locate(name, (low, high)).error_arguments)

    def out_of_bounds(self, table: Table, name: str, bounds: tuple[float, float], *, start: int = 0) -> Occurrence:
        """Locate the numbers of the table, or of a chunk from row ``start`` on, outside the bounds of their column."""
        values = numeric_matrix(table, [name], dates=self.dates, allow_missing=True)[:, 0]
        return Occurrence.of((values < bounds[0]) | (values > bounds[1]), start)


def encode_records(table: Table, schema: Schema, **options: Unpack[EncodingOptions]) -> Records:
    """Encode the quasi-identifiers of a table in memory."""
    return Encoder.fit_transform(table, schema, **options)[1]


def resolve_weights(names: Sequence[str], weights: Mapping[str, float]) -> FloatVector:
    """Return the weight of each column in distances, 1 by default."""
    for name, weight in weights.items():
        if name not in names:
            raise ColumnError.unknown(name, names)
        if not (math.isfinite(weight) and weight > 0):
            raise OptionError.invalid_value("weights", "a number above 0 for each quasi-identifier that is named")
    return np.array([weights.get(name, 1.0) for name in names], dtype=np.float64)


def _quasi_identifiers(schema: Schema, names: Sequence[str]) -> list[Column]:
    """Return the columns of the quasi-identifiers; raise if the table lacks one."""
    for name in schema.quasi_identifiers:
        if name not in names:
            raise ColumnError.unknown(name, names)
    return [column for column in schema.columns if column.name in schema.quasi_identifiers]


def _is_numeric(column: Column) -> bool:
    return column.kind in (Kind.NUMERIC, Kind.DATE)


def _check_complete(name: str, statistics: TableStatistics) -> None:
    missing = statistics.column_type(name).missing
    if missing.count:
        raise DataError.missing_values(name, of=statistics.records, **missing.error_arguments)


def _category(column: Column, statistics: TableStatistics, distance: str) -> CategoricalColumn:
    column_type = statistics.column_type(column.name)
    with translate_errors(lambda: DataError.unknown_objects(column.name)):
        counts = column_type.value_counts()
    if column_type.distinct_content is None or counts is None:
        nodes = next(profile.distinct for profile in statistics.column_profiles() if profile.name == column.name)
        raise HierarchyError.too_many_values(column.name, nodes=nodes, most=MAX_NODES)
    return encode_category(column, column_type.distinct_content, counts, other_counts={}, distance=distance)


def _moments(column: Column, statistics: TableStatistics) -> ExactMoments:
    """Return the moments of a numeric or date column; raise if its values are not numbers or dates."""
    name, column_type, of = column.name, statistics.column_type(column.name), statistics.records
    sketch = column_type.sketch
    if column.kind is Kind.DATE:
        if column_type.kind is not Kind.DATE:
            return _declared_dates(name, column_type, of)
        if sketch.invalid_times.count:
            raise DataError.not_dates(name, of=of, **sketch.invalid_times.error_arguments)
        return sketch.moments
    if column_type.kind is not Kind.NUMERIC:
        if sketch.numbers and sketch.non_numbers.count:
            raise DataError.text_in_numbers(name, of=of, **sketch.non_numbers.error_arguments)
        if column_type.missing.count == of:
            return ExactMoments()
        raise ColumnError.not_numeric(name, column_type.kind)
    if sketch.infinite.count:
        raise DataError.infinite(name, of=of, **sketch.infinite.error_arguments)
    return sketch.moments


def _declared_dates(name: str, column_type: ColumnType, of: int) -> ExactMoments:
    """Return the moments of a text column that the user declared as dates, from its distinct values."""
    if column_type.distinct_content is None or column_type.distinct_cells is None:
        non_dates = column_type.sketch.non_dates
        if not non_dates.count:
            non_dates = Occurrence(of - column_type.missing.count, 0)
        raise DataError.not_dates(name, of=of, **non_dates.error_arguments)
    words = column_type.distinct_content.text_values
    days = day_numbers(words)
    odd = column_type.distinct_cells.occurrence(days.is_null() & words.is_not_null())
    if odd.count:
        raise DataError.not_dates(name, of=of, **odd.error_arguments)
    return ExactMoments.of(
        days.drop_nulls().to_numpy(), column_type.distinct_cells.counts[days.is_not_null().to_numpy()]
    )


def scale_of_moments(moments: Sequence[ExactMoments], *, standardize: bool) -> Scale:
    """Return the scale of columns with these moments, as `fit_scale` finds it in the columns."""
    if not standardize:
        largest = max((max(abs(each.low), abs(each.high)) for each in moments if each.count), default=0.0)
        return Scale.raw(np.full((1, len(moments)), largest))
    standardized = [each.standardized() for each in moments]
    exponent, center, spread = (np.array([each[part] for each in standardized]) for part in range(3))
    return Scale("standardized", exponent.astype(np.int64), center.astype(np.float64), spread.astype(np.float64))


def scaled_std(moments: ExactMoments, scale: Scale, j: int) -> float:
    """Return the standard deviation, with n - 1, of a scaled column with these moments."""
    if moments.constant:
        return 0.0
    exponent, _, spread = moments.standardized()
    return float(np.ldexp(spread, exponent - int(scale.exponent[j])) / scale.spread[j])

"""Encoder of quasi-identifiers for chunks: the global state that `encode_records` computes from the whole table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from shoal.data.chunked.column_sketch import Occurrence
from shoal.data.chunked.column_type import ColumnType
from shoal.data.chunked.exact_moments import ExactMoments
from shoal.data.chunked.source import ChunkedFile
from shoal.data.chunked.table_statistics import TableStatistics
from shoal.data.chunked.typed_chunks import with_column_types
from shoal.data.encode.category_codes import (
    MAX_NODES,
    category_codes,
    encode_category,
    node_counts,
    with_missing_node,
)
from shoal.data.encode.dates import day_numbers
from shoal.data.encode.encode_table import numeric_matrix, resolve_weights
from shoal.data.equivalence_classes import missing_mask
from shoal.data.library_errors import translate_errors
from shoal.data.table import Table
from shoal.domain import CategoricalColumn, FloatVector, Records, Scale
from shoal.domain.columns import Column, Kind, Schema
from shoal.errors import ColumnError, DataError, HierarchyError


@dataclass(frozen=True, eq=False, repr=False)
class Encoder:
    """Scales, categories and imputation values of the whole table, which encode any chunk of it."""

    names: tuple[str, ...]
    numeric: tuple[str, ...]
    dates: tuple[str, ...]
    zoned: tuple[str, ...]
    scale: Scale
    weights: FloatVector
    categories: tuple[CategoricalColumn, ...]
    imputed_numbers: Mapping[str, float]
    """Column mean that replaces a missing number, by name."""
    imputed_nodes: Mapping[str, int]
    """Node code that replaces a missing category, by name."""
    missing_counts: Mapping[str, int]
    """Number of missing values of each quasi-identifier that has any."""
    missing_as_category: bool
    records: int


def build_encoder(
    statistics: TableStatistics,
    schema: Schema,
    *,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weights: Mapping[str, float] | None = None,
    missing: str = "refuse",
) -> Encoder:
    """Build the encoder from the statistics of the table; raise if `encode_records` would refuse the table."""
    names = schema.quasi_identifiers
    types = {name: statistics.column_type(name) for name in names}
    columns = [column for column in schema.columns if column.name in names]
    measured = tuple(column.name for column in columns if column.kind in (Kind.NUMERIC, Kind.DATE))
    dates = tuple(column.name for column in columns if column.kind is Kind.DATE)
    refuse, separate_missing = missing == "refuse", missing == "category"
    categories = []
    for column in columns:
        if column.name not in measured:
            if refuse:
                _check_complete(column.name, types[column.name], statistics.records)
            category, any_missing = _category(column, statistics, distance), types[column.name].missing.count > 0
            categories.append(with_missing_node(category) if separate_missing and any_missing else category)
    moments = []
    for name in measured:
        moments.append(_moments(name, statistics, dates=name in dates))
        if refuse:
            _check_complete(name, types[name], statistics.records)
    return Encoder(
        names,
        measured,
        dates,
        tuple(name for name in dates if types[name].sketch.has_time_zones),
        _scale_of(moments, standardize=standardize),
        resolve_weights(names, weights or {}),
        tuple(categories),
        {name: column_moments.mean for name, column_moments in zip(measured, moments, strict=True)},
        {column.name: _missing_node(column, statistics) for column in categories},
        {name: types[name].missing.count for name in names if types[name].missing.count},
        separate_missing,
        statistics.records,
    )


def _check_complete(name: str, column_type: ColumnType, records: int) -> None:
    if column_type.missing.count:
        raise DataError.missing_values(name, of=records, **column_type.missing.error_arguments)


def _category(column: Column, statistics: TableStatistics, distance: str) -> CategoricalColumn:
    column_type = statistics.column_type(column.name)
    with translate_errors(lambda: DataError.unknown_objects(column.name)):
        counts = column_type.value_counts()
    if column_type.distinct_content is None or counts is None:
        nodes = next(profile.distinct for profile in statistics.column_profiles() if profile.name == column.name)
        raise HierarchyError.too_many_values(column.name, nodes=nodes, most=MAX_NODES)
    return encode_category(column, column_type.distinct_content, counts, other_counts={}, distance=distance)


def _missing_node(column: CategoricalColumn, statistics: TableStatistics) -> int:
    """Return the node of a missing category: its own node, or the medoid of the known values."""
    if column.missing_code is not None:
        return column.missing_code
    return int(np.argmin(node_counts(column, statistics.value_counts(column.name) or {}) @ column.exact_distance()))


def _moments(name: str, statistics: TableStatistics, *, dates: bool) -> ExactMoments:
    """Return the moments of a numeric or date column; raise if its values are not numbers or dates."""
    column_type, of = statistics.column_type(name), statistics.records
    sketch = column_type.sketch
    if dates and column_type.kind is not Kind.DATE:
        return _declared_dates(name, column_type, of)
    if dates:
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


def _scale_of(moments: list[ExactMoments], *, standardize: bool) -> Scale:
    if not standardize:
        largest = max((max(abs(each.low), abs(each.high)) for each in moments if each.count), default=0.0)
        return Scale.raw(np.full((1, len(moments)), largest))
    standardized = [each.standardized() for each in moments]
    exponent, center, spread = (np.array([each[part] for each in standardized]) for part in range(3))
    return Scale("standardized", exponent.astype(np.int64), center.astype(np.float64), spread.astype(np.float64))


def check_range_bounds(
    statistics: TableStatistics,
    encoder: Encoder,
    bounds: Mapping[str, tuple[float, float]],
    locate: Callable[..., Occurrence],
) -> None:
    """Raise if numbers lie outside the bounds of their columns. The records are read again only to locate them."""
    for name, (low, high) in bounds.items():
        if name not in encoder.numeric:
            raise ColumnError.unknown(name, encoder.numeric)
        low_value, high_value = statistics.range(name) or (low, high)
        if low_value < low or high_value > high:
            occurrence = locate(statistics, encoder, name, bounds=(low, high))
            raise DataError.out_of_bounds(name, of=statistics.records, **occurrence.error_arguments)


def out_of_bounds_in_chunk(
    chunk: Table, statistics: TableStatistics, encoder: Encoder, name: str, *, bounds: tuple[float, float], start: int
) -> Occurrence:
    """Locate the numbers of a chunk outside the bounds of their column; ``start`` is the row of its first record."""
    values = numeric_matrix(with_column_types(chunk, statistics), [name], dates=encoder.dates, allow_missing=True)[:, 0]
    rows = np.flatnonzero((values < bounds[0]) | (values > bounds[1]))
    return Occurrence(len(rows), start + int(rows[0])) if len(rows) else Occurrence()


def out_of_bounds_in_file(
    source: ChunkedFile, statistics: TableStatistics, encoder: Encoder, name: str, *, bounds: tuple[float, float]
) -> Occurrence:
    """Locate the numbers of a file outside the bounds of their column."""
    occurrence, start = Occurrence(), 0
    for chunk in source.chunks(columns=[name]):
        occurrence += out_of_bounds_in_chunk(chunk, statistics, encoder, name, bounds=bounds, start=start)
        start += chunk.height
    return occurrence


def encode_chunk(chunk: Table, encoder: Encoder) -> Records:
    """Encode a chunk with typed columns with the encoder of the whole table.

    ``missing`` is a mask in every chunk or in none, and ``missing_indicators`` are those of the whole table, so that
    the spaces of all chunks have the same columns.
    """
    values = numeric_matrix(chunk, encoder.numeric, dates=encoder.dates, allow_missing=True)
    for j, name in enumerate(encoder.numeric):
        values[np.isnan(values[:, j]), j] = encoder.imputed_numbers[name]
    node_codes = category_codes(chunk, encoder.categories)
    missing = missing_mask(chunk, encoder.names) if encoder.missing_counts else None
    for j, column in enumerate(encoder.categories):
        if missing is not None:
            node_codes[missing[:, encoder.names.index(column.name)], j] = encoder.imputed_nodes[column.name]
    records = Records(
        encoder.names,
        values,
        encoder.scale,
        encoder.weights,
        encoder.categories,
        node_codes,
        missing=missing,
        separate_missing=encoder.missing_as_category,
        dates=encoder.dates,
        timezone_aware=encoder.zoned,
    )
    records.__dict__["missing_indicators"] = tuple(
        name for name in encoder.numeric if encoder.missing_as_category and name in encoder.missing_counts
    )
    return records

"""Encode quasi-identifiers as arrays, profile columns, and count equivalence classes."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.encode.category_codes import category_codes, encode_categories
from shoal.data.encode.dates import dates_as_days, has_time_zone
from shoal.data.identifiers.value_patterns import MIN_NUMBER, contains_email, detect_pattern
from shoal.data.table import ColumnContent, Table, affected_rows
from shoal.data.value_frequencies import text_values
from shoal.data.value_sample import ValueSample, pattern_texts
from shoal.domain import BoolMatrix, BoolVector, FloatMatrix, FloatVector, IntVector, Records, Scale, stable_mean
from shoal.domain.arrays import dense_ranks
from shoal.domain.columns import Kind, Schema
from shoal.domain.profile import ColumnProfile
from shoal.errors import ColumnError, DataError, OptionError
from shoal.system.threads import parallel_map

_MIN_VALUES, _MIN_RECORDS = 3, 10
"""Fewer may be sorted by chance, or reveal little by it."""


def column_kinds(table: Table) -> tuple[tuple[str, Kind], ...]:
    """Return the name and kind of each column."""
    detected = parallel_map(lambda name: table.cells.content(name).kind, table.names, records=table.height)
    return tuple(zip(table.names, detected, strict=True))


def profile_columns(table: Table) -> tuple[ColumnProfile, ...]:
    """Profile each column without disclosing any of its values."""
    return tuple(parallel_map(lambda name: _profile(table, name), table.names, records=table.height))


def _profile(table: Table, name: str) -> ColumnProfile:
    content = table.cells.content(name)
    values = content.values
    missing = values.null_count()
    is_integer = counts_up = False
    if content.kind is Kind.NUMERIC and content.numbers is not None:
        numbers = _known(content.numbers).to_numpy()
        is_integer = len(numbers) > 0 and bool(np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all())
        with np.errstate(over="ignore"):
            counts_up = is_integer and missing == 0 and len(numbers) > 1 and bool((np.diff(numbers) == 1).all())
    distinct = values.n_unique() - (1 if missing else 0)
    is_sorted = is_order_informative(distinct, len(values) - missing) and _is_sorted(content)
    present = len(values) - missing
    found = _pattern(table, name, content, whole=is_integer, distinct=distinct, present=present)
    return ColumnProfile(name, content.kind, content.type, is_integer, distinct, missing, counts_up, is_sorted, found)


def _pattern(table: Table, name: str, content: ColumnContent, *, whole: bool, distinct: int, present: int) -> str:
    """Detect the pattern of the values from stored cells, the same as for a table read in chunks."""
    cells, texts = table.cells, content.values
    if content.kind is Kind.NUMERIC:
        largest = content.numbers.max() if whole and content.numbers is not None else None
        if not isinstance(largest, float) or largest < MIN_NUMBER:
            return ""
        if isinstance(cells, DelimitedCells):
            parser = cells.dialect.parser(name)
            sample = ValueSample.of(parser.mask_missing(cells.text(name)))
            return detect_pattern(sample.texts, content.kind, parser, distinct=distinct, present=present)
    elif content.kind is Kind.DATE:
        return ""
    texts = pattern_texts(texts)
    if content.kind is not Kind.NUMERIC and contains_email(texts).any():
        return "email"
    return detect_pattern(ValueSample.of(texts).texts, content.kind, distinct=distinct, present=present)


def is_order_informative(distinct: int, records: int) -> bool:
    """Return whether the order of this many distinct values in this many records reveals anything."""
    return distinct >= _MIN_VALUES and records >= _MIN_RECORDS


def _is_sorted(content: ColumnContent) -> bool:
    """Return whether the known values are sorted, ascending or descending."""
    values = content.numbers if content.kind is Kind.NUMERIC and content.numbers is not None else content.values
    if content.levels:
        rank = pl.DataFrame({"word": content.levels}, schema={"word": pl.String}).with_row_index("rank")
        words = pl.DataFrame({"word": content.text_values})
        values = words.join(rank, on="word", how="left", maintain_order="left")["rank"]
    elif values.dtype in (pl.Categorical, pl.Enum):
        values = values.cast(pl.String)
    known = _known(values)
    if known.dtype.is_nested() or known.dtype in (pl.Object, pl.Null):
        return False
    return known.is_sorted() or known.is_sorted(descending=True)


def _known(values: pl.Series) -> pl.Series:
    """Drop missing values; skipped if there are none, since polars is slow to drop nothing."""
    return values.drop_nulls() if values.null_count() else values


def encode_records(
    table: Table,
    schema: Schema,
    *,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weights: Mapping[str, float] | None = None,
    missing: str = "refuse",
) -> Records:
    """Encode the quasi-identifiers as numbers and codes, with scale, distance tables and weights.

    Dates are numbers of days. ``missing`` is how missing values are treated: unless it is ``refuse``, they are
    replaced by a central value; if it is ``category``, they are as far as possible from all other values.
    """
    names = schema.quasi_identifiers
    for name in names:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    columns = [column for column in schema.columns if column.name in names]
    measured = [column.name for column in columns if column.kind in (Kind.NUMERIC, Kind.DATE)]
    dates = tuple(column.name for column in columns if column.kind is Kind.DATE)
    other = [column for column in columns if column.name not in measured]
    allow_missing, as_category = missing != "refuse", missing == "category"
    hierarchies = encode_categories(
        table, other, distance=distance, allow_missing=allow_missing, separate_missing=as_category
    )
    values = numeric_matrix(table, measured, dates=dates, allow_missing=allow_missing)
    missing_cells = _missing(table, names, measured, values) if allow_missing else None
    scale = fit_scale(values, standardize=standardize)
    for j in range(values.shape[1]):
        is_missing = np.isnan(values[:, j])
        values[is_missing, j] = stable_mean(values[~is_missing, j])
    return Records(
        names,
        values,
        scale,
        resolve_weights(names, weights or {}),
        hierarchies,
        category_codes(table, hierarchies),
        missing=missing_cells,
        separate_missing=as_category,
        dates=dates,
        timezone_aware=tuple(name for name in dates if has_time_zone(table, name)),
    )


def _missing(table: Table, names: Sequence[str], measured: Sequence[str], values: FloatMatrix) -> BoolMatrix | None:
    """Return a mask of missing cells, by record and column; None if there are none."""
    columns = [
        np.isnan(values[:, measured.index(name)])
        if name in measured
        else text_values(table, name).is_null().to_numpy().astype(np.bool_)
        for name in names
    ]
    missing = np.column_stack(columns)
    return missing if missing.any() else None


def fit_scale(values: FloatMatrix, *, standardize: bool) -> Scale:
    """Fit the scale to the known values; NaN is missing."""
    if not np.isnan(values).any():
        return Scale.standardized(values) if standardize else Scale.raw(values)
    return fit_scale_by_column(values.T, np.isnan(values.T), standardize=standardize)


def fit_scale_by_column(
    columns: Sequence[FloatVector] | FloatMatrix, missing: Sequence[BoolVector] | BoolMatrix, *, standardize: bool
) -> Scale:
    """Fit the scale to columns and their missing masks, one by one, without a copy of the whole matrix."""
    known = [column[~gaps] if gaps.any() else column for column, gaps in zip(columns, missing, strict=True)]
    matrices = [column[:, None] if len(column) else np.zeros((1, 1)) for column in known]
    if not standardize:
        return Scale.raw(np.array([[np.abs(column).max() for column in matrices]]))
    scales = [Scale.standardized(column) for column in matrices]
    parts = [np.concatenate([getattr(scale, part) for scale in scales]) for part in ("exponent", "center", "spread")]
    return Scale("standardized", *parts)


def check_bounds(records: Records, bounds: Mapping[str, tuple[float, float]]) -> None:
    """Raise an error for numbers outside the bounds of their columns."""
    for name, (low, high) in bounds.items():
        if name not in records.numeric:
            raise ColumnError.unknown(name, records.numeric)
        values = records.values[:, records.numeric.index(name)]
        missing = False if records.missing is None else records.missing[:, records.names.index(name)]
        outside = ((values < low) | (values > high)) & ~np.asarray(missing)
        if outside.any():
            raise DataError.out_of_bounds(name, **affected_rows(pl.Series(outside)))


def resolve_weights(names: Sequence[str], weights: Mapping[str, float]) -> FloatVector:
    """Return the weight of each column in distances, 1 by default."""
    for name, weight in weights.items():
        if name not in names:
            raise ColumnError.unknown(name, names)
        if not (math.isfinite(weight) and weight > 0):
            raise OptionError.invalid_value("weights", "a number above 0 for each quasi-identifier that is named")
    return np.array([weights.get(name, 1.0) for name in names], dtype=np.float64)


def numeric_matrix(
    table: Table, names: Iterable[str], *, dates: Collection[str] = (), allow_missing: bool = False
) -> FloatMatrix:
    """Return the named columns as a float64 matrix; raise an error if one is not numeric.

    ``dates`` become days since 1970-01-01. Missing numbers are NaN if they are allowed, and refused otherwise.
    """
    columns = []
    for name in names:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
        column = dates_as_days(table, name) if name in dates else _numeric_column(name, table.cells.content(name))
        if not allow_missing and np.isnan(column).any():
            raise DataError.missing_values(name, **affected_rows(pl.Series(np.isnan(column))))
        columns.append(column)
    return np.column_stack(columns) if columns else np.empty((table.height, 0))


def _numeric_column(name: str, content: ColumnContent) -> FloatVector:
    if content.kind is not Kind.NUMERIC or content.numbers is None:
        if content.non_numeric is not None and content.kind is Kind.NOMINAL:
            raise DataError.text_in_numbers(name, **affected_rows(content.non_numeric))
        if content.values.null_count() == len(content.values):
            return np.full(len(content.values), np.nan)
        raise ColumnError.not_numeric(name, content.kind)
    values = content.numbers.to_numpy().astype(np.float64, copy=False)  # null becomes NaN
    if np.isinf(values).any():
        raise DataError.infinite(name, **affected_rows(pl.Series(np.isinf(values))))
    return values


def class_sizes(table: Table, names: Iterable[str]) -> IntVector:
    """Return the size of each record's equivalence class in these columns."""
    numbers = class_labels(table, names)
    return np.bincount(numbers)[numbers].astype(np.int64)


def population_counts(table: Table, population: Table, names: Sequence[str]) -> FloatVector:
    """Count for each record the population records with the same values in these columns; missing is a value.

    Values are compared as text, since two tables may write or store the same number in two ways.
    """
    for name in names:
        if name not in population.names:
            raise ColumnError.missing_in_population(name)
    keys = [str(j) for j in range(len(names))]
    sample_values, population_values = (
        pl.DataFrame([text_values(source, name).alias(key) for name, key in zip(names, keys, strict=True)])
        for source in (table, population)
    )
    counts = population_values.group_by(keys).len()
    matches = sample_values.join(counts, on=keys, how="left", nulls_equal=True, maintain_order="left")["len"]
    return matches.fill_null(0).to_numpy().astype(np.float64)


def class_labels(table: Table, names: Iterable[str]) -> IntVector:
    """Return the equivalence class of each record: records that look the same to a reader in these columns.

    Classes are numbered by first appearance. Missing is a value of its own; NaN and null differ where a column can
    hold both, and so do 0.0 and -0.0. Shares no code with the grouping methods, so that it detects their mistakes.
    """
    names = tuple(names)
    for name in names:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    if not names:
        return np.zeros(table.height, dtype=np.int64)
    columns = list(
        parallel_map(lambda name: comparable_values(table.cells.visible_values(name)), names, records=table.height)
    )
    rows = pl.DataFrame({str(j): column for j, column in enumerate(columns)})
    first = _first_rows(rows.hash_rows(seed=0).to_numpy())
    if all(parallel_map(lambda column: column.gather(first).equals(column), columns, records=table.height)):
        return dense_ranks(first)
    # hash collision
    by_value = rows.with_row_index("row").select(pl.col("row").first().over(rows.columns))
    return dense_ranks(by_value.to_series().to_numpy().astype(np.int64))


def comparable_values(cells: pl.Series) -> pl.Series:
    """Return cells that polars compares as equal only if they look the same: floats by their bits."""
    if not cells.dtype.is_float():
        return cells
    missing = cells.is_null()
    numbers = cells.cast(pl.Float64).fill_null(0.0).to_numpy()
    bits = pl.Series(np.where(np.isnan(numbers), np.nan, numbers).view(np.int64))
    return bits.set(missing, None) if missing.any() else bits


def _first_rows(keys: NDArray[np.uint64]) -> IntVector:
    """Return for each row the first row with the same key."""
    order = np.argsort(keys)
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    first = np.empty(len(keys), dtype=np.int64)
    first[order] = np.repeat(np.minimum.reduceat(order, starts), np.diff(starts, append=len(keys)))
    return first

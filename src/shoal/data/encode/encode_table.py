"""Encode quasi-identifiers and the survey design as arrays."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from shoal.data.encode.category_codes import category_codes, encode_categories
from shoal.data.encode.dates import dates_as_days, has_time_zone
from shoal.data.table import ColumnContent, Table, affected_rows, text_values, without_negative_zero
from shoal.domain import (
    BoolMatrix,
    BoolVector,
    FloatMatrix,
    FloatVector,
    IntVector,
    Records,
    Scale,
    SurveyDesign,
    number_by_first_row,
    stable_mean,
)
from shoal.domain.columns import Kind, Schema
from shoal.errors import ColumnError, DataError, OptionError

_MAX_WEIGHT = 1e100
"""Maximum sampling weight; sums of larger ones may overflow."""


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


def build_survey_design(
    table: Table, *, sampling_weights: str = "", strata: Sequence[str] = (), households: str = ""
) -> SurveyDesign:
    """Return the sampling weights, strata and households of the records; None for each that is not named."""
    for name in (*([sampling_weights] if sampling_weights else []), *strata, *([households] if households else [])):
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    survey_design = SurveyDesign(
        sampling_weights=_weights(table, sampling_weights) if sampling_weights else None,
        strata=_tuple_numbers(table, strata) if strata else None,
        households=_households(table, households) if households else None,
    )
    if survey_design.strata is not None and survey_design.households is not None:
        _check_nested(survey_design.strata, survey_design.households)
    return survey_design


def _weights(table: Table, name: str) -> FloatVector:
    content = table.cells.content(name)
    if content.kind is not Kind.NUMERIC or content.numbers is None:
        raise ColumnError.not_numeric(name, content.kind)
    weights = content.numbers.to_numpy().astype(np.float64)
    invalid = ~((weights > 0) & (weights <= _MAX_WEIGHT))
    if invalid.any():
        raise DataError.invalid_weights(name, **affected_rows(pl.Series(invalid)))
    return weights


def _tuple_numbers(table: Table, names: Sequence[str]) -> IntVector:
    """Number the distinct tuples of values by first appearance; missing is a value."""
    tuples = pl.DataFrame([_values(table, name).alias(str(place)) for place, name in enumerate(names)])
    first = tuples.with_row_index("row").select(pl.first("row").over([str(place) for place in range(len(names))]))
    return number_by_first_row(first.to_series().to_numpy().astype(np.int64))[1]


def _values(table: Table, name: str) -> pl.Series:
    """Return the cells as a reader sees them, with every missing value as null and zero without a sign."""
    cells = table.cells.visible_values(name)
    known = without_negative_zero(cells) if cells.dtype.is_float() else cells
    return known.set(table.cells.content(name).values.is_null(), None)


def _households(table: Table, name: str) -> IntVector:
    missing = table.cells.content(name).values.is_null()
    if missing.any():
        raise DataError.missing_household(name, **affected_rows(missing))
    return _tuple_numbers(table, [name])


def _check_nested(strata: IntVector, households: IntVector) -> None:
    """Raise an error if the members of a household are in different strata."""
    low, high = np.full(int(households.max()) + 1, len(strata)), np.full(int(households.max()) + 1, -1)
    np.minimum.at(low, households, strata)
    np.maximum.at(high, households, strata)
    if (low != high).any():
        raise DataError.household_across_strata(int((low != high).sum()))

"""Encode numbers and dates as floats, and fit their scale."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import polars as pl

from shoal.data.encode.dates import dates_as_days
from shoal.data.table import ColumnContent, Table, affected_rows
from shoal.domain import BoolMatrix, BoolVector, FloatMatrix, FloatVector, Scale
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, DataError


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


def fit_scale(values: FloatMatrix, missing: BoolMatrix, *, standardize: bool) -> Scale:
    """Fit the scale to the values that are not missing."""
    if not missing.any():
        return Scale.standardized(values) if standardize else Scale.raw(values)
    return fit_scale_by_column(values.T, missing.T, standardize=standardize)


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

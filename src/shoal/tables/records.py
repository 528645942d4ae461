"""Records: the columns of a table as arrays, and counts over them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from shoal.errors import ColumnError, DataError, OptionError
from shoal.schema.columns import Kind, Schema
from shoal.schema.profile import ColumnProfile
from shoal.tables.categories import categories, codes
from shoal.tables.table import Content, Table
from shoal.values import FloatMatrix, FloatVector, IntVector, Records, Scale


def kinds(table: Table) -> tuple[tuple[str, Kind], ...]:
    """The kind of each column."""
    return tuple((name, table.cells.content(name).kind) for name in table.names)


def profile(table: Table) -> tuple[ColumnProfile, ...]:
    """What can be said about each column without any of its values."""
    return tuple(_profile(name, table.cells.content(name)) for name in table.names)


def _profile(name: str, content: Content) -> ColumnProfile:
    values = content.values
    missing = values.null_count()
    whole = counts_up = False
    if content.kind is Kind.NUMERIC and content.numbers is not None:
        numbers = content.numbers.drop_nulls().to_numpy()
        whole = len(numbers) > 0 and bool(np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all())
        counts_up = whole and missing == 0 and len(numbers) > 1 and bool((np.diff(numbers) == 1).all())
    distinct = values.n_unique() - (1 if missing else 0)
    return ColumnProfile(name, content.kind, content.type, whole, distinct, missing, counts_up)


def encode(
    table: Table,
    schema: Schema,
    *,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weights: Mapping[str, float] | None = None,
) -> Records:
    """The quasi-identifiers as numbers and codes, with the scale, the tables and the weights of their distances."""
    names = schema.quasi_identifiers
    for name in names:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    columns = [column for column in schema.columns if column.name in names]
    other = [column for column in columns if column.kind is not Kind.NUMERIC]
    meaning = categories(table, other, distance=distance)
    values = numbers(table, [column.name for column in columns if column.kind is Kind.NUMERIC])
    scale = Scale.standardized(values) if standardize else Scale.raw(values)
    return Records(names, values, scale, _weights(names, weights or {}), meaning, codes(table, meaning))


def all_numbers(table: Table, name: str) -> bool:
    """Whether every record has a finite number in this column."""
    content = table.cells.content(name)
    if content.kind is not Kind.NUMERIC or content.numbers is None:
        return False
    return not content.numbers.null_count() and bool(content.numbers.is_finite().all())


def check_mixed(table: Table, names: Iterable[str]) -> None:
    """Refuse columns of numbers in which some text stands, where nobody said that they are categories."""
    for name in names:
        content = table.cells.content(name)
        if content.kind is Kind.NOMINAL and content.text is not None:
            raise DataError.text(name, **_where(content.text))


def _weights(names: Sequence[str], given: Mapping[str, float]) -> FloatVector:
    for name, weight in given.items():
        if name not in names:
            raise ColumnError.unknown(name, names)
        if not (math.isfinite(weight) and weight > 0):
            raise OptionError.bad_option("weights", "a number above 0 for each quasi-identifier that is named")
    return np.array([given.get(name, 1.0) for name in names], dtype=np.float64)


def numbers(table: Table, names: Iterable[str]) -> FloatMatrix:
    """The named columns as a matrix of float64, or the reason why one of them is not made of numbers."""
    columns = []
    for name in names:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
        columns.append(_numbers(name, table.cells.content(name)))
    return np.column_stack(columns) if columns else np.empty((table.height, 0))


def _numbers(name: str, content: Content) -> FloatVector:
    if content.kind is not Kind.NUMERIC or content.numbers is None:
        if content.text is not None and content.kind is Kind.NOMINAL:
            raise DataError.text(name, **_where(content.text))
        if content.values.null_count() == len(content.values):
            raise DataError.missing_values(name, **_where(content.values.is_null()))
        raise ColumnError.not_numeric(name, content.kind)
    if content.numbers.null_count():
        raise DataError.missing_values(name, **_where(content.numbers.is_null()))
    if content.numbers.is_infinite().any():
        raise DataError.infinite(name, **_where(content.numbers.is_infinite()))
    return content.numbers.to_numpy().astype(np.float64)


def _where(mask: pl.Series) -> dict[str, int]:
    """How many records, of how many, and the number of the first of them."""
    return {"rows": int(mask.sum()), "of": len(mask), "first": int(mask.arg_true()[0]) + 1}


def class_sizes(table: Table, names: Iterable[str]) -> IntVector:
    """For each record, the number of records that look the same in these columns to a reader of the table.

    Missing is a value of its own. This shares nothing with the methods that make groups, so that a mistake
    there is found here.
    """
    seen: list[pl.Series] = []
    for name in names:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
        seen.append(table.cells.seen(name).alias(str(len(seen))))
    if not seen:
        return np.full(table.height, table.height, dtype=np.int64)
    sizes = pl.DataFrame(seen).select(pl.len().over([series.name for series in seen])).to_series()
    return sizes.to_numpy().astype(np.int64)

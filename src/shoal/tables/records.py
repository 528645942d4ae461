"""Records: the columns of a table as arrays, and counts over them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import ColumnError, DataError, OptionError
from shoal.schema.columns import Kind, Schema
from shoal.schema.profile import ColumnProfile
from shoal.tables.categories import categories, codes
from shoal.tables.counts import words
from shoal.tables.dates import days, zoned
from shoal.tables.delimited import DelimitedCells
from shoal.tables.table import Content, Table, where
from shoal.tables.value_patterns import LEAST_NUMBER, emails, pattern
from shoal.tables.value_sample import ValueSample, texts_of
from shoal.threads import share
from shoal.values import BoolMatrix, BoolVector, FloatMatrix, FloatVector, IntVector, Records, Scale, middle
from shoal.values.arrays import dense

_FEW_VALUES, _FEW_RECORDS = 3, 10
"""Fewer stand in an order by chance, or tell little by it."""


def kinds(table: Table) -> tuple[tuple[str, Kind], ...]:
    """The kind of each column."""
    found = share(lambda name: table.cells.content(name).kind, table.names, records=table.height)
    return tuple(zip(table.names, found, strict=True))


def profile(table: Table) -> tuple[ColumnProfile, ...]:
    """What can be said about each column without any of its values."""
    return tuple(share(lambda name: _profile(table, name), table.names, records=table.height))


def _profile(table: Table, name: str) -> ColumnProfile:
    content = table.cells.content(name)
    values = content.values
    missing = values.null_count()
    whole = counts_up = False
    if content.kind is Kind.NUMERIC and content.numbers is not None:
        numbers = _known(content.numbers).to_numpy()
        whole = len(numbers) > 0 and bool(np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all())
        with np.errstate(over="ignore"):
            counts_up = whole and missing == 0 and len(numbers) > 1 and bool((np.diff(numbers) == 1).all())
    distinct = values.n_unique() - (1 if missing else 0)
    ordered = is_telling(distinct, len(values) - missing) and _ordered(content)
    present = len(values) - missing
    found = _pattern(table, name, content, whole=whole, distinct=distinct, present=present)
    return ColumnProfile(name, content.kind, content.type, whole, distinct, missing, counts_up, ordered, found)


def _pattern(table: Table, name: str, content: Content, *, whole: bool, distinct: int, present: int) -> str:
    """The pattern of the values, from the cells as they are stored: as it is found in a table that comes in chunks."""
    cells, texts = table.cells, content.values
    if content.kind is Kind.NUMERIC:
        most = content.numbers.max() if whole and content.numbers is not None else None
        if not isinstance(most, float) or most < LEAST_NUMBER:
            return ""
        if isinstance(cells, DelimitedCells):
            reading = cells.dialect.reading(name)
            sample = ValueSample.of(reading.present(cells.text(name)))
            return pattern(sample.texts, content.kind, reading, distinct=distinct, present=present)
    elif content.kind is Kind.DATE:
        return ""
    texts = texts_of(texts)
    if content.kind is not Kind.NUMERIC and emails(texts).any():
        return "email"
    return pattern(ValueSample.of(texts).texts, content.kind, distinct=distinct, present=present)


def is_telling(distinct: int, records: int) -> bool:
    """Whether so many different values in so many records would tell something by their order."""
    return distinct >= _FEW_VALUES and records >= _FEW_RECORDS


def _ordered(content: Content) -> bool:
    """Whether the values that are given stand in an order, up or down."""
    values = content.numbers if content.kind is Kind.NUMERIC and content.numbers is not None else content.values
    if content.levels:
        rank = pl.DataFrame({"word": content.levels}, schema={"word": pl.String}).with_row_index("rank")
        words = pl.DataFrame({"word": content.words})
        values = words.join(rank, on="word", how="left", maintain_order="left")["rank"]
    elif values.dtype in (pl.Categorical, pl.Enum):
        values = values.cast(pl.String)
    known = _known(values)
    if known.dtype.is_nested() or known.dtype in (pl.Object, pl.Null):
        return False
    return known.is_sorted() or known.is_sorted(descending=True)


def _known(values: pl.Series) -> pl.Series:
    """What is not missing; polars takes long to drop nothing."""
    return values.drop_nulls() if values.null_count() else values


def encode(
    table: Table,
    schema: Schema,
    *,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weights: Mapping[str, float] | None = None,
    missing: str = "refuse",
) -> Records:
    """The quasi-identifiers as numbers and codes, with the scale, the tables and the weights of their distances.

    Dates are numbers of days. ``missing`` is one of the ways with missing values: unless they are refused, a stand-in
    takes their place, and where they are a ``category`` they are apart from all others.
    """
    names = schema.quasi_identifiers
    for name in names:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    columns = [column for column in schema.columns if column.name in names]
    measured = [column.name for column in columns if column.kind in (Kind.NUMERIC, Kind.DATE)]
    dates = tuple(column.name for column in columns if column.kind is Kind.DATE)
    other = [column for column in columns if column.name not in measured]
    gaps, apart = missing != "refuse", missing == "category"
    meaning = categories(table, other, distance=distance, gaps=gaps, apart=apart)
    values = numbers(table, measured, dates=dates, gaps=gaps)
    gone = _gone(table, names, measured, values) if gaps else None
    scale = scaled(values, standardize=standardize)
    for j in range(values.shape[1]):
        hole = np.isnan(values[:, j])
        values[hole, j] = middle(values[~hole, j])
    return Records(
        names,
        values,
        scale,
        known_weights(names, weights or {}),
        meaning,
        codes(table, meaning),
        missing=gone,
        apart=apart,
        dates=dates,
        zoned=tuple(name for name in dates if zoned(table, name)),
    )


def _gone(table: Table, names: Sequence[str], measured: Sequence[str], values: FloatMatrix) -> BoolMatrix | None:
    """Which cells are missing, by record and name; None where none is."""
    columns = [
        np.isnan(values[:, measured.index(name)])
        if name in measured
        else words(table, name).is_null().to_numpy().astype(np.bool_)
        for name in names
    ]
    gone = np.column_stack(columns)
    return gone if gone.any() else None


def scaled(values: FloatMatrix, *, standardize: bool) -> Scale:
    """The base of the values that are known; NaN where one is not."""
    if not np.isnan(values).any():
        return Scale.standardized(values) if standardize else Scale.raw(values)
    return scaled_columns(values.T, np.isnan(values.T), standardize=standardize)


def scaled_columns(
    columns: Sequence[FloatVector] | FloatMatrix, gone: Sequence[BoolVector] | BoolMatrix, *, standardize: bool
) -> Scale:
    """The same from columns with what is missing in each, one after another, so that no copy of all is made."""
    known = [column[~gaps] if gaps.any() else column for column, gaps in zip(columns, gone, strict=True)]
    some = [column[:, None] if len(column) else np.zeros((1, 1)) for column in known]
    if not standardize:
        return Scale.raw(np.array([[np.abs(column).max() for column in some]]))
    scales = [Scale.standardized(column) for column in some]
    parts = [np.concatenate([getattr(scale, part) for scale in scales]) for part in ("exponent", "center", "spread")]
    return Scale("standardized", *parts)


def check_bounds(records: Records, bounds: Mapping[str, tuple[float, float]]) -> None:
    """Refuse numbers outside the bounds of their columns."""
    for name, (low, high) in bounds.items():
        if name not in records.numeric:
            raise ColumnError.unknown(name, records.numeric)
        values = records.values[:, records.numeric.index(name)]
        gone = False if records.missing is None else records.missing[:, records.names.index(name)]
        outside = ((values < low) | (values > high)) & ~np.asarray(gone)
        if outside.any():
            raise DataError.out_of_bounds(name, **where(pl.Series(outside)))


def known_weights(names: Sequence[str], given: Mapping[str, float]) -> FloatVector:
    """How much each of these columns counts, 1 where nothing is said."""
    for name, weight in given.items():
        if name not in names:
            raise ColumnError.unknown(name, names)
        if not (math.isfinite(weight) and weight > 0):
            raise OptionError.bad_option("weights", "a number above 0 for each quasi-identifier that is named")
    return np.array([given.get(name, 1.0) for name in names], dtype=np.float64)


def numbers(table: Table, names: Iterable[str], *, dates: Collection[str] = (), gaps: bool = False) -> FloatMatrix:
    """The named columns as a matrix of float64, or the reason why one of them is not made of numbers.

    Those that are said to be ``dates`` as days since 1970-01-01. A missing number is NaN where there may be ``gaps``.
    """
    columns = []
    for name in names:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
        found = days(table, name) if name in dates else _numbers(name, table.cells.content(name))
        if not gaps and np.isnan(found).any():
            raise DataError.missing_values(name, **where(pl.Series(np.isnan(found))))
        columns.append(found)
    return np.column_stack(columns) if columns else np.empty((table.height, 0))


def _numbers(name: str, content: Content) -> FloatVector:
    if content.kind is not Kind.NUMERIC or content.numbers is None:
        if content.text is not None and content.kind is Kind.NOMINAL:
            raise DataError.text(name, **where(content.text))
        if content.values.null_count() == len(content.values):
            return np.full(len(content.values), np.nan)
        raise ColumnError.not_numeric(name, content.kind)
    found = content.numbers.to_numpy().astype(np.float64, copy=False)  # a missing cell becomes NaN
    if np.isinf(found).any():
        raise DataError.infinite(name, **where(pl.Series(np.isinf(found))))
    return found


def class_sizes(table: Table, names: Iterable[str]) -> IntVector:
    """For each record, the number of records that look the same in these columns to a reader of the table."""
    numbers = class_numbers(table, names)
    return np.bincount(numbers)[numbers].astype(np.int64)


def population_counts(table: Table, population: Table, names: Sequence[str]) -> FloatVector:
    """For each record, the records of another table that have the same words in these columns; missing is a word.

    By words and not as a reader sees them: the same number may be written, or held, in two ways in two tables.
    """
    for name in names:
        if name not in population.names:
            raise ColumnError.missing_in_population(name)
    keys = [str(j) for j in range(len(names))]
    mine, theirs = (
        pl.DataFrame([words(one, name).alias(key) for name, key in zip(names, keys, strict=True)])
        for one in (table, population)
    )
    counts = theirs.group_by(keys).len()
    found = mine.join(counts, on=keys, how="left", nulls_equal=True, maintain_order="left")["len"]
    return found.fill_null(0).to_numpy().astype(np.float64)


def class_numbers(table: Table, names: Iterable[str]) -> IntVector:
    """For each record, the number of its class: of the records that look the same in these columns to a reader.

    Classes are numbered by first appearance. Missing is a value of its own; where a column can show it in two ways, as
    NaN and as null, these are two. So are 0.0 and -0.0. This shares nothing with the methods that
    make groups, so that a mistake there is found here.
    """
    names = tuple(names)
    for name in names:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    if not names:
        return np.zeros(table.height, dtype=np.int64)
    seen = list(share(lambda name: told_apart(table.cells.seen(name)), names, records=table.height))
    rows = pl.DataFrame({str(j): column for j, column in enumerate(seen)})
    first = _first_rows(rows.hash_rows(seed=0).to_numpy())
    if all(share(lambda column: column.gather(first).equals(column), seen, records=table.height)):
        return dense(first)
    # two different rows with one hash
    by_value = rows.with_row_index("row").select(pl.col("row").first().over(rows.columns))
    return dense(by_value.to_series().to_numpy().astype(np.int64))


def told_apart(cells: pl.Series) -> pl.Series:
    """Cells as a reader sees them so that they are equal to polars where they look the same: numbers by their bits."""
    if not cells.dtype.is_float():
        return cells
    missing = cells.is_null()
    numbers = cells.cast(pl.Float64).fill_null(0.0).to_numpy()
    bits = pl.Series(np.where(np.isnan(numbers), np.nan, numbers).view(np.int64))
    return bits.set(missing, None) if missing.any() else bits


def _first_rows(keys: NDArray[np.uint64]) -> IntVector:
    """For each row the first row with the same key."""
    order = np.argsort(keys)
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    first = np.empty(len(keys), dtype=np.int64)
    first[order] = np.repeat(np.minimum.reduceat(order, starts), np.diff(starts, append=len(keys)))
    return first

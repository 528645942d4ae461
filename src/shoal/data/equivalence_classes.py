"""Equivalence classes: labels and sizes, also with wildcards, in a population, and across two tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.encode.dates import dates_as_days
from shoal.data.frames.polars_frames import PolarsCells
from shoal.data.table import Table, text_values, without_negative_zero
from shoal.domain import BoolMatrix, BoolVector, FloatVector, IntMatrix, IntVector, number_by_first_row
from shoal.domain.arrays import dense_ranks
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, OptionError, ShoalError
from shoal.system.threads import parallel_map

_MAX_KEY = 2**62
_MAX_EXACT_INTEGER = 2.0**53


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
    order = np.argsort(keys)
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    first = np.empty(len(keys), dtype=np.int64)
    first[order] = np.repeat(np.minimum.reduceat(order, starts), np.diff(starts, append=len(keys)))
    return first


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


def missing_mask(table: Table, names: Iterable[str]) -> BoolMatrix:
    """Return a mask of missing cells, by record and column."""
    columns = []
    for name in names:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
        columns.append(table.cells.content(name).values.is_null().to_numpy())
    return np.column_stack(columns) if columns else np.empty((table.height, 0), dtype=np.bool_)


def separate_wildcard_counts(
    table: Table,
    names: Iterable[str],
    *,
    alpha: float = 1.0,
    weights: FloatVector | None = None,
    apart: BoolVector | None = None,
) -> tuple[FloatVector, FloatVector | None]:
    """Return `wildcard_counts`, with separate counts for records ``apart``, such as suppressed ones.

    Missing values of these records are not wildcards: they match only indistinguishable records among them.
    """
    names = tuple(names)
    if apart is None or not apart.any():
        return wildcard_counts(table, names, alpha=alpha, weights=weights)
    classes = class_labels(table, names)
    others = wildcard_counts(table, names, alpha=alpha, weights=weights, among=~apart)
    counts = np.where(apart, np.bincount(classes, apart)[classes], others[0])
    if weights is None or others[1] is None:
        return counts, None
    return counts, np.where(apart, np.bincount(classes, weights * apart)[classes], others[1])


def wildcard_counts(
    table: Table,
    names: Iterable[str],
    *,
    alpha: float = 1.0,
    weights: FloatVector | None = None,
    among: BoolVector | None = None,
) -> tuple[FloatVector, FloatVector | None]:
    """Count for each record the compatible records in these columns, and sum their weights.

    Two keys are compatible if they agree in every column that neither misses. Records with the same key or a complete
    key count fully, other compatible ones ``alpha``; a key without any value matches every record. Without missing
    values, the counts are class sizes. Records outside ``among`` do not count.

    The cost is the number of pairs of missing patterns times the distinct keys of both: linear in the number of
    records for few patterns.
    """
    if not (isinstance(alpha, int | float) and 0 <= alpha <= 1):
        raise OptionError.invalid_value("alpha", "a number between 0 and 1")
    names = tuple(names)
    missing = missing_mask(table, names)
    codes = np.where(missing, 0, visible_codes(table, names) + 1)
    first, key = number_by_first_row(_label_rows(codes))
    counted = np.ones(len(key)) if among is None else among.astype(np.float64)
    amounts = [np.bincount(key, counted).astype(np.float64)]
    if weights is not None:
        amounts.append(np.bincount(key, weights * counted).astype(np.float64))
    sums = _compatible_sums(np.asfortranarray(codes[first]), amounts, alpha)
    return sums[0][key], None if weights is None else sums[1][key]


def visible_codes(table: Table, names: Sequence[str]) -> IntMatrix:
    """Encode the columns as a reader sees them: each value by the first record that has it."""
    codes = np.empty((table.height, len(names)), dtype=np.int64)
    for j, name in enumerate(names):
        frame = pl.DataFrame([comparable_values(table.cells.visible_values(name)).alias("seen")]).with_row_index("row")
        codes[:, j] = frame.select(pl.first("row").over("seen")).to_series().to_numpy()
    return codes


def _compatible_sums(codes: IntMatrix, amounts: Sequence[FloatVector], alpha: float) -> list[FloatVector]:
    """Sum for each key the amounts of compatible keys; code 0 is missing."""
    first, pattern = number_by_first_row(_label_rows(codes > 0))
    patterns = codes[first] > 0
    # sum integer counts before multiplying by alpha, so that rounding cannot move them below k
    full, partial = np.zeros((2, len(amounts), len(codes)))
    for own_pattern, columns in enumerate(patterns):
        counts_fully = patterns.all(axis=1) | ~columns.any()
        counts_fully[own_pattern] = True
        for own_keys, other_keys, labels in _comparisons(codes, patterns, pattern, own_pattern):
            own, other = labels[: len(own_keys)], labels[len(own_keys) :]
            counted = counts_fully[pattern[other_keys]]
            for i, amount in enumerate(amounts):
                added, width = amount[other_keys], int(labels.max()) + 1
                full[i, own_keys] += np.bincount(other, np.where(counted, added, 0.0), width)[own]
                partial[i, own_keys] += np.bincount(other, np.where(counted, 0.0, added), width)[own]
    return list(full + alpha * partial)


def _comparisons(
    codes: IntMatrix, patterns: BoolMatrix, pattern: IntVector, own_pattern: int
) -> Iterator[tuple[IntVector, IntVector, IntVector]]:
    """Yield keys of one pattern, keys to compare with them, and a label for all of them.

    The labels are equal if two keys agree in the columns that neither misses. Each pair is yielded once.
    """
    own_keys = np.flatnonzero(pattern == own_pattern)
    shared = patterns & patterns[own_pattern]
    first, label = number_by_first_row(_label_rows(shared))
    if 2 * len(own_keys) < len(first):  # for so few keys, comparing each with all is faster
        for key in own_keys:
            others = _agreeing(codes, int(key))
            yield np.array([key]), others, np.zeros(1 + len(others), dtype=np.int64)
        return
    label = label[pattern]
    ends = np.cumsum(np.bincount(label))
    for others, columns in zip(np.split(np.argsort(label, kind="stable"), ends[:-1]), shared[first], strict=True):
        rows = np.concatenate([own_keys, others])
        yield own_keys, others, _label_rows(codes[np.ix_(rows, np.flatnonzero(columns))])


def _agreeing(codes: IntMatrix, key: int) -> IntVector:
    """Return the keys that agree with one key in the columns that neither misses."""
    candidates = np.arange(len(codes))
    for column, code in zip(codes.T, codes[key], strict=True):
        if code > 0:
            cells = column[candidates]
            candidates = candidates[(cells == code) | (cells == 0)]
    return candidates


def _label_rows(rows: IntMatrix | BoolMatrix) -> IntVector:
    """Label the rows, equal rows alike, from 0 without gaps."""
    key, size = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T:
        width = int(column.max()) + 1
        if size * width > _MAX_KEY:
            key, size = _compact(key), len(rows)
        key, size = key * width + column, size * width
    return _compact(key)


def _compact(key: IntVector) -> IntVector:
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def linkage_labels(table: Table, other: Table, names: Iterable[str]) -> tuple[IntVector, IntVector]:
    """Label the records of both tables; labels are equal if all these columns are equal.

    Types may differ: numbers and dates are compared by value, others as text. Missing is a value of its own.
    """
    pairs = [pair for name in names for pair in _comparable(table, other, name)]
    joined = pl.DataFrame({str(j): left.append(right) for j, (left, right) in enumerate(pairs)})
    if not pairs:
        joined = pl.DataFrame({"": pl.zeros(table.height + other.height, eager=True)})
    labels = class_labels(Table("polars", PolarsCells(joined)), joined.columns)
    return labels[: table.height], labels[table.height :]


def _comparable(table: Table, other: Table, name: str) -> Iterator[tuple[pl.Series, pl.Series]]:
    """Yield a column of both tables in one type, and a second one if floats cannot distinguish all its numbers."""
    contents = [source.cells.content(name) for source in (table, other)]
    kinds = {content.kind for content in contents}
    if Kind.DATE in kinds:
        yield _days(table, other, name)
        return
    numbers = [content.numbers for content in contents if content.numbers is not None]
    if kinds != {Kind.NUMERIC} or len(numbers) < 2:
        yield _pair(text_values(source, name) for source in (table, other))
        return
    if any(content.values.dtype == pl.Float32 for content in contents):
        numbers = [column.cast(pl.Float32) for column in numbers]  # one table has no more digits
    yield _pair(without_negative_zero(column) for column in numbers)
    long = [(column.abs() >= _MAX_EXACT_INTEGER).fill_null(False) for column in numbers]
    if any(mask.any() for mask in long):
        null = pl.Series([None], dtype=pl.String)
        yield _pair(
            text_values(source, name).zip_with(mask, null) for source, mask in zip((table, other), long, strict=True)
        )


def _days(table: Table, other: Table, name: str) -> tuple[pl.Series, pl.Series]:
    """Return dates as days, also if one table has them as text; as text if they cannot be parsed."""
    try:
        return _pair(pl.Series(dates_as_days(source, name), nan_to_null=True) for source in (table, other))
    except ShoalError:
        return _pair(text_values(source, name) for source in (table, other))


def _pair(columns: Iterable[pl.Series]) -> tuple[pl.Series, pl.Series]:
    left, right = (column.alias("").clone() for column in columns)
    return left, right

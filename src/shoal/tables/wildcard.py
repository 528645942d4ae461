"""Counts where a missing value is compatible with every other: it may hide any of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from shoal.errors import ColumnError, OptionError
from shoal.tables.records import class_numbers, told_apart
from shoal.tables.table import Table
from shoal.values import BoolMatrix, BoolVector, FloatVector, IntMatrix, IntVector, by_first_row

_LARGEST = 2**62


def missing_mask(table: Table, names: Iterable[str]) -> BoolMatrix:
    """Which cells of these columns are missing, by record and name."""
    columns = []
    for name in names:
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
        columns.append(table.cells.content(name).values.is_null().to_numpy())
    return np.column_stack(columns) if columns else np.empty((table.height, 0), dtype=np.bool_)


def alike_counts(
    table: Table,
    names: Iterable[str],
    *,
    alpha: float = 1.0,
    weights: FloatVector | None = None,
    apart: BoolVector | None = None,
) -> tuple[FloatVector, FloatVector | None]:
    """The same counts as `wildcard_counts`, but for records that are ``apart``, such as those that are suppressed.

    What these lack is no wildcard: they hide nobody else, and only hide among those of them that look the same.
    """
    names = tuple(names)
    if apart is None or not apart.any():
        return wildcard_counts(table, names, alpha=alpha, weights=weights)
    classes = class_numbers(table, names)
    among = wildcard_counts(table, names, alpha=alpha, weights=weights, among=~apart)
    alike = np.where(apart, np.bincount(classes, apart)[classes], among[0])
    if weights is None or among[1] is None:
        return alike, None
    return alike, np.where(apart, np.bincount(classes, weights * apart)[classes], among[1])


def wildcard_counts(
    table: Table,
    names: Iterable[str],
    *,
    alpha: float = 1.0,
    weights: FloatVector | None = None,
    among: BoolVector | None = None,
) -> tuple[FloatVector, FloatVector | None]:
    """For each record, the records that may look the same in these columns, and the sum of their weights.

    Two keys are compatible where they agree in every column that both have. Records of the same key and those with a
    complete key count fully, other compatible ones by ``alpha``; a key without any value may be every record.
    Where nothing is missing, these are the sizes of the classes. Records that are not ``among`` count nothing.

    The cost is that of the pairs of missing patterns that occur, each times the different keys of both: with few
    patterns it grows as the number of records.
    """
    if not (isinstance(alpha, int | float) and 0 <= alpha <= 1):
        raise OptionError.bad_option("alpha", "a number between 0 and 1")
    names = tuple(names)
    missing = missing_mask(table, names)
    codes = np.where(missing, 0, seen_codes(table, names) + 1)
    first, key = by_first_row(_numbered(codes))
    counted = np.ones(len(key)) if among is None else among.astype(np.float64)
    amounts = [np.bincount(key, counted).astype(np.float64)]
    if weights is not None:
        amounts.append(np.bincount(key, weights * counted).astype(np.float64))
    sums = _compatible(np.asfortranarray(codes[first]), amounts, alpha)
    return sums[0][key], None if weights is None else sums[1][key]


def seen_codes(table: Table, names: Sequence[str]) -> IntMatrix:
    """The columns as a reader of the table sees them: each value by the first record that has it."""
    codes = np.empty((table.height, len(names)), dtype=np.int64)
    for j, name in enumerate(names):
        seen = pl.DataFrame([told_apart(table.cells.seen(name)).alias("seen")]).with_row_index("row")
        codes[:, j] = seen.select(pl.first("row").over("seen")).to_series().to_numpy()
    return codes


def _compatible(codes: IntMatrix, amounts: Sequence[FloatVector], alpha: float) -> list[FloatVector]:
    """For each key the sums of the amounts of the keys that are compatible with it; a code of 0 is missing."""
    first, pattern = by_first_row(_numbered(codes > 0))
    patterns = codes[first] > 0
    # whole counts are added up before alpha makes them fractions, so that no rounding moves them below k
    full, partial = np.zeros((2, len(amounts), len(codes)))
    for own, columns in enumerate(patterns):
        fully = patterns.all(axis=1) | ~columns.any()
        fully[own] = True
        for mine, theirs, alike in _meetings(codes, patterns, pattern, own):
            asking, found = alike[: len(mine)], alike[len(mine) :]
            counted = fully[pattern[theirs]]
            for i, amount in enumerate(amounts):
                given, values = amount[theirs], int(alike.max()) + 1
                full[i, mine] += np.bincount(found, np.where(counted, given, 0.0), values)[asking]
                partial[i, mine] += np.bincount(found, np.where(counted, 0.0, given), values)[asking]
    return list(full + alpha * partial)


def _meetings(
    codes: IntMatrix, patterns: BoolMatrix, pattern: IntVector, own: int
) -> Iterator[tuple[IntVector, IntVector, IntVector]]:
    """Keys of one pattern, others that each key meets once in all, and a number for all of them.

    The number is the same where two of them agree in the columns that both have.
    """
    mine = np.flatnonzero(pattern == own)
    shared = patterns & patterns[own]
    first, sharing = by_first_row(_numbered(shared))
    if 2 * len(mine) < len(first):  # to look at all keys from each of so few is less work
        for key in mine:
            theirs = _agreeing(codes, int(key))
            yield np.array([key]), theirs, np.zeros(1 + len(theirs), dtype=np.int64)
        return
    sharing = sharing[pattern]
    ends = np.cumsum(np.bincount(sharing))
    for theirs, columns in zip(np.split(np.argsort(sharing, kind="stable"), ends[:-1]), shared[first], strict=True):
        rows = np.concatenate([mine, theirs])
        yield mine, theirs, _numbered(codes[np.ix_(rows, np.flatnonzero(columns))])


def _agreeing(codes: IntMatrix, key: int) -> IntVector:
    """The keys that agree with one in the columns that both have."""
    left = np.arange(len(codes))
    for column, code in zip(codes.T, codes[key], strict=True):
        if code > 0:
            cells = column[left]
            left = left[(cells == code) | (cells == 0)]
    return left


def _numbered(rows: IntMatrix | BoolMatrix) -> IntVector:
    """A number for each row, the same for equal rows, below the number of rows."""
    key, size = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T:
        width = int(column.max()) + 1
        if size * width > _LARGEST:
            key, size = _without_gaps(key), len(rows)
        key, size = key * width + column, size * width
    return _without_gaps(key)


def _without_gaps(key: IntVector) -> IntVector:
    return np.unique(key, return_inverse=True)[1].astype(np.int64)

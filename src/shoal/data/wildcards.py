"""Class sizes where missing values match every value (wildcards)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from shoal.data.encode.encode_table import class_labels, comparable_values
from shoal.data.table import Table
from shoal.domain import BoolMatrix, BoolVector, FloatVector, IntMatrix, IntVector, number_by_first_row
from shoal.errors import ColumnError, OptionError

_MAX_KEY = 2**62


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

"""Minimal sample uniques: records that are unique by few quasi-identifiers."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from shoal.domain import BoolVector, IntMatrix, IntVector, number_by_first_row
from shoal.domain.arrays import dense_ranks
from shoal.metrics.inputs import MetricInputs
from shoal.metrics.registry import attack
from shoal.metrics.released_points import (
    compares_all_columns,
    number_rows,
    original_number_codes,
    released_number_codes,
    released_points,
)

MAX_COMBINED = 3
MAX_COLUMNS_FOR_TRIPLES = 12
"""With more quasi-identifiers than this, only pairs are tried: triples grow with the cube of their number."""
_REFERENCE = (
    "Elliot, Manning and Ford (2002), A computational algorithm for handling the special uniques problem, International"
    " Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5)"
)
_FORMULA = (
    f"records that are alone with their values of at most {MAX_COMBINED} quasi-identifiers;"
    f" {MAX_COMBINED - 1} of over {MAX_COLUMNS_FOR_TRIPLES}"
)


def max_combined(n_columns: int) -> int:
    """The largest number of columns in a combination, given the number of columns."""
    return min(MAX_COMBINED if n_columns <= MAX_COLUMNS_FOR_TRIPLES else MAX_COMBINED - 1, n_columns)


def minimal_uniques(codes: IntMatrix, max_columns: int = MAX_COMBINED) -> IntVector:
    """The smallest number of columns by which each record is unique; 0 if ``max_columns`` columns are not enough.

    A record that is unique by some columns is unique by any superset, so supersets are tried on the other records only.
    """
    first, row = number_by_first_row(number_rows(list(codes.T), len(codes)))
    counts = np.bincount(row)
    columns = [dense_ranks(codes[first, j]) for j in range(codes.shape[1])]
    fewest = np.zeros(len(first), dtype=np.int64)
    for size in range(1, min(max_columns, len(columns)) + 1):
        for chosen in combinations(range(len(columns)), size - 1):
            rows, key = _candidates(columns, chosen, counts, undecided=(fewest == 0) & (counts == 1))
            for last in range(chosen[-1] + 1 if chosen else 0, len(columns)):
                if not len(rows):
                    break
                cell = dense_ranks(key * (int(columns[last].max()) + 1) + columns[last][rows])
                unique = rows[np.bincount(cell, counts[rows])[cell] == 1]
                fewest[unique] = np.where(fewest[unique] == 0, size, fewest[unique])
    return fewest[row]


def _candidates(
    columns: list[IntVector], chosen: tuple[int, ...], counts: IntVector, undecided: BoolVector
) -> tuple[IntVector, IntVector]:
    """The rows that are not unique by the chosen columns but match an undecided row, and their dense keys."""
    key = number_rows([columns[j] for j in chosen], len(counts))
    shared = np.bincount(key, counts)[key] > 1 if chosen else True
    rows = np.flatnonzero(shared & (np.bincount(key, undecided)[key] > 0))
    return rows, dense_ranks(key[rows]) if len(rows) else rows


@attack(
    name="minimal_uniques",
    label="records unique by few columns",
    unit="records",
    formula=_FORMULA,
    range="0 to n",
    good="0",
    reference=_REFERENCE,
    sentence="Released records that few of their quasi-identifiers tell from all others: {figure}.",
    searching=True,
)
def released_uniques(inputs: MetricInputs) -> float | None:
    """Number of released records that are unique by at most three quasi-identifiers; missing is a value."""
    if not compares_all_columns(inputs):
        return None
    points = released_points(inputs)
    numbers = [released_number_codes(inputs, j)[points.source_rows[:, j]] for j in range(len(inputs.numeric))]
    return _count_uniques(np.column_stack([*numbers, points.codes])[points.labels])


@attack(
    name="minimal_uniques_before",
    label="records unique by few columns before",
    unit="records",
    formula=f"the same of the original: {_FORMULA}",
    range="0 to n",
    good="what the release is to be compared with",
    reference=_REFERENCE,
    sentence="Original records that few of their quasi-identifiers tell from all others: {figure}.",
    searching=True,
)
def original_uniques(inputs: MetricInputs) -> float | None:
    """Number of original records that are unique by at most three quasi-identifiers; missing is a value."""
    if not compares_all_columns(inputs):
        return None
    numbers = [original_number_codes(inputs, j) for j in range(len(inputs.numeric))]
    return _count_uniques(np.column_stack([*numbers, *(inputs.original_codes.T if inputs.categories else ())]))


def _count_uniques(codes: IntMatrix) -> int:
    return int((minimal_uniques(codes, max_combined(codes.shape[1])) > 0).sum())

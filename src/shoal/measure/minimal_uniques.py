"""Minimal uniques: records that a few quasi-identifiers are enough to tell from all others."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from shoal.measure.pair import Pair
from shoal.measure.points import complete, numbered, original_codes, released_points, shown_codes
from shoal.measure.registry import attack
from shoal.values import BoolVector, IntMatrix, IntVector, by_first_row
from shoal.values.arrays import dense

MOST = 3
"""Columns that are combined, at most."""
MANY = 12
"""Quasi-identifiers beyond which only pairs of them are combined: triples grow with the cube of their number."""
_REFERENCE = (
    "Elliot, Manning and Ford (2002), A computational algorithm for handling the special uniques problem, International"
    " Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5)"
)
_FORMULA = f"records that are alone with their values of at most {MOST} quasi-identifiers; {MOST - 1} of over {MANY}"


def combined(columns: int) -> int:
    """How many of so many columns are combined, at most."""
    return min(MOST if columns <= MANY else MOST - 1, columns)


def minimal_uniques(codes: IntMatrix, most: int = MOST) -> IntVector:
    """For each record the fewest columns by which it is unique; 0 where ``most`` are not enough.

    A record that is alone with some columns is alone with any more: only the others are looked at with these.
    """
    first, row = by_first_row(numbered(list(codes.T), len(codes)))
    times = np.bincount(row)
    columns = [dense(codes[first, j]) for j in range(codes.shape[1])]
    fewest = np.zeros(len(first), dtype=np.int64)
    for size in range(1, min(most, len(columns)) + 1):
        for chosen in combinations(range(len(columns)), size - 1):
            rows, key = _alike(columns, chosen, times, open_=(fewest == 0) & (times == 1))
            for last in range(chosen[-1] + 1 if chosen else 0, len(columns)):
                if not len(rows):
                    break
                cell = dense(key * (int(columns[last].max()) + 1) + columns[last][rows])
                alone = rows[np.bincount(cell, times[rows])[cell] == 1]
                fewest[alone] = np.where(fewest[alone] == 0, size, fewest[alone])
    return fewest[row]


def _alike(
    columns: list[IntVector], chosen: tuple[int, ...], times: IntVector, open_: BoolVector
) -> tuple[IntVector, IntVector]:
    """The rows that are not alone with the chosen columns and are like one that is still open; and their numbers."""
    key = numbered([columns[j] for j in chosen], len(times))
    shared = np.bincount(key, times)[key] > 1 if chosen else True
    rows = np.flatnonzero(shared & (np.bincount(key, open_)[key] > 0))
    return rows, dense(key[rows]) if len(rows) else rows


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
def uniques(pair: Pair) -> float | None:
    """The released records that at most three of their quasi-identifiers tell from all others; missing is a value."""
    if not complete(pair):
        return None
    points = released_points(pair)
    numbers = [shown_codes(pair, j)[points.tellers[:, j]] for j in range(len(pair.numeric))]
    return _unique(np.column_stack([*numbers, points.nodes])[points.labels])


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
def uniques_before(pair: Pair) -> float | None:
    """The original records that at most three of their quasi-identifiers tell from all others; missing is a value."""
    if not complete(pair):
        return None
    numbers = [original_codes(pair, j) for j in range(len(pair.numeric))]
    return _unique(np.column_stack([*numbers, *(pair.codes.T if pair.categories else ())]))


def _unique(codes: IntMatrix) -> int:
    return int((minimal_uniques(codes, combined(codes.shape[1])) > 0).sum())

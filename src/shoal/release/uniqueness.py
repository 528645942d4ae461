"""Sample uniques: the number of unique records, and which combinations of columns make them unique."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import chain, combinations
from math import comb, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import data as tables
from shoal.domain import IntVector, Names, Role, check_k, select_names
from shoal.domain.arrays import dense_ranks
from shoal.errors import OptionError
from shoal.errors.deprecation import deprecated_property
from shoal.metrics.minimal_uniques import MAX_COMBINED, max_combined
from shoal.options.checks import check_fraction
from shoal.release.arguments import public_function

Codes = NDArray[np.int32]
"""A column as codes: equal numbers where no reader sees a difference."""
_MAX_CELLS_PER_RECORD = 4
"""Maximum number of cells per record for counting with an array; above it, sorting is faster."""
_MAX_KEY = 2**62


@dataclass(frozen=True)
class UniqueCombination:
    """A combination of columns, and the number of records that it makes unique."""

    columns: tuple[str, ...]
    unique: int


@dataclass(frozen=True)
class Uniqueness:
    """Result of `shoal.uniqueness`: counts only, no values of the data."""

    records: int
    quasi_identifiers: tuple[str, ...]
    k: int | None
    unique: int
    """Number of records that no other record shares all quasi-identifiers with."""
    below_k: int | None
    """Number of records in classes below k; None without k."""
    combinations: tuple[UniqueCombination, ...]
    """Combinations that make a record unique: by number of columns, then by falling number of unique records."""
    n_evaluated: int
    """Number of combinations that were evaluated."""
    n_combinations: int
    """Number of all combinations; larger than ``n_evaluated`` if the time limit was reached."""
    looked = deprecated_property("Uniqueness.looked", "n_evaluated")
    of = deprecated_property("Uniqueness.of", "n_combinations")

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys."""
        keys = {"n_evaluated": "looked", "n_combinations": "of"}  # files of earlier versions have these keys
        return {keys.get(name, name): value for name, value in asdict(self).items()}


@public_function()
def uniqueness(
    data: Any,
    *,
    quasi_identifiers: Names,
    k: int | None = None,
    max_columns: int = MAX_COMBINED,
    time_limit: float | None = None,
) -> Uniqueness:
    """Count the records that are unique on the quasi-identifiers, or on a few of them.

    All counts are exact. A missing value is a value like any other.

    Parameters
    ----------
    data : path, DataFrame, array or Table
    quasi_identifiers : str or sequence of str
    k : int, optional
        Count the records in classes below k, too.
    max_columns : int
        Maximum number of columns of a combination; 2 if there are more than 12 quasi-identifiers.
    time_limit : float, optional
        Time limit in seconds. Combinations of one column are evaluated first, then those of two, and so on.

    Returns
    -------
    Uniqueness

    Raises
    ------
    ShoalError
        If a column is unknown or an option is out of range.
    """
    if time_limit is not None:
        time_limit = check_fraction("time_limit", time_limit, max_value=inf)
    if isinstance(max_columns, bool) or not isinstance(max_columns, int) or max_columns < 0:
        raise OptionError.invalid_value("max_columns", "a whole number from 0 on")
    end = inf if time_limit is None else time.monotonic() + time_limit
    table = tables.read_table(data)
    names = select_names(quasi_identifiers, table.names, Role.QUASI_IDENTIFIER)
    k = None if k is None else check_k(k)
    classes = tables.class_labels(table, names)
    sizes, rows = np.bincount(classes), _first_and_last(classes)
    n_columns = range(1, min(max_columns, max_combined(len(names))) + 1)

    @cache
    def codes(j: int) -> Codes:
        return dense_ranks(tables.class_labels(table, [names[j]])[rows]).astype(np.int32, copy=False)

    evaluated = []
    for columns in chain.from_iterable(combinations(range(len(names)), width) for width in n_columns):
        if time.monotonic() >= end:
            break
        evaluated.append(
            UniqueCombination(tuple(names[j] for j in columns), _count_unique([codes(j) for j in columns]))
        )
    return Uniqueness(
        records=table.height,
        quasi_identifiers=names,
        k=k,
        unique=int((sizes == 1).sum()),
        below_k=None if k is None else int(sizes[sizes < k].sum()),
        combinations=tuple(
            sorted((one for one in evaluated if one.unique), key=lambda one: (len(one.columns), -one.unique))
        ),
        n_evaluated=len(evaluated),
        n_combinations=sum(comb(len(names), width) for width in n_columns),
    )


def _first_and_last(classes: IntVector) -> IntVector:
    """First and last record of each class: enough to find the records that a subset of the columns makes unique."""
    rows = np.arange(len(classes))
    last = np.empty(int(classes.max()) + 1, dtype=np.int64)
    first = last.copy()
    last[classes] = rows  # the last assignment wins
    first[classes[::-1]] = rows[::-1]
    selected = np.zeros(len(classes), dtype=np.bool_)
    selected[first] = selected[last] = True
    return np.flatnonzero(selected)


def _count_unique(columns: Sequence[Codes]) -> int:
    """Number of rows that no other row shares these codes with."""
    key, cells = columns[0].astype(np.int64), int(columns[0].max()) + 1
    for column in columns[1:]:
        width = int(column.max()) + 1
        if cells * width > _MAX_KEY:
            key = dense_ranks(key)
            cells = int(key.max()) + 1
        key, cells = key * width + column, cells * width
    if cells <= _MAX_CELLS_PER_RECORD * len(key):
        return int((np.bincount(key) == 1).sum())
    key.sort()
    differs = np.concatenate([[True], key[1:] != key[:-1], [True]])
    return int((differs[1:] & differs[:-1]).sum())

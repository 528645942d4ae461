"""Exposure: how many records stand out in a table, and which columns are enough to tell them from all others."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import tables
from shoal.errors import OptionError
from shoal.measure.minimal_uniques import MOST, combined
from shoal.schema import Names, Role, chosen
from shoal.values import IntVector, whole_k
from shoal.values.arrays import dense

Codes = NDArray[np.int32]
"""A column: equal numbers where a reader sees no difference."""
_FEW = 4
"""Cells for each record that are counted one by one; where there are more, sorting is faster."""
_LARGEST = 2**62


@dataclass(frozen=True)
class UniqueBy:
    """Some columns, and the records that are alone with their values of these."""

    columns: tuple[str, ...]
    unique: int


@dataclass(frozen=True)
class Exposure:
    """What `shoal.exposure` returns: counts only, no cell of the data."""

    records: int
    quasi_identifiers: tuple[str, ...]
    k: int | None
    unique: int
    """The records that are alone with all their quasi-identifiers."""
    below_k: int | None
    """The records that share them with fewer than k, themselves counted; None where k is not said."""
    combinations: tuple[UniqueBy, ...]
    """Those by which some record is unique: few columns first, of as many the one with most records first."""
    looked: int
    """The combinations that were counted."""
    of: int
    """All combinations; more than ``looked`` where the time was over."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, in a stable order of keys."""
        return asdict(self)


def exposure(
    data: Any, *, quasi_identifiers: Names, k: int | None = None, most: int = MOST, seconds: float | None = None
) -> Exposure:
    """Count the records that are alone with their quasi-identifiers, or with a few of them.

    All counts are exact, and a missing value is a value of its own. Combinations have up to ``most`` columns, and up to
    2 where there are more than 12 quasi-identifiers. Those of one column are counted first, then those of two, and so
    on; none is begun after so many ``seconds``.
    """
    end = None if seconds is None else time.monotonic() + _seconds(seconds)
    most = _columns(most)
    table = tables.read(data)
    names = chosen(quasi_identifiers, table.names, Role.QUASI_IDENTIFIER)
    k = None if k is None else whole_k(k)
    classes = tables.class_numbers(table, names)
    sizes, rows = np.bincount(classes), _two_of_each(classes)
    widths = range(1, min(most, combined(len(names))) + 1)

    @cache
    def codes(j: int) -> Codes:
        return dense(tables.class_numbers(table, [names[j]])[rows]).astype(np.int32, copy=False)

    found = []
    for columns in chain.from_iterable(combinations(range(len(names)), width) for width in widths):
        if end is not None and time.monotonic() >= end:
            break
        found.append(UniqueBy(tuple(names[j] for j in columns), _alone([codes(j) for j in columns])))
    return Exposure(
        records=table.height,
        quasi_identifiers=names,
        k=k,
        unique=int((sizes == 1).sum()),
        below_k=None if k is None else int(sizes[sizes < k].sum()),
        combinations=tuple(
            sorted((one for one in found if one.unique), key=lambda one: (len(one.columns), -one.unique))
        ),
        looked=len(found),
        of=sum(comb(len(names), width) for width in widths),
    )


def _two_of_each(classes: IntVector) -> IntVector:
    """The first and the last record of each class: who is alone with some columns, these tell as well as all."""
    rows = np.arange(len(classes))
    last = np.empty(int(classes.max()) + 1, dtype=np.int64)
    first = last.copy()
    last[classes] = rows  # what is written last stays
    first[classes[::-1]] = rows[::-1]
    kept = np.zeros(len(classes), dtype=np.bool_)
    kept[first] = kept[last] = True
    return np.flatnonzero(kept)


def _alone(columns: Sequence[Codes]) -> int:
    """How many rows no other row shares these codes with."""
    key, cells = columns[0].astype(np.int64), int(columns[0].max()) + 1
    for column in columns[1:]:
        width = int(column.max()) + 1
        if cells * width > _LARGEST:
            key = dense(key)
            cells = int(key.max()) + 1
        key, cells = key * width + column, cells * width
    if cells <= _FEW * len(key):
        return int((np.bincount(key) == 1).sum())
    key.sort()
    other = np.concatenate([[True], key[1:] != key[:-1], [True]])
    return int((other[1:] & other[:-1]).sum())


def _seconds(seconds: Any) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < math.inf:
        raise OptionError.bad_option("seconds", "a number from 0 on")
    return float(seconds)


def _columns(most: Any) -> int:
    if isinstance(most, bool) or not isinstance(most, int) or most < 0:
        raise OptionError.bad_option("most", "a whole number from 0 on")
    return most

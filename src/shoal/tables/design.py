"""The design of a survey: sampling weights, strata and households, from the columns that hold them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.errors import ColumnError, DataError
from shoal.schema.columns import Kind
from shoal.tables.table import Table, unsigned
from shoal.values import Design, FloatVector, IntVector, by_first_row


def design(table: Table, *, sampling_weights: str = "", strata: Sequence[str] = (), households: str = "") -> Design:
    """The weights, strata and households of the records; what is not named is unknown."""
    for name in (*([sampling_weights] if sampling_weights else []), *strata, *([households] if households else [])):
        if name not in table.names:
            raise ColumnError.unknown(name, table.names)
    found = Design(
        sampling=_weights(table, sampling_weights) if sampling_weights else None,
        strata=_numbered(table, strata) if strata else None,
        households=_households(table, households) if households else None,
    )
    if found.strata is not None and found.households is not None:
        _check_nested(found.strata, found.households)
    return found


_MOST = 1e100
"""More persons than a record can stand for; the sums of more may not be finite."""


def _weights(table: Table, name: str) -> FloatVector:
    """Numbers above 0, one for each record."""
    content = table.cells.content(name)
    if content.kind is not Kind.NUMERIC or content.numbers is None:
        raise ColumnError.not_numeric(name, content.kind)
    weights = content.numbers.to_numpy().astype(np.float64)
    wrong = ~((weights > 0) & (weights <= _MOST))
    if wrong.any():
        raise DataError.bad_weights(name, rows=int(wrong.sum()), of=len(wrong), first=int(np.argmax(wrong)) + 1)
    return weights


def _numbered(table: Table, names: Sequence[str]) -> IntVector:
    """The different combinations of values, numbered in the order of their first records; missing is a value."""
    seen = pl.DataFrame([_values(table, name).alias(str(place)) for place, name in enumerate(names)])
    first = seen.with_row_index("row").select(pl.first("row").over([str(place) for place in range(len(names))]))
    return by_first_row(first.to_series().to_numpy().astype(np.int64))[1]


def _values(table: Table, name: str) -> pl.Series:
    """The cells as a reader sees them, null where one is missing in whatever way, and zero without a sign."""
    cells = table.cells.seen(name)
    known = unsigned(cells) if cells.dtype.is_float() else cells
    return known.set(table.cells.content(name).values.is_null(), None)


def _households(table: Table, name: str) -> IntVector:
    gone = table.cells.content(name).values.is_null()
    if gone.any():
        raise DataError.no_household(name, rows=int(gone.sum()), of=len(gone), first=int(gone.arg_true()[0]) + 1)
    return _numbered(table, [name])


def _check_nested(strata: IntVector, households: IntVector) -> None:
    """The members of a household must lie in one stratum."""
    low, high = np.full(int(households.max()) + 1, len(strata)), np.full(int(households.max()) + 1, -1)
    np.minimum.at(low, households, strata)
    np.maximum.at(high, households, strata)
    if (low != high).any():
        raise DataError.household_in_strata(int((low != high).sum()))

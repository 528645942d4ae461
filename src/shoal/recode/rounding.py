"""Decimals that the numbers of each column are rounded to, according to the policy."""

from __future__ import annotations

import numpy as np

from shoal import data
from shoal.data import Table
from shoal.domain import BoolVector, Precision, Records

BY_COLUMN, INTEGER_COLUMNS, NO_ROUNDING = "by column", "whole numbers", "none"
"""How released numbers are rounded: to the decimals of their column; in older policies, only columns of integers; or
not at all.
"""
INTEGER = Precision(0, 0, "int64")
"""Precision of columns that older policies release as integers, whatever their type."""
_MAX_EXACT = 2.0**53


def precisions(rounding: str, table: Table, records: Records, suppressed: BoolVector | None) -> dict[str, Precision]:
    """Return the precisions of the numeric columns of a table that are rounded."""
    if rounding == BY_COLUMN:
        return data.detect_precisions(table, [name for name in records.numeric if name not in records.dates])
    return integer_columns(records, suppressed) if rounding == INTEGER_COLUMNS else {}


def integer_columns(records: Records, suppressed: BoolVector | None) -> dict[str, Precision]:
    """Return the columns in which all known numbers of the records that are not suppressed are integers."""
    integers: dict[str, Precision] = {}
    for j, name in enumerate(records.numeric):
        excluded = records.is_missing(name) if suppressed is None else records.is_missing(name) | suppressed
        known = records.values[~excluded, j]
        if np.all(known == np.rint(known)) and np.abs(known).max(initial=0.0) <= _MAX_EXACT:
            integers[name] = INTEGER
    return integers

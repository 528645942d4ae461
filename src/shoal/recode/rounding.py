"""Rounding: to which decimals the numbers of each column are rounded, by what the policy says."""

from __future__ import annotations

import numpy as np

from shoal import tables
from shoal.tables import Table
from shoal.values import BoolVector, Precision, Records

BY_COLUMN, WHOLE_NUMBERS, NONE = "by column", "whole numbers", "none"
"""How released numbers are rounded: to the decimals of their column; in older policies only in columns of whole
numbers; or not at all."""
WHOLE = Precision(0, 0, "int64")
"""That of columns which older policies release as whole numbers, whatever their type is."""
_EXACT_WHOLE = 2.0**53


def precisions(rounding: str, table: Table, records: Records, suppressed: BoolVector | None) -> dict[str, Precision]:
    """The decimals of the numeric columns of a table that are rounded."""
    if rounding == BY_COLUMN:
        return tables.precisions(table, [name for name in records.numeric if name not in records.dates])
    return whole_columns(records, suppressed) if rounding == WHOLE_NUMBERS else {}


def whole_columns(records: Records, suppressed: BoolVector | None) -> dict[str, Precision]:
    """The columns in which all known numbers of the records that are shown are whole."""
    found: dict[str, Precision] = {}
    for j, name in enumerate(records.numeric):
        hidden = records.gone(name) if suppressed is None else records.gone(name) | suppressed
        known = records.values[~hidden, j]
        if np.all(known == np.rint(known)) and np.abs(known).max(initial=0.0) <= _EXACT_WHOLE:
            found[name] = WHOLE
    return found

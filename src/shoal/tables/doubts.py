"""Heuristics that flag a probably misread file. They decide nothing."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.errors import DataError
from shoal.schema.columns import Kind
from shoal.tables.delimited import DelimitedCells
from shoal.tables.detection import DAY_OR_MONTH, SHORT_YEAR, is_value
from shoal.tables.table import Table

_LOOKED_AT = 1_000
"""Cells of a column: the first that are not missing."""
_MOSTLY = 0.8
_NUMBER = r"^[+-]?[€$£]?[ \u00a0]?[0-9]+(?:[., '\u00a0\u202f][0-9]{3})*(?:[.,][0-9]+)?[ \u00a0]?(?:%|€|[A-Z]{3})?$"
_DAY = r"^[0-9]{1,4}[./-] ?[0-9]{1,2}[./-] ?[0-9]{1,4}\.?(?: [0-9:.]+)?$"


@dataclass(frozen=True)
class Doubts:
    """The columns that each doubt is about."""

    numbers: tuple[str, ...] = ()
    """Columns read as text although most values look like numbers, or whose comma or point can be read in two ways."""
    dates: tuple[str, ...] = ()
    """Columns read as text although most values look like dates."""
    names: tuple[str, ...] = ()
    """Names that are numbers or dates, as in a file without a header."""


def doubts(table: Table) -> Doubts:
    """What looks misread, by the first cells and the names of a table."""
    known = dict(table.cells.dialect.doubtful) if isinstance(table.cells, DelimitedCells) else {}
    kinds = {name: kind for name in table.names if (kind := known.get(name) or _looks_like(table, name))}
    of_dates = (DAY_OR_MONTH, SHORT_YEAR, _DAY)
    return Doubts(
        numbers=tuple(name for name, kind in kinds.items() if kind not in of_dates),
        dates=tuple(name for name, kind in kinds.items() if kind in of_dates),
        names=tuple(name for name in table.names if is_value(name)),
    )


def _looks_like(table: Table, name: str) -> str:
    """The pattern that most cells of a column of words have; empty where there is none."""
    try:
        content = table.cells.content(name)
    except DataError:  # cells such as lists, that are no words
        return ""
    if content.kind is not Kind.NOMINAL or content.values.dtype != pl.String:
        return ""
    cells = content.values.drop_nulls().head(_LOOKED_AT).str.strip_chars()
    # codes with leading zeros are text
    cells = cells.filter(~cells.str.contains("^0[0-9]+$")) if len(cells) else cells
    for pattern in (_DAY, _NUMBER):
        if len(cells) and int(cells.str.contains(pattern).sum()) >= _MOSTLY * len(cells):
            return pattern
    return ""

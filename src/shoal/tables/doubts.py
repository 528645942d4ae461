"""Doubts: what about a file looks as if it was read in the wrong way. They are told; nothing is guessed by them."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.errors import DataError
from shoal.schema.columns import Kind
from shoal.tables.table import Table

_LOOKED_AT = 1_000
"""Cells of a column: the first that are not missing."""
_COMMA = r"^[+-]?[0-9][0-9.]*(,[0-9]+)?$"
_DAY = r"^[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}\.?( [0-9:.]+)?$"
_NUMBER = r"^[+-]?[0-9]+([.,][0-9]+)?$"


@dataclass(frozen=True)
class Doubts:
    """The columns that each doubt is about."""

    decimals: tuple[str, ...] = ()
    """Numbers with a decimal comma that were read as words."""
    dates: tuple[str, ...] = ()
    """Dates in another form than ISO 8601, which are words too."""
    names: tuple[str, ...] = ()
    """Names that are numbers or dates, as in a file without a header."""


def doubts(table: Table) -> Doubts:
    """What the first cells and the names of a table make one doubt."""
    words = [(name, cells) for name in table.names if (cells := _words(table, name)) is not None]
    return Doubts(
        decimals=tuple(name for name, cells in words if _all(cells, _COMMA) and cells.str.contains(",").any()),
        dates=tuple(name for name, cells in words if _all(cells, _DAY)),
        names=tuple(name for name in table.names if _all(pl.Series([name]), f"{_NUMBER}|{_DAY}")),
    )


def _words(table: Table, name: str) -> pl.Series | None:
    """The first cells of a column of words that holds any."""
    try:
        content = table.cells.content(name)
    except DataError:  # cells such as lists, that are no words
        return None
    if content.kind is not Kind.NOMINAL or content.values.dtype != pl.String:
        return None
    cells = content.values.drop_nulls().head(_LOOKED_AT).str.strip_chars()
    return cells if len(cells) else None


def _all(cells: pl.Series, pattern: str) -> bool:
    return bool(cells.str.contains(pattern).all())

"""Heuristics that flag a probably misread file, and the questions about columns that can be read in several ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.errors import ColumnError, DataError
from shoal.schema.columns import Kind
from shoal.tables.column_format import TEXT
from shoal.tables.delimited import DelimitedCells
from shoal.tables.detection import DAY_OR_MONTH, PERHAPS, POINT, SHORT_YEAR, Doubt, is_value
from shoal.tables.excel import SheetCells
from shoal.tables.frames import PandasCells
from shoal.tables.header import is_year
from shoal.tables.table import Content, Table, where

_LOOKED_AT = 1_000
"""Cells of a column: the first that are not missing."""
_MOSTLY = 0.8
NUMBERS = r"^[+-]?[€$£]?[ \u00a0]?[0-9]+(?:[., '’\u00a0\u202f][0-9]{3})*(?:[.,][0-9]+)?[ \u00a0]?(?:%|€|[A-Z]{3})?$"
DATES = r"^[0-9]{1,4}[./-] ?[0-9]{1,2}[./-] ?[0-9]{1,4}\.?(?:[ T][0-9:.]+)?$"


@dataclass(frozen=True)
class Doubts:
    """The columns that each doubt is about."""

    numbers: tuple[str, ...] = ()
    """Columns read as text although most values look like numbers, or whose comma can be read in two ways."""
    dates: tuple[str, ...] = ()
    """Columns read as text although most values look like dates."""
    thousands: tuple[str, ...] = ()
    """Columns read as numbers with decimals although their points may part thousands."""
    names: tuple[str, ...] = ()
    """Names that are numbers or dates, as in a file without a header."""

    def of(self, columns: Iterable[str]) -> Doubts:
        """The doubts about these columns."""
        kept = set(columns)
        found = (self.numbers, self.dates, self.thousands, self.names)
        return Doubts(*(tuple(name for name in names if name in kept) for names in found))


def doubts(table: Table) -> Doubts:
    """What looks misread, by the first cells and the names of a table."""
    known = {name: doubt.kind for name, doubt in _doubtful(table).items()}
    said = [name for name, form in (_formats(table) or {}).items() if form == TEXT]
    few = _few(table)
    looks = {name: _looks_like(few, name) for name in table.names if name not in (*known, *said)} | known
    kinds = {name: looks[name] for name in table.names if looks.get(name)}
    thousands = (POINT, PERHAPS)
    dates = (DAY_OR_MONTH, SHORT_YEAR, DATES)
    return Doubts(
        numbers=tuple(name for name, kind in kinds.items() if kind not in (*dates, *thousands)),
        dates=tuple(name for name, kind in kinds.items() if kind in dates),
        thousands=tuple(name for name, kind in kinds.items() if kind in thousands),
        names=() if _are_positions(table.names) else tuple(filter(_is_strange, table.names)),
    )


def _are_positions(names: Sequence[str]) -> bool:
    """Whether these are the names of an array, whose columns have no others."""
    return list(names) == [str(at) for at in range(len(names))]


def _is_strange(name: str) -> bool:
    return is_value(name) and not is_year(name)


def _few(table: Table) -> Table:
    """The first records of a pandas frame, whose cells take long to understand; any other table as it is."""
    if not isinstance(table.cells, PandasCells):
        return table
    return replace(table, cells=table.cells.taken(np.arange(min(table.height, _LOOKED_AT))))


def is_typed(table: Table) -> bool:
    """Whether the types of its columns tell what they hold, so that no format can be named."""
    return _formats(table) is None


def check_read(table: Table, names: Iterable[str]) -> None:
    """Refuse columns that can be read in several ways, or that are not in the format that they are said to have."""
    doubtful = _doubtful(table)
    for name in names:
        doubt = doubtful.get(name)
        if doubt is not None and doubt.kind != PERHAPS:
            raise ColumnError.two_readings(name, doubt.kind, doubt.formats)


def check_mixed(table: Table, names: Iterable[str]) -> None:
    """Refuse columns of numbers or dates that were read as text, since some of their cells are something else.

    The names are those of columns whose kind nobody has named.
    """
    formats = _formats(table)
    for name in names:
        content = table.cells.content(name)
        if content.kind is not Kind.NOMINAL:
            continue
        if content.text is not None:
            raise DataError.text(name, **_odd(table, name, content))
        form = "" if formats is None else formats.get(name, "")
        if form not in ("", TEXT):
            raise ColumnError.other_format(name, form)
        if formats is not None and form != TEXT and (like := _looks_like(table, name)):
            raise ColumnError.read_as_text(name, dates=like == DATES)


def _odd(table: Table, name: str, content: Content) -> dict[str, int]:
    """In how many records some text stands among numbers, also where only a sample of them is at hand."""
    whole = table.cells.odd(name) if isinstance(table.cells, DelimitedCells) else None
    return whole or where(content.text if content.text is not None else pl.Series([], dtype=pl.Boolean))


def _formats(table: Table) -> Mapping[str, str] | None:
    """The formats of the columns; None where their types tell what they are."""
    cells = table.cells
    if isinstance(cells, DelimitedCells) or (isinstance(cells, SheetCells) and not cells.typed):
        return cells.dialect.formats
    return None


def _doubtful(table: Table) -> Mapping[str, Doubt]:
    cells = table.cells
    return cells.dialect.doubtful if isinstance(cells, DelimitedCells | SheetCells) else {}


def _looks_like(table: Table, name: str) -> str:
    """The pattern that most cells of a column of words have; empty where there is none."""
    try:
        content = table.cells.content(name)
    except DataError:  # cells such as lists, that are no words
        return ""
    if content.kind is not Kind.NOMINAL or content.values.dtype != pl.String:
        return ""
    cells = content.values.drop_nulls().head(_LOOKED_AT).str.strip_chars()
    if not len(cells) or cells.str.contains("^0[0-9]+$").any():  # codes with leading zeros are text
        return ""
    # phone numbers begin with zeros, too
    patterns: tuple[str, ...] = (DATES,) if cells.str.contains("^0[0-9]").any() else (DATES, NUMBERS)
    for pattern in patterns:
        if int(cells.str.contains(pattern).sum()) >= _MOSTLY * len(cells):
            return pattern
    return ""

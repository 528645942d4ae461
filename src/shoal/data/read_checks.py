"""Heuristics that flag a probably misread file, and checks for ambiguous column formats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.data.csv.column_format import TEXT_FORMAT
from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.csv.detection import DAY_OR_MONTH, MAYBE_THOUSANDS, POINT, SHORT_YEAR, FormatAmbiguity, is_value
from shoal.data.csv.read_delimited import is_year
from shoal.data.excel import SheetCells
from shoal.data.frames.pandas_frames import PandasCells
from shoal.data.table import ColumnContent, Table, affected_rows
from shoal.domain.columns import Kind
from shoal.errors import ColumnError, DataError

_SAMPLE = 1_000
"""Examined cells per column: the first that are not missing."""
_MIN_MATCHING = 0.8
NUMBER_LIKE = r"^[+-]?[€$£]?[ \u00a0]?[0-9]+(?:[., '’\u00a0\u202f][0-9]{3})*(?:[.,][0-9]+)?[ \u00a0]?(?:%|€|[A-Z]{3})?$"
DATE_LIKE = r"^[0-9]{1,4}[./-] ?[0-9]{1,2}[./-] ?[0-9]{1,4}\.?(?:[ T][0-9:.]+)?$"


@dataclass(frozen=True)
class MisreadColumns:
    """Columns that were probably misread, by kind of problem."""

    numbers: tuple[str, ...] = ()
    """Columns read as text although most values look like numbers, or with an ambiguous comma."""
    dates: tuple[str, ...] = ()
    """Columns read as text although most values look like dates."""
    thousands: tuple[str, ...] = ()
    """Columns read as numbers with decimals although the points may be thousands separators."""
    names: tuple[str, ...] = ()
    """Column names that are numbers or dates, as in a file without a header."""

    def select(self, columns: Iterable[str]) -> MisreadColumns:
        """Return the problems of these columns only."""
        selected = set(columns)
        fields = (self.numbers, self.dates, self.thousands, self.names)
        return MisreadColumns(*(tuple(name for name in names if name in selected) for names in fields))


def find_misread_columns(table: Table) -> MisreadColumns:
    """Find probably misread columns from the names and first cells of a table."""
    ambiguous = {name: doubt.kind for name, doubt in ambiguous_formats(table).items()}
    named_text = [name for name, form in (_formats(table) or {}).items() if form == TEXT_FORMAT]
    sample = _sample(table)
    patterns = {
        name: _looks_like(sample, name) for name in table.names if name not in (*ambiguous, *named_text)
    } | ambiguous
    kinds = {name: patterns[name] for name in table.names if patterns.get(name)}
    thousands = (POINT, MAYBE_THOUSANDS)
    dates = (DAY_OR_MONTH, SHORT_YEAR, DATE_LIKE)
    is_array = list(table.names) == [str(at) for at in range(len(table.names))]
    return MisreadColumns(
        numbers=tuple(name for name, kind in kinds.items() if kind not in (*dates, *thousands)),
        dates=tuple(name for name, kind in kinds.items() if kind in dates),
        thousands=tuple(name for name, kind in kinds.items() if kind in thousands),
        names=() if is_array else tuple(name for name in table.names if is_value(name) and not is_year(name)),
    )


def _sample(table: Table) -> Table:
    """Return the first records of a pandas frame, which is slow to parse; other tables unchanged."""
    if not isinstance(table.cells, PandasCells):
        return table
    return replace(table, cells=table.cells.take(np.arange(min(table.height, _SAMPLE))))


def has_column_types(table: Table) -> bool:
    """Return whether the columns have types, so that formats do not apply."""
    return _formats(table) is None


def check_unambiguous(table: Table, names: Iterable[str]) -> None:
    """Raise an error for columns with an ambiguous format."""
    ambiguous = ambiguous_formats(table)
    for name in names:
        doubt = ambiguous.get(name)
        if doubt is not None and doubt.kind != MAYBE_THOUSANDS:
            raise ColumnError.ambiguous_format(name, doubt.kind, doubt.formats)


def check_not_mixed(table: Table, names: Iterable[str]) -> None:
    """Raise an error for columns of numbers or dates that were read as text because of some other cells.

    ``names`` are columns without an explicit kind.
    """
    formats = _formats(table)
    for name in names:
        content = table.cells.content(name)
        if content.kind is not Kind.NOMINAL:
            continue
        if content.non_numeric is not None:
            raise DataError.text_in_numbers(name, **_locate_text(table, name, content))
        form = "" if formats is None else formats.get(name, "")
        if form not in ("", TEXT_FORMAT):
            raise ColumnError.format_mismatch(name, form)
        if formats is not None and form != TEXT_FORMAT and (like := _looks_like(table, name)):
            raise ColumnError.read_as_text(name, dates=like == DATE_LIKE)


def _locate_text(table: Table, name: str, content: ColumnContent) -> dict[str, int]:
    """Locate text among numbers, in all records even if the content is only a sample."""
    location = table.cells.locate_text(name) if isinstance(table.cells, DelimitedCells) else None
    return location or affected_rows(
        content.non_numeric if content.non_numeric is not None else pl.Series([], dtype=pl.Boolean)
    )


def _formats(table: Table) -> Mapping[str, str] | None:
    """Return the column formats; None if the columns have types."""
    cells = table.cells
    if isinstance(cells, DelimitedCells) or (isinstance(cells, SheetCells) and not cells.typed):
        return cells.dialect.formats
    return None


def ambiguous_formats(table: Table) -> Mapping[str, FormatAmbiguity]:
    """Return the columns with an ambiguous format."""
    return table.cells.dialect.doubtful if isinstance(table.cells, DelimitedCells | SheetCells) else {}


def column_formats(table: Table) -> Mapping[str, str]:
    """Return the format of each column that has one."""
    return table.cells.dialect.formats if isinstance(table.cells, DelimitedCells | SheetCells) else {}


def _looks_like(table: Table, name: str) -> str:
    """Return the pattern of most cells of a text column; empty if there is none."""
    try:
        content = table.cells.content(name)
    except DataError:  # cells such as lists
        return ""
    if content.kind is not Kind.NOMINAL or content.values.dtype != pl.String:
        return ""
    cells = content.values.drop_nulls().head(_SAMPLE).str.strip_chars()
    if not len(cells) or cells.str.contains("^0[0-9]+$").any():  # codes with leading zeros are text
        return ""
    # phone numbers begin with zeros, too
    patterns: tuple[str, ...] = (DATE_LIKE,) if cells.str.contains("^0[0-9]").any() else (DATE_LIKE, NUMBER_LIKE)
    for pattern in patterns:
        if int(cells.str.contains(pattern).sum()) >= _MIN_MATCHING * len(cells):
            return pattern
    return ""

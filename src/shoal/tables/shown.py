"""Numbers as a reader takes them from a release: of an interval both ends, and of what shows nothing none."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import polars as pl

from shoal.schema.columns import Kind
from shoal.tables.categories import SUPPRESSED
from shoal.tables.column_format import NumberFormat, column_format
from shoal.tables.counts import words
from shoal.tables.dates import days, parsed_day
from shoal.tables.table import Table
from shoal.values import BoolVector, FloatVector

_INTERVAL = re.compile(r"\[(.+)\]")


def shown_bounds(table: Table, name: str, *, dates: bool = False) -> tuple[FloatVector, FloatVector] | None:
    """The least and the greatest number, or day, that each cell may mean; the same array twice where all are numbers.

    NaN where a cell shows nothing; None where one shows something else.
    """
    content = table.cells.content(name)
    if dates and content.kind is Kind.DATE:
        found = days(table, name)
        return found, found
    if not dates and content.kind is Kind.NUMERIC and content.numbers is not None:
        found = content.numbers.fill_null(np.nan).to_numpy().astype(np.float64, copy=False)
        return (found, found) if not np.isinf(found).any() else None
    cells = _standard(words(table, name), table, name)
    known = {word: _ends(word, dates=dates) for word in cells.unique().drop_nulls().to_list()}
    pairs = [pair for pair in known.values() if pair is not None]
    if len(pairs) < len(known):
        return None
    low, high = (_spread(cells, list(known), [pair[end] for pair in pairs]) for end in (0, 1))
    return (low, low) if np.array_equal(low, high, equal_nan=True) else (low, high)


def shown_nothing(table: Table, names: Iterable[str]) -> BoolVector:
    """The records that show no value in any of these columns: only missing cells and stars."""
    hidden = np.ones(table.height, dtype=np.bool_)
    for name in names:
        if hidden.any():
            values = table.cells.content(name).values
            if values.dtype.is_numeric():
                hidden &= values.is_null().to_numpy() if values.null_count() else False
            else:
                hidden &= (values.cast(pl.String) == SUPPRESSED).fill_null(True).to_numpy()
    return hidden


def _standard(cells: pl.Series, table: Table, name: str) -> pl.Series:
    """The cells with their numbers or days in the standard form, by the format that the file has for this column."""
    number = NumberFormat(str(table.settings.get("decimal", ".")), str(table.settings.get("thousands", "")))
    form = column_format(table.settings.get("column_formats", {}).get(name, str(number)))
    return cells if form is None else form.inside(cells)


def _spread(cells: pl.Series, words: list[str], numbers: list[float]) -> FloatVector:
    if not words:
        return np.full(len(cells), np.nan)
    found = cells.replace_strict(words, numbers, default=None, return_dtype=pl.Float64)
    return found.fill_null(np.nan).to_numpy().astype(np.float64, copy=False)


def _ends(text: str, *, dates: bool) -> tuple[float, float] | None:
    """A number twice, the ends of an interval, NaN for a star; None for anything else."""
    if text == SUPPRESSED:
        return np.nan, np.nan
    inside = _INTERVAL.fullmatch(text.strip())
    # a minus sign stands between the ends where neither of them has one
    texts = inside[1].split(" to " if " to " in text else "-") if inside else [text]
    ends = [parsed_day(end) if dates else _number(end) for end in texts]
    known = [end for end in ends if end is not None]
    return (known[0], known[-1]) if len(known) == len(ends) <= 2 else None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None

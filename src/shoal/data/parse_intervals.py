"""Parse released numbers, dates and intervals into bounds, and find fully suppressed records."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import polars as pl

from shoal.data.csv.column_format import NumberFormat, parse_column_format
from shoal.data.encode.category_codes import SUPPRESSED
from shoal.data.encode.dates import dates_as_days, parse_iso_day
from shoal.data.table import Table, text_values
from shoal.domain import BoolVector, FloatVector
from shoal.domain.columns import Kind

_INTERVAL = re.compile(r"\[(.+)\]")


def released_bounds(table: Table, name: str, *, dates: bool = False) -> tuple[FloatVector, FloatVector] | None:
    """Return the lower and upper bound of each cell; the same array twice if no cell is an interval.

    NaN where a cell is missing or suppressed; None if a cell is not a number, date or interval.
    """
    content = table.cells.content(name)
    if dates and content.kind is Kind.DATE:
        values = dates_as_days(table, name)
        return values, values
    if not dates and content.kind is Kind.NUMERIC and content.numbers is not None:
        values = content.numbers.fill_null(np.nan).to_numpy().astype(np.float64, copy=False)
        return (values, values) if not np.isinf(values).any() else None
    cells = _standard(text_values(table, name), table, name)
    bounds_of = {word: _parse_bounds(word, dates=dates) for word in cells.unique().drop_nulls().to_list()}
    pairs = [pair for pair in bounds_of.values() if pair is not None]
    if len(pairs) < len(bounds_of):
        return None
    low, high = (_expand(cells, list(bounds_of), [pair[end] for pair in pairs]) for end in (0, 1))
    return (low, low) if np.array_equal(low, high, equal_nan=True) else (low, high)


def fully_suppressed(table: Table, names: Iterable[str]) -> BoolVector:
    """Return the records with only missing or suppressed cells (``*``) in these columns."""
    suppressed = np.ones(table.height, dtype=np.bool_)
    for name in names:
        if suppressed.any():
            values = table.cells.content(name).values
            if values.dtype.is_numeric():
                suppressed &= values.is_null().to_numpy() if values.null_count() else False
            else:
                suppressed &= (values.cast(pl.String) == SUPPRESSED).fill_null(True).to_numpy()
    return suppressed


def _standard(cells: pl.Series, table: Table, name: str) -> pl.Series:
    """Convert cells from the column format of the file to the standard form."""
    number = NumberFormat(str(table.settings.get("decimal", ".")), str(table.settings.get("thousands", "")))
    form = parse_column_format(table.settings.get("column_formats", {}).get(name, str(number)))
    return cells if form is None else form.to_standard_inside(cells)


def _expand(cells: pl.Series, words: list[str], numbers: list[float]) -> FloatVector:
    if not words:
        return np.full(len(cells), np.nan)
    expanded = cells.replace_strict(words, numbers, default=None, return_dtype=pl.Float64)
    return expanded.fill_null(np.nan).to_numpy().astype(np.float64, copy=False)


def _parse_bounds(text: str, *, dates: bool) -> tuple[float, float] | None:
    """Return both ends of an interval, a number twice, NaN for suppressed; None for anything else."""
    if text == SUPPRESSED:
        return np.nan, np.nan
    inside = _INTERVAL.fullmatch(text.strip())
    # a hyphen separates the ends if neither is negative
    texts = inside[1].split(" to " if " to " in text else "-") if inside else [text]
    ends = [parse_iso_day(end) if dates else _parse_number(end) for end in texts]
    known = [end for end in ends if end is not None]
    return (known[0], known[-1]) if len(known) == len(ends) <= 2 else None


def _parse_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None

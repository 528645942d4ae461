"""Numbers as a reader takes them from a release: an interval for its middle, and what shows nothing for nothing."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from shoal.schema.columns import Kind
from shoal.tables.categories import SUPPRESSED
from shoal.tables.counts import words
from shoal.tables.dates import days, parsed_day
from shoal.tables.table import Table
from shoal.values import FloatVector

_INTERVAL = re.compile(r"\[(.+)\]")


def shown_numbers(table: Table, name: str, *, dates: bool = False) -> FloatVector | None:
    """The column as numbers, or as days; NaN where a cell shows nothing, and None where one shows something else."""
    content = table.cells.content(name)
    if dates and content.kind is Kind.DATE:
        return days(table, name)
    if not dates and content.kind is Kind.NUMERIC and content.numbers is not None:
        found: FloatVector = content.numbers.fill_null(np.nan).to_numpy().astype(np.float64)
        return found if not np.isinf(found).any() else None
    cells = words(table, name)
    decimal = str(table.settings.get("decimal", "."))
    known = {word: _middle(word, dates=dates, decimal=decimal) for word in cells.unique().drop_nulls().to_list()}
    if any(number is None for number in known.values()):
        return None
    if not known:
        return np.full(len(cells), np.nan)
    return (
        cells.replace_strict(list(known), list(known.values()), default=None, return_dtype=pl.Float64)
        .fill_null(np.nan)
        .to_numpy()
        .astype(np.float64)
    )


def _middle(text: str, *, dates: bool, decimal: str) -> float | None:
    """A number, the middle of an interval, NaN for a star; None for anything else."""
    if text == SUPPRESSED:
        return np.nan
    inside = _INTERVAL.fullmatch(text.strip())
    # a minus sign stands between the ends where neither of them has one
    texts = inside[1].split(" to " if " to " in text else "-") if inside else [text]
    ends = [parsed_day(end) if dates else _number(end, decimal) for end in texts]
    if len(ends) > 2 or any(end is None for end in ends):
        return None
    return sum(end / len(ends) for end in ends if end is not None)


def _number(text: str, decimal: str) -> float | None:
    try:
        number = float(text.replace(decimal, "."))
    except ValueError:
        return None
    return number if np.isfinite(number) else None

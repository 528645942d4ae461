"""Cells that are compared across chunks."""

from __future__ import annotations

import polars as pl

from shoal.tables.delimited import DelimitedCells
from shoal.tables.records import told_apart
from shoal.tables.table import Table, unsigned, without_nan


def told(chunk: Table, name: str) -> pl.Series:
    """A column so that cells of any two chunks are equal where they mean the same: NaN is missing, and -0.0 is 0.0."""
    cells = _seen(chunk, name)
    return unsigned(without_nan(cells)) if cells.dtype.is_float() else cells


def shown(chunk: Table, name: str) -> pl.Series:
    """A column so that cells of any two chunks are equal where a reader sees no difference."""
    return told_apart(_seen(chunk, name))


def _seen(chunk: Table, name: str) -> pl.Series:
    cells = chunk.cells
    return cells.text(name) if isinstance(cells, DelimitedCells) else cells.seen(name)

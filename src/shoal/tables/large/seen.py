"""Cells that are compared across chunks."""

from __future__ import annotations

import polars as pl

from shoal.tables.delimited import DelimitedCells
from shoal.tables.table import Table


def told(chunk: Table, name: str) -> pl.Series:
    """A column so that cells of any two chunks are equal where a reader sees no difference."""
    cells = chunk.cells
    return cells.text(name) if isinstance(cells, DelimitedCells) else cells.seen(name)

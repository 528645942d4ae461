"""Cells that are comparable across chunks."""

from __future__ import annotations

import polars as pl

from shoal.data.csv.delimited_cells import DelimitedCells
from shoal.data.encode.encode_table import comparable_values
from shoal.data.table import Table, nan_to_null, without_negative_zero


def normalized_cells(chunk: Table, name: str) -> pl.Series:
    """Return a column whose equal values have equal cells in all chunks: NaN is missing, and -0.0 is 0.0."""
    cells = _visible_cells(chunk, name)
    return without_negative_zero(nan_to_null(cells)) if cells.dtype.is_float() else cells


def visible_cells(chunk: Table, name: str) -> pl.Series:
    """Return a column whose cells are equal across chunks if a reader sees no difference."""
    return comparable_values(_visible_cells(chunk, name))


def _visible_cells(chunk: Table, name: str) -> pl.Series:
    cells = chunk.cells
    return cells.text(name) if isinstance(cells, DelimitedCells) else cells.visible_values(name)

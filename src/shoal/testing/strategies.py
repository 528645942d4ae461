"""Hypothesis strategies for small tables with ties and extreme values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

from shoal.domain import FloatMatrix
from shoal.domain.columns import Kind
from shoal.hierarchy import Hierarchy

_FLOATS = st.floats(-1e6, 1e6, allow_subnormal=False)
_GRID = st.integers(0, 3).map(float)
_EXTREMES = st.sampled_from([0.0, 1.0, -1.0, 1e-300, -1e-300, 1e300, -1e300, 1e15, 1e15 + 1])
CELL_STRATEGIES = (_FLOATS, _GRID, _EXTREMES)


@st.composite
def tables(draw: st.DrawFn, *, max_columns: int | None = None, max_rows: int = 50) -> tuple[FloatMatrix, int]:
    """Draw a matrix of numbers and a feasible k."""
    columns = draw(st.integers(1, min(4, max_columns or 4)))
    k = draw(st.integers(2, 6))
    rows = draw(st.integers(k, max(k, max_rows)))
    cells = draw(st.sampled_from(CELL_STRATEGIES))
    flat = draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns))
    return np.array(flat, dtype=np.float64).reshape(rows, columns), k


@st.composite
def hierarchies(draw: st.DrawFn, *, max_nodes: int = 9) -> Hierarchy:
    """Draw a hierarchy of any shape."""
    nodes = draw(st.integers(2, max_nodes))
    above = [draw(st.integers(0, number - 1)) for number in range(1, nodes)]
    return Hierarchy.from_edges((f"n{number}", f"n{parent}") for number, parent in enumerate(above, start=1))


@st.composite
def category_tables(
    draw: st.DrawFn,
    *,
    kinds: Sequence[Kind] = (Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL),
    mixed: bool = False,
    max_columns: int | None = None,
    max_rows: int = 40,
) -> tuple[pl.DataFrame, int, dict[str, Any]]:
    """Draw a data frame of categories, a feasible k, and the hierarchies and levels of its columns.

    Values of hierarchical columns are any nodes. At least one column is categorical; with ``mixed``, others can be
    numeric.
    """
    k = draw(st.integers(2, 6))
    rows = draw(st.integers(k, max(k, max_rows)))
    categories = [kind for kind in kinds if kind in (Kind.HIERARCHICAL, Kind.ORDINAL, Kind.NOMINAL)]
    drawn_kinds: list[Kind] = [draw(st.sampled_from(categories))]
    drawn_kinds += draw(st.lists(st.sampled_from([*categories, *([Kind.NUMERIC] if mixed else [])]), max_size=2))
    columns: dict[str, list[Any]] = {}
    trees: dict[str, Hierarchy] = {}
    levels: dict[str, list[str]] = {}
    for number, kind in enumerate(drawn_kinds[: max_columns or None]):
        name = f"c{number}"
        if kind is Kind.HIERARCHICAL:
            trees[name] = draw(hierarchies())
        if kind is Kind.ORDINAL:
            levels[name] = draw(st.permutations([f"l{level}" for level in range(draw(st.integers(2, 5)))]))
        values: Sequence[Any] = trees[name].nodes if name in trees else levels.get(name, ["x", "y", "z", "*"])
        cells = _GRID if kind is Kind.NUMERIC else st.sampled_from(list(values))
        columns[name] = draw(st.lists(cells, min_size=rows, max_size=rows))
    return pl.DataFrame(columns), k, {"hierarchies": trees, "levels": levels}


@st.composite
def mixed_tables(
    draw: st.DrawFn, *, kinds: Sequence[Kind], max_columns: int | None = None, max_rows: int = 40
) -> tuple[pl.DataFrame, int, dict[str, Any]]:
    """Draw a data frame with numeric and categorical columns, a feasible k, and its hierarchies and levels."""
    frame, k, meaning = draw(
        category_tables(kinds=kinds, max_columns=(max_columns or 4) - 1, max_rows=max_rows),
    )
    cells = draw(st.sampled_from(CELL_STRATEGIES))
    numbers = {
        f"x{number}": draw(st.lists(cells, min_size=frame.height, max_size=frame.height))
        for number in range(draw(st.integers(1, min(2, (max_columns or 4) - frame.width))))
    }
    parts = [pl.DataFrame(numbers, schema_overrides=dict.fromkeys(numbers, pl.Float64)), frame]
    return pl.concat(parts if draw(st.booleans()) else parts[::-1], how="horizontal"), k, meaning

"""The index of a pandas frame, which a release keeps if it is more than row numbers."""

from __future__ import annotations

from shoal.data.frames.native_frames import PandasCells
from shoal.data.table import Table


def has_informative_index(table: Table) -> bool:
    """Return whether the table has an index with information beyond the row order; a release keeps it."""
    return isinstance(table.cells, PandasCells) and type(table.cells.table.index).__name__ != "RangeIndex"


def index_table(table: Table) -> Table | None:
    """Return the levels of an informative index as a table; None if there is none."""
    if not (isinstance(table.cells, PandasCells) and has_informative_index(table)):
        return None
    index = table.cells.table.index
    positions = range(index.nlevels)
    names = [str(position if name is None else name) for position, name in enumerate(index.names)]
    return Table(
        "pandas",
        PandasCells(
            index.to_frame(index=False, **({"name": list(positions)} if index.nlevels > 1 else {})),
            tuple(name if names.count(name) == 1 else f"{name} {position}" for position, name in enumerate(names)),
        ),
    )

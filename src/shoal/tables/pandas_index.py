"""The index of a pandas frame, which a release keeps where it says more than the order of the rows."""

from __future__ import annotations

from shoal.tables.frames import PandasCells
from shoal.tables.table import Table


def telling_index(table: Table) -> bool:
    """Whether the table has an index that says more than the order of its rows: a release keeps it."""
    return isinstance(table.cells, PandasCells) and type(table.cells.table.index).__name__ != "RangeIndex"


def index_table(table: Table) -> Table | None:
    """The levels of an index that a release keeps, as a table of their own; None where there is none."""
    if not (isinstance(table.cells, PandasCells) and telling_index(table)):
        return None
    index = table.cells.table.index
    places = range(index.nlevels)
    names = [str(place if name is None else name) for place, name in enumerate(index.names)]
    return Table(
        "pandas",
        PandasCells(
            index.to_frame(index=False, **({"name": list(places)} if index.nlevels > 1 else {})),
            tuple(name if names.count(name) == 1 else f"{name} {place}" for place, name in enumerate(names)),
        ),
    )

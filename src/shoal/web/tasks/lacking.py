"""How many values of some columns are not in the hierarchy, or the order, that was decided on for them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError
from shoal.hierarchy import Hierarchy
from shoal.web.trees import read_levels

if TYPE_CHECKING:
    from shoal.tables import Table
    from shoal.web.worker import Room


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """``file``, and by column the ``paths`` of hierarchies (.json) and orders (.txt); counts by column."""
    table = room.table(asked["file"])
    return {"lacking": {column: _lacking(table, column, Path(path)) for column, path in asked["paths"].items()}}


def _lacking(table: Table, column: str, path: Path) -> int:
    from shoal import tables

    with suppress(ShoalError):  # what cannot be read is refused when it is used
        known = set(read_levels(path) or () if path.suffix == ".txt" else Hierarchy.read(path))
        return sum(value not in known for value in tables.value_counts(table, column))
    return 0

"""How many values of a column each of several hierarchies has."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError
from shoal.hierarchy import Hierarchy

if TYPE_CHECKING:
    from shoal.web.worker import Room


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """``file``, ``column`` and the ``paths`` of hierarchies; one that cannot be read has none."""
    from shoal import tables

    counts = tables.value_counts(room.table(asked["file"]), asked["column"])
    return {"values": len(counts), "matches": [_match(path, counts) for path in asked["paths"]]}


def _match(path: str, counts: Mapping[str, int]) -> int:
    with suppress(ShoalError):
        hierarchy = Hierarchy.read(Path(path))
        return sum(value in hierarchy for value in counts)
    return 0

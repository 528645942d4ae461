"""How many records stand out now, and by which columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.web.worker import Room

_SECONDS = 3.0


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """``file``, ``quasi_identifiers`` and ``k`` (or None); an Exposure as plain data."""
    from shoal.exposure import exposure

    table = room.table(asked["file"])
    room.stage("counting")
    found = exposure(table, quasi_identifiers=asked["quasi_identifiers"], k=asked.get("k"), seconds=_SECONDS)
    return found.to_dict()

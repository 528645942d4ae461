"""The values of a column with their records, and the hierarchies that fit them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.web.offers import offers
from shoal.web.trees import MOST_LETTERS, MOST_NODES

if TYPE_CHECKING:
    from shoal.web.worker import Room


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """``file``, ``column`` and its ``kind``; ``counts`` is None where a tree has no room for so many values."""
    from shoal import tables

    table = room.table(asked["file"])
    counts = tables.value_counts(table, asked["column"])
    few = len(counts) < MOST_NODES and sum(map(len, counts)) <= MOST_LETTERS
    return {
        "records": table.height,
        "distinct": len(counts),
        "counts": counts if few else None,
        "offers": [offer.to_dict() for offer in offers(counts, asked["kind"])] if few else [],
    }

"""Count the values of a column and suggest hierarchies for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.web.offers import suggest_hierarchies
from shoal.web.trees import MAX_CHARACTERS, MAX_NODES

if TYPE_CHECKING:
    from shoal.web.worker import WorkerContext


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return ``counts`` (None where a hierarchy would be too large) and suggestions. Takes ``file``, ``column`` and its
    ``kind``.
    """
    from shoal import tables

    table = context.table(params["file"])
    counts = tables.value_counts(table, params["column"])
    fits = len(counts) < MAX_NODES and sum(map(len, counts)) <= MAX_CHARACTERS
    return {
        "records": table.height,
        "distinct": len(counts),
        "counts": counts if fits else None,
        "offers": [offer.to_dict() for offer in suggest_hierarchies(counts, params["kind"])] if fits else [],
    }

"""Count the values of a column that each of several hierarchies has."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError
from shoal.hierarchy import Hierarchy

if TYPE_CHECKING:
    from shoal.web.workers.worker import WorkerContext


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return the counts. Takes ``file``, ``column`` and the ``paths`` of hierarchies; an unreadable one counts 0."""
    from shoal import data

    counts = data.value_counts(context.table(params["file"]), params["column"])
    return {"values": len(counts), "matches": [_count_matches(path, counts) for path in params["paths"]]}


def _count_matches(path: str, counts: Mapping[str, int]) -> int:
    with suppress(ShoalError):
        hierarchy = Hierarchy.read(Path(path))
        return sum(value in hierarchy for value in counts)
    return 0

"""Count the records that are unique now, and by which columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.web.workers.worker import WorkerContext

_TIME_LIMIT = 3.0


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return the uniqueness as plain data. Takes ``file``, ``quasi_identifiers`` and ``k`` (or None)."""
    from shoal.release.uniqueness import exposure

    table = context.table(params["file"])
    context.stage("counting")
    result = exposure(table, quasi_identifiers=params["quasi_identifiers"], k=params.get("k"), seconds=_TIME_LIMIT)
    return result.to_dict()

"""Count the values of columns that are not in their hierarchy or order."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError
from shoal.hierarchy import Hierarchy
from shoal.web.projects.hierarchy_files import read_levels

if TYPE_CHECKING:
    from shoal.data import Table
    from shoal.web.workers.worker import WorkerContext


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return counts. Takes ``file`` and, by column, the ``paths`` of hierarchies (.json) and orders (.txt)."""
    table = context.table(params["file"])
    return {"lacking": {column: _count_missing(table, column, Path(path)) for column, path in params["paths"].items()}}


def _count_missing(table: Table, column: str, path: Path) -> int:
    from shoal import data

    with suppress(ShoalError):  # an unreadable file is refused when it is used
        nodes = set(read_levels(path) or () if path.suffix == ".txt" else Hierarchy.read(path))
        return sum(value not in nodes for value in data.value_counts(table, column))
    return 0

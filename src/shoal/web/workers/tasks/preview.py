"""Preview of a file: its first records and a summary of each column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.web.projects.column_types import column_type_name

if TYPE_CHECKING:
    from shoal.data import ColumnPreview, Table
    from shoal.web.workers.worker import WorkerContext

_UNKNOWN = "…"


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return names, types, the first records as text, and a profile of each column.

    Takes ``file`` and the number of ``rows``. A missing cell is None. The values are displayed and not stored.
    """
    from shoal.system.threads import parallel_map

    table = context.table(params["file"])
    rows = min(int(params["rows"]), table.height)
    context.stage("looking at the columns")
    previews = list(parallel_map(lambda name: _glimpse(table, name, rows), table.names, records=table.height))
    return {
        "names": list(table.names),
        "types": [column_type_name(column.type) for column in previews],
        "rows": [list(record) for record in zip(*(column.first for column in previews), strict=True)],
        "columns": [
            {name: value for name, value in asdict(column).items() if name not in ("first", "type")}
            for column in previews
        ],
    }


def _glimpse(table: Table, name: str, rows: int) -> ColumnPreview:
    from shoal import data

    try:
        return data.preview_column(table, name, rows=rows)
    except DataError:  # cells such as lists
        return data.ColumnPreview(name, "other", (_UNKNOWN,) * rows, 0, 0, ())

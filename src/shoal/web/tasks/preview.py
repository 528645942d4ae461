"""The first records of a file and a few words on each column, for its owner to see that it was read right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.web.column_types import plain

if TYPE_CHECKING:
    from shoal.tables import Glimpse, Table
    from shoal.web.worker import Room

_UNKNOWN = "…"


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """``file`` and how many ``rows``; names, types, these records as texts, and a profile of each column.

    A missing cell is None. These are values of the data: they are shown, and kept nowhere.
    """
    from shoal.threads import share

    table = room.table(asked["file"])
    rows = min(int(asked["rows"]), table.height)
    room.stage("looking at the columns")
    found = list(share(lambda name: _glimpse(table, name, rows), table.names, records=table.height))
    return {
        "names": list(table.names),
        "types": [plain(column.type) for column in found],
        "rows": [list(record) for record in zip(*(column.first for column in found), strict=True)],
        "columns": [
            {name: value for name, value in asdict(column).items() if name not in ("first", "type")} for column in found
        ],
    }


def _glimpse(table: Table, name: str, rows: int) -> Glimpse:
    from shoal import tables

    try:
        return tables.glimpse(table, name, rows=rows)
    except DataError:  # cells such as lists, that are no words
        return tables.Glimpse(name, "other", (_UNKNOWN,) * rows, 0, 0, ())

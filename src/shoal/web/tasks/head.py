"""The head of a file, read by settings that are not applied yet: for the preview of the import dialog."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, ShoalError
from shoal.web.column_types import plain
from shoal.words import short

if TYPE_CHECKING:
    from shoal.tables import Table
    from shoal.web.worker import Room

_LONGEST, _LINES = 160, 8
"""Characters of a line, and lines that are shown of a file that cannot be read by these settings."""
_MOST_COLUMNS = 200


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """``file`` and how many ``rows``; the first records as texts, and how each column was read.

    A missing cell is None. These are values of the data: they are shown, and kept nowhere. Where the settings do not
    fit the file, ``error`` is the reason and ``lines`` are the first lines as they are.
    """
    from shoal import tables

    file, path = asked["file"], Path(asked["file"]["path"])
    room.stage("reading")
    found: dict[str, Any] = {"sheets": [], "error": "", "columns": [], "rows": [], "settings": {}, "hidden": 0}
    found["lines"] = []
    try:
        found["sheets"] = list(tables.sheet_names(path))
        table = tables.read_head(path, options=room.reading(file))
    except ShoalError as error:
        with suppress(ShoalError, LookupError):
            lines = tables.first_lines(path, encoding=file["reading"].get("encoding"), lines=_LINES)
            found["lines"] = [_cut(line) for line in lines]
        return {**found, "error": error.sentence.replace(str(path), short(file["name"]))}
    names = table.names[:_MOST_COLUMNS]
    rows = min(int(asked["rows"]), table.height)
    cells = [_cells(table, name, rows) for name in names]
    formats, questions = tables.column_formats(table), tables.questions(table)
    columns = [
        {
            "name": name,
            "type": word,
            "format": formats.get(name, ""),
            "doubt": questions[name].kind if name in questions else "",
            "fits": list(questions[name].formats) if name in questions else [],
        }
        for name, (word, _) in zip(names, cells, strict=True)
    ]
    return {
        **found,
        "columns": columns,
        "rows": [list(record) for record in zip(*(texts for _, texts in cells), strict=True)],
        "settings": dict(table.settings),
        "hidden": len(table.names) - len(names),
    }


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"


def _cells(table: Table, name: str, rows: int) -> tuple[str, tuple[str | None, ...]]:
    """The type of a column, and its first cells as they are written in the file."""
    from shoal import tables

    try:
        found = tables.glimpse(table, name, rows=rows)
    except DataError:  # cells such as lists, that are no words
        return "other", ("…",) * rows
    return plain(found.type), found.first

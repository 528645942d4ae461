"""Preview of a file with import settings that are not applied yet."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, ShoalError
from shoal.errors.messages import shorten
from shoal.web.projects.column_types import column_type_name

if TYPE_CHECKING:
    from shoal.data import Table
    from shoal.web.workers.worker import WorkerContext

_LONGEST, _LINES = 160, 8
"""Characters of a line, and lines displayed of a file that cannot be read with these settings."""
_MOST_COLUMNS = 200


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return the first records as text and how each column was read. Takes ``file`` and the number of ``rows``.

    A missing cell is None. The values are displayed and not stored. Where the settings do not fit the file, ``error``
    is the reason and ``lines`` are the first lines of the file.
    """
    from shoal import data

    file, path = params["file"], Path(params["file"]["path"])
    context.stage("reading")
    result: dict[str, Any] = {"sheets": [], "error": "", "columns": [], "rows": [], "settings": {}, "hidden": 0}
    result["lines"] = []
    try:
        result["sheets"] = list(data.sheet_names(path))
        table = data.read_head(path, options=context.read_options(file))
    except ShoalError as error:
        with suppress(ShoalError, LookupError):
            lines = data.first_lines(path, encoding=file["reading"].get("encoding"), lines=_LINES)
            result["lines"] = [_truncated(line) for line in lines]
        return {**result, "error": error.sentence.replace(str(path), shorten(file["name"]))}
    names = table.names[:_MOST_COLUMNS]
    rows = min(int(params["rows"]), table.height)
    cells = [_cells(table, name, rows) for name in names]
    formats, questions = data.column_formats(table), data.ambiguous_formats(table)
    columns = [
        {
            "name": name,
            "type": column_type,
            "format": formats.get(name, ""),
            "doubt": questions[name].kind if name in questions else "",
            "fits": list(questions[name].formats) if name in questions else [],
        }
        for name, (column_type, _) in zip(names, cells, strict=True)
    ]
    return {
        **result,
        "columns": columns,
        "rows": [list(record) for record in zip(*(texts for _, texts in cells), strict=True)],
        "settings": dict(table.settings),
        "hidden": len(table.names) - len(names),
    }


def _truncated(line: str) -> str:
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"


def _cells(table: Table, name: str, rows: int) -> tuple[str, tuple[str | None, ...]]:
    """Return the type of a column, and its first cells as text."""
    from shoal import data

    try:
        preview = data.preview_column(table, name, rows=rows)
    except DataError:  # cells such as lists
        return "other", ("…",) * rows
    return column_type_name(preview.type), preview.first

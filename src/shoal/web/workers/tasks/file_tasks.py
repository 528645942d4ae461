"""Tasks about a file: inspection, example register, previews. Values are displayed and not stored."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal import data
from shoal.data.read import check_file_exists
from shoal.domain import likely_identifiers
from shoal.errors import DataError, ShoalError
from shoal.errors.messages import shorten
from shoal.release.inspect import describe
from shoal.system.threads import parallel_map
from shoal.system.transaction import atomic_write
from shoal.web.errors import PageError
from shoal.web.projects.model import ColumnFacts, SourceFile

if TYPE_CHECKING:
    from shoal.web.workers.worker import WorkerContext

MOST_COLUMNS = 2_000
_LONGEST_NAME = 1_000
"""Characters: pages contain every column name several times."""
_UNPACKED = 4
"""An archive may unpack to this fraction (1/n) of the memory, since it must still be parsed."""
_MAX_DISPLAYED = 200
"""Columns of a preview with settings that are not applied."""
_LONGEST, _LINES = 160, 8
"""Characters of a line, and lines displayed of a file that cannot be read with these settings."""
_TYPES = {
    **dict.fromkeys(("int", "uint"), "integer"),
    **dict.fromkeys(("float", "decimal"), "number"),
    **dict.fromkeys(("str", "string", "utf", "categorical", "enum"), "text"),
    "datetime": "date and time",
    "boolean": "yes or no",
    "time": "time of day",
}


def look(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Inspect a file: return a `SourceFile` as plain data. Takes ``file`` and the ``name`` that the user gave it."""
    _check(params["file"], context)
    table = context.table(params["file"])
    _check_width(len(table.names))
    long_names = sum(len(name) > _LONGEST_NAME for name in table.names)
    if long_names:
        raise PageError.names_too_long(long_names, _LONGEST_NAME)
    context.stage("looking at the columns")
    description = describe(table)
    identifying = {column.name for column in likely_identifiers(description.profiles, table.height)}
    return SourceFile(
        name=params["name"],
        kind=table.kind,
        settings=dict(table.settings),
        records=table.height,
        size=Path(params["file"]["path"]).stat().st_size,
        sha256=table.sha256 or "",
        columns=tuple(
            ColumnFacts(
                name=column.name,
                role=str(column.role),
                reason=column.reason,
                kind=str(column.kind),
                type=column_type_name(profile.type),
                distinct=profile.distinct,
                missing=profile.missing,
                whole=profile.is_integer,
                identifying=column.name in identifying,
            )
            for column, profile in zip(description.schema.columns, description.profiles, strict=True)
        ),
        unique_records=description.unique_records,
        reading=dict(params["file"]["reading"]),
        questions={
            name: {"doubt": doubt.kind, "formats": list(doubt.formats)}
            for name, doubt in data.ambiguous_formats(table).items()
        },
        doubts={about: list(names) for about, names in asdict(data.find_misread_columns(table)).items() if names},
    ).to_dict()


def _check(file: Mapping[str, Any], context: WorkerContext) -> None:
    """Refuse a file that would exhaust the memory, before it is read."""
    path, max_bytes = Path(file["path"]), context.memory // _UNPACKED
    check_file_exists(path)
    if path.stat().st_size:
        if data.uncompressed_size(path, limit=max_bytes) > max(max_bytes, path.stat().st_size):
            raise PageError.too_much_unpacked(max_bytes)
        _check_width(data.estimate_width(path, options=context.read_options(file)) or 0)


def _check_width(columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise PageError.too_many_columns(columns, MOST_COLUMNS)


def example(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Write the example register to a file, the same every time, and inspect it. Takes also the number of ``rows``."""
    context.stage("making up a register")
    with atomic_write(Path(params["file"]["path"]), force=True) as part:
        data.write_table(data.read_table(data.example_register(params["rows"])), part)
    return look(params, context)


def preview(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return names, types, the first records as text, and a profile of each column.

    Takes ``file`` and the number of ``rows``. A missing cell is None.
    """
    table = context.table(params["file"])
    rows = min(int(params["rows"]), table.height)
    context.stage("looking at the columns")
    previews = list(parallel_map(lambda name: _preview(table, name, rows), table.names, records=table.height))
    return {
        "names": list(table.names),
        "types": [column_type_name(column.type) for column in previews],
        "rows": [list(record) for record in zip(*(column.first for column in previews), strict=True)],
        "columns": [
            {name: value for name, value in asdict(column).items() if name not in ("first", "type")}
            for column in previews
        ],
    }


def head(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return the first records as text and how each column was read, with import settings that are not applied yet.

    Takes ``file`` and the number of ``rows``. A missing cell is None. Where the settings do not fit the file, ``error``
    is the reason and ``lines`` are the first lines of the file.
    """
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
            result["lines"] = [line if len(line) <= _LONGEST else line[:_LONGEST] + "…" for line in lines]
        return {**result, "error": error.sentence.replace(str(path), shorten(file["name"]))}
    names, rows = table.names[:_MAX_DISPLAYED], min(int(params["rows"]), table.height)
    previews = [_preview(table, name, rows) for name in names]
    formats, questions = data.column_formats(table), data.ambiguous_formats(table)
    return {
        **result,
        "columns": [
            {
                "name": column.name,
                "type": column_type_name(column.type),
                "format": formats.get(column.name, ""),
                "doubt": questions[column.name].kind if column.name in questions else "",
                "fits": list(questions[column.name].formats) if column.name in questions else [],
            }
            for column in previews
        ],
        "rows": [list(record) for record in zip(*(column.first for column in previews), strict=True)],
        "settings": dict(table.settings),
        "hidden": len(table.names) - len(names),
    }


def _preview(table: data.Table, name: str, rows: int) -> data.ColumnPreview:
    try:
        return data.preview_column(table, name, rows=rows)
    except DataError:  # cells such as lists
        return data.ColumnPreview(name, "other", ("…",) * rows, 0, 0, ())


def column_type_name(type: str) -> str:
    """Return a type in plain words, without the values that a data frame library may list: ``number`` for ``Float64``,
    ``text`` for ``Enum(categories=[...])``.
    """
    name = type.partition("(")[0].rstrip("0123456789").lower()
    return _TYPES.get(name, name)

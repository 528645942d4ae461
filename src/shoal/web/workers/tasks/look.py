"""Inspect a file: its facts and a proposed role for each column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.web.errors import PageError
from shoal.web.projects.column_types import column_type_name
from shoal.web.projects.model import ColumnFacts, SourceFile

if TYPE_CHECKING:
    from shoal.web.workers.worker import WorkerContext

MOST_COLUMNS = 2_000
_LONGEST_NAME = 1_000
"""Characters: pages contain every column name several times."""
_UNPACKED = 4
"""An archive may unpack to this fraction (1/n) of the memory, since it must still be parsed."""


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return a SourceFile as plain data. Takes ``file`` and the ``name`` that the user gave it."""
    from shoal import data
    from shoal.domain import likely_identifiers
    from shoal.release.inspect import describe

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
    from shoal import data
    from shoal.data.read import check_file_exists

    path, max_bytes = Path(file["path"]), context.memory // _UNPACKED
    check_file_exists(path)
    if path.stat().st_size:
        if data.uncompressed_size(path, limit=max_bytes) > max(max_bytes, path.stat().st_size):
            raise PageError.too_much_unpacked(max_bytes)
        _check_width(data.estimate_width(path, options=context.read_options(file)) or 0)


def _check_width(columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise PageError.too_many_columns(columns, MOST_COLUMNS)

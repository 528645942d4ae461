"""A first look at a file: what it is, and what its columns could be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import PageError
from shoal.web.column_types import plain
from shoal.web.interface import ColumnFacts, Source

if TYPE_CHECKING:
    from shoal.web.worker import Room

MOST_COLUMNS = 2_000
_LONGEST_NAME = 1_000
"""Characters: pages name every column several times."""
_UNPACKED = 4
"""A packed file may have this part of the memory when it is unpacked: it is then still to be understood."""


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """``file`` and the ``name`` that its owner gave it; a Source as plain data."""
    from shoal import tables
    from shoal.assess import describe
    from shoal.schema import overlooked

    _check(asked["file"], room)
    table = room.table(asked["file"])
    _check_width(len(table.names))
    long = sum(len(name) > _LONGEST_NAME for name in table.names)
    if long:
        raise PageError.long_names(long, _LONGEST_NAME)
    room.stage("looking at the columns")
    found = describe(table)
    identifying = {column.name for column in overlooked(found.profiles, table.height)}
    return Source(
        name=asked["name"],
        kind=table.kind,
        settings=dict(table.settings),
        records=table.height,
        size=Path(asked["file"]["path"]).stat().st_size,
        sha256=table.sha256 or "",
        columns=tuple(
            ColumnFacts(
                name=column.name,
                role=str(column.role),
                reason=column.reason,
                kind=str(column.kind),
                type=plain(profile.type),
                distinct=profile.distinct,
                missing=profile.missing,
                whole=profile.whole,
                identifying=column.name in identifying,
            )
            for column, profile in zip(found.schema.columns, found.profiles, strict=True)
        ),
        unique_records=found.unique_records,
        reading=dict(asked["file"]["reading"]),
        questions={
            name: {"doubt": doubt.kind, "formats": list(doubt.formats)}
            for name, doubt in tables.questions(table).items()
        },
        doubts={about: list(names) for about, names in asdict(tables.doubts(table)).items() if names},
    ).to_dict()


def _check(file: Mapping[str, Any], room: Room) -> None:
    """Refuse what would take the memory of all others, before it is read."""
    from shoal import tables
    from shoal.tables.files import check_there

    path, most = Path(file["path"]), room.memory // _UNPACKED
    check_there(path)
    if path.stat().st_size:
        if tables.unpacked_size(path, most=most) > max(most, path.stat().st_size):
            raise PageError.too_much_unpacked(most)
        _check_width(tables.width(path, options=room.reading(file)) or 0)


def _check_width(columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise PageError.too_wide(columns, MOST_COLUMNS)

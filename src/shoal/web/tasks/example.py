"""The made-up register, written to a file and looked at."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.web.tasks import look

if TYPE_CHECKING:
    from shoal.web.worker import Room


def run(asked: Mapping[str, Any], room: Room) -> dict[str, Any]:
    """As for a look, with the number of ``rows``: the file is made first, the same one every time."""
    from shoal import tables

    room.stage("making up a register")
    with tables.aside(Path(asked["file"]["path"]), force=True) as part:
        tables.write(tables.read(tables.example_register(asked["rows"])), part)
    return look.run(asked, room)
